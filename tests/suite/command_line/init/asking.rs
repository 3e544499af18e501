//! What is asked, and refused.

use std::{fs, io::Write};

use kit::process::Process;

use super::{FILE, Person, parsed, plain, text};
use crate::command_line::{ODD, program, shown};

#[test]
fn w1_without_a_terminal_nothing_is_written_without_yes() {
    let before = plain().replace("mcpServers", "servers");
    let (person, file) = Person::having("project/.vscode/mcp.json", &before);
    let asked = person.run(&["init", "--strategy", "full", "--host", "vscode"]);
    asked.says(2, &["there is no terminal to ask on (hint: --yes writes it, --dry-run only shows it)"]);
    asked.prints(2, &["VS Code: ", "+++ "]);
    assert_eq!(text(&file), before);
    let named = person.run(&["init", "--file", ".vscode/mcp.json", "--strategy", "full", "--yes"]);
    named.prints(0, &["Restart the host"]);
    assert_eq!(person.run(&["undo", "--dry-run"]).code, Some(0));
    person.run(&["undo", "--host", "vscode", "--yes"]).says(0, &[]);
    assert_eq!(text(&file), before);
}

#[cfg(unix)]
#[test]
fn w1_on_a_terminal_only_a_yes_is_one() {
    let (person, file) = Person::having(FILE, &plain());
    for (answer, is_written) in [("\n", false), ("n\n", false), ("y\n", true)] {
        let (mut ours, theirs) = crate::command_line::terminal::terminal();
        ours.write_all(answer.as_bytes()).unwrap();
        let mut command = person.at_home(program(&["init", "--strategy", "full", "--no-count"]));
        let asked = Process::start_with(&mut command, theirs.into()).finish();
        asked.prints(0, &["Write this? [y/N]"]);
        assert_eq!(text(&file) != plain(), is_written, "{answer:?}");
        assert_eq!(asked.stdout.contains("Nothing was changed."), !is_written);
    }
}

#[test]
fn w1_what_cannot_be_done_is_said_and_nothing_is_written() {
    let person = Person::new();
    person.run(&["init"]).says(
        64,
        &["no file of a host is found (hint: add a server in the host first", "Claude Code, Cursor, VS Code"],
    );
    person.run(&["init", "--host", "cursor"]).says(64, &["; looked for /", ".cursor/mcp.json"]);
    person
        .run(&["init", "--host", "curser"])
        .says(2, &["invalid value 'curser' for '--host <NAME>'", "a similar value exists: 'cursor'"]);
    person.run(&["init", "--strategy", "inf"]).says(64, &["inf", "hint: "]);
    let good = person.write(FILE, &plain());
    let bad = person.write("home/.gemini/settings.json", "{");
    // A file that was named must be usable.
    let named = ["--file", shown(&bad), "--host", "windsurf"];
    person
        .run(&[&["init", "--strategy", "full", "--yes"], &named[..]].concat())
        .says(64, &["settings.json:1:1: unterminated object"]);
    assert_eq!(text(&good), plain());
    // One that was found is left, and said.
    person.run(&["init", "--strategy", "full", "--each", "--yes"]).prints(0, &["is left as it is: "]);
    assert_ne!(text(&good), plain());
    // After the backup is gone, the entry says what it was.
    for kept in person.kept() {
        fs::remove_file(kept).unwrap();
    }
    person.run(&["undo", "--host", "windsurf", "--yes"]).says(0, &[]);
    assert_eq!(parsed(&good)["mcpServers"]["plain"]["command"], ODD);

    let mut homeless = person.at_home(program(&["init", "--strategy", "full", "--yes"]));
    homeless.env("HOME", "");
    let ended = Process::start(&mut homeless).finish();
    assert_ne!(ended.code, Some(0), "{}", ended.stdout);
}
