//! `undo`, and what is kept for it.

use std::{fs, path::PathBuf};

use serde_json::json;

use super::{FILE, OTHER, Person, servers};
use crate::command_line::ODD;

#[test]
fn w1_a_record_whose_file_is_gone_is_forgotten_and_a_damaged_one_stops_only_itself() {
    let person = Person::new();
    let entry = json!({"plain": {"command": "ODD", "args": ["ordinary"]}});
    let gone = person.write(FILE, &servers(&entry));
    let other = person.write(OTHER, &servers(&entry));
    let before = fs::read_to_string(&other).unwrap();
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    fs::remove_file(&gone).unwrap();
    let record = person.write("home/.local/state/mcp-disclosure/init/damaged.json", "{");
    person.run(&["undo"]).says(2, &["there is no terminal to ask on"]);
    assert_eq!(person.kept().len(), 5);

    let undone = person.run(&["undo", "--yes"]);
    let shown = &undone.says(0, &[]).stdout;
    for part in [
        "mcp_config.json\n  is gone",
        "its backup is not needed",
        "gathered",
        "damaged.json: EOF",
        "Written.",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), before);
    assert_eq!(person.kept(), std::slice::from_ref(&record), "only what is damaged is left");
    person.run(&["undo", "--yes"]).says(64, &["damaged.json", "remove this record"]);
    fs::remove_file(record).unwrap();

    // Alone, and by its name.
    for arguments in [&["undo", "--yes"][..], &["undo", "--yes", "--file", FILE_FROM_PROJECT]] {
        person.write(FILE, &servers(&entry));
        person.run(&["init", "--strategy", "full", "--host", "windsurf", "--yes"]).says(0, &[]);
        fs::remove_file(&gone).unwrap();
        let undone = person.run(arguments);
        assert!(undone.says(0, &[]).stdout.contains("Backup deleted."), "{}", undone.stdout);
        assert_eq!(person.kept(), Vec::<PathBuf>::new());
    }
}

#[test]
fn w1_what_was_edited_of_a_file_that_is_gone_is_kept() {
    let person = Person::new();
    let gone = person.write(FILE, &servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"]}})));
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    let gathered =
        person.kept().into_iter().find(|file| file.to_string_lossy().contains("gathered")).unwrap();
    let edited = fs::read_to_string(&gathered).unwrap().replace("ordinary", "edited");
    fs::write(&gathered, &edited).unwrap();
    fs::remove_file(&gone).unwrap();

    let undone = person.run(&["undo", "--yes"]);
    assert!(undone.says(0, &[]).stdout.contains("is kept: the servers"), "{}", undone.stdout);
    assert_eq!(fs::read_to_string(&gathered).unwrap(), edited);
    assert_eq!(person.kept(), [gathered]);
}

const FILE_FROM_PROJECT: &str = "../home/.codeium/windsurf/mcp_config.json";

#[test]
fn w1_undo_forgets_what_a_person_turned_back_and_keeps_what_is_still_needed() {
    let person = Person::new();
    let text = servers(&json!({"plain": {"command": "ODD"}}));
    let file = person.write("project/mcp.json", &text);
    let init = || {
        person.run(&["init", "--file", "mcp.json", "--yes"]).says(0, &[]);
    };
    init();
    fs::write(&file, "{\"mcpServers\": {}}\n").unwrap();
    let forgotten = person.run(&["undo", "--yes"]);
    let said = &forgotten.says(0, &[]).stdout;
    assert!(said.contains("is kept: the servers behind") && said.contains("Backup deleted."), "{said}");
    assert!(!said.contains("Written"), "{said}");
    assert_eq!(person.kept().len(), 1, "the servers");
    assert!(person.run(&["undo", "--yes"]).says(0, &[]).stdout.contains("Nothing to do"));

    fs::remove_file(&person.kept()[0]).unwrap();
    fs::write(&file, &text).unwrap();
    init();
    fs::write(&file, format!("{text}\n")).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), fs::read_to_string(&file).unwrap()), (vec![], format!("{text}\n")));

    // What was edited in the file of ours comes back.
    fs::write(&file, &text).unwrap();
    init();
    let gathered =
        person.kept().into_iter().find(|path| path.parent().unwrap().ends_with("gathered")).unwrap();
    let moved = fs::read_to_string(&gathered).unwrap();
    fs::write(&gathered, moved.replace(ODD, "edited")).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), fs::read_to_string(&file).unwrap()), (vec![], text.replace(ODD, "edited")));
}

#[test]
fn w1_where_there_is_nothing_to_undo_that_is_said() {
    let person = Person::new();
    person.write("project/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
    for arguments in [&["undo"][..], &["undo", "--host", "cursor"], &["undo", "--file", "mcp.json"]] {
        assert!(person.run(arguments).says(0, &[]).stdout.contains("Nothing to do: "), "{arguments:?}");
    }
    person.run(&["undo", "--file", "absent.json"]).says(64, &["absent.json"]);
}

#[test]
fn w1_copies_that_a_killed_run_left_are_removed_by_the_next_one() {
    for command in ["init", "undo"] {
        let person = Person::new();
        let file = person.write("project/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
        let old = person.write("project/.mcp-disclosure-aB3dEf", "");
        let (new, other) = (
            person.write("project/.mcp-disclosure-000000", ""),
            person.write("project/.mcp-disclosure-mine.txt", ""),
        );
        let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        for path in [&old, &other] {
            fs::File::options().append(true).open(path).unwrap().set_modified(an_hour_ago).unwrap();
        }
        person.run(&[command, "--file", "mcp.json", "--dry-run"]).says(0, &[]);
        assert!(old.exists(), "--dry-run changes nothing");
        person.run(&[command, "--file", "mcp.json", "--yes"]).says(0, &[]);
        assert_eq!(
            [&old, &new, &other, &file].map(|path| path.exists()),
            [false, true, true, true],
            "{command}"
        );
    }
}
