//! What is asked, and refused.

use std::{fs, io::Write};

use kit::process::Process;
use serde_json::{Value, json};

use super::{FILE, Person, servers};
use crate::command_line::{ODD, program};

#[test]
fn w1_without_a_terminal_nothing_is_written_without_yes() {
    let person = Person::new();
    let text = servers(&json!({"plain": {"command": "ODD"}}));
    let file = person.write("project/.vscode/mcp.json", &text.replace("mcpServers", "servers"));
    let before = fs::read_to_string(&file).unwrap();
    let asked = person.run(&["init", "--strategy", "full", "--host", "vscode"]);
    asked.says(2, &["there is no terminal to ask on (hint: --yes writes it, --dry-run only shows it)"]);
    assert!(asked.stdout.contains("VS Code: ") && asked.stdout.contains("+++ "), "{}", asked.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let named = person.run(&["init", "--file", ".vscode/mcp.json", "--strategy", "full", "--yes"]);
    assert!(named.says(0, &[]).stdout.contains("Restart the host"), "{}", named.stdout);
    assert_eq!(person.run(&["undo", "--dry-run"]).code, Some(0));
    person.run(&["undo", "--host", "vscode", "--yes"]).says(0, &[]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn w1_on_a_terminal_only_a_yes_is_one() {
    let person = Person::new();
    let file = person.write(FILE, &servers(&json!({"plain": {"command": "ODD"}})));
    let before = fs::read_to_string(&file).unwrap();
    for (answer, is_written) in [("\n", false), ("n\n", false), ("y\n", true)] {
        let (mut ours, theirs) = crate::command_line::terminal::terminal();
        ours.write_all(answer.as_bytes()).unwrap();
        let mut command = person.at_home(program(&["init", "--strategy", "full", "--no-count"]));
        let asked = Process::start_with(&mut command, theirs.into()).finish();
        assert!(asked.says(0, &[]).stdout.contains("Write this? [y/N]"), "{}", asked.stdout);
        assert_eq!(fs::read_to_string(&file).unwrap() != before, is_written, "{answer:?}");
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
    person.run(&["init", "--host", "cursor"]).says(64, &["no file of a host is found", ".cursor/mcp.json"]);
    person
        .run(&["init", "--host", "curser"])
        .says(2, &["unknown host 'curser' (hint: hosts are claude-desktop, "]);
    person.run(&["init", "--strategy", "inf"]).says(2, &["inf", "hint: "]);
    let good = person.write(FILE, &servers(&json!({"plain": {"command": "ODD"}})));
    let before = fs::read_to_string(&good).unwrap();
    person.write("home/.gemini/settings.json", "{");
    let bad = person.path("home/.gemini/settings.json");
    // A file that was named must be usable.
    let named = person.run(&[
        "init",
        "--strategy",
        "full",
        "--yes",
        "--file",
        bad.to_str().unwrap(),
        "--host",
        "windsurf",
    ]);
    named.says(64, &["settings.json:1:1: unterminated object"]);
    assert_eq!(fs::read_to_string(&good).unwrap(), before);
    // One that was found is left, and said.
    let found = person.run(&["init", "--strategy", "full", "--each", "--yes"]);
    assert!(found.says(0, &[]).stdout.contains("is left as it is: "), "{}", found.stdout);
    assert_ne!(fs::read_to_string(&good).unwrap(), before);
    // After the backup is gone, the entry says what it was.
    for kept in person.kept() {
        fs::remove_file(kept).unwrap();
    }
    person.run(&["undo", "--host", "windsurf", "--yes"]).says(0, &[]);
    let turned: Value = serde_json::from_str(&fs::read_to_string(&good).unwrap()).unwrap();
    assert_eq!(turned["mcpServers"]["plain"]["command"], ODD);

    let mut homeless = person.at_home(program(&["init", "--strategy", "full", "--yes"]));
    homeless.env("HOME", "");
    let ended = Process::start(&mut homeless).finish();
    assert_ne!(ended.code, Some(0), "{}", ended.stdout);
}
