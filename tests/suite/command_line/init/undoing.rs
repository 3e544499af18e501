//! `undo`, and what is kept for it.

use std::{fs, path::PathBuf};

use super::{FILE, OTHER, Person, plain, text};
use crate::command_line::ODD;

#[test]
fn w1_a_record_whose_file_is_gone_is_forgotten_and_a_damaged_one_stops_only_itself() {
    let (person, gone) = Person::having(FILE, &plain());
    let other = person.write(OTHER, &plain());
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    fs::remove_file(&gone).unwrap();
    let record = person.write("home/.local/state/mcp-disclosure/init/damaged.json", "{");
    person.run(&["undo"]).says(2, &["there is no terminal to ask on"]);
    assert_eq!(person.kept().len(), 5);

    let gone_and_damaged = ["mcp_config.json\n  is gone", "its backup is not needed", "damaged.json: EOF"];
    let undone = person.run(&["undo", "--yes"]);
    undone.prints(0, &[&gone_and_damaged[..], &["gathered", "Written."]].concat());
    assert_eq!(text(&other), plain());
    assert_eq!(person.kept(), std::slice::from_ref(&record), "only what is damaged is left");
    person.run(&["undo", "--yes"]).says(64, &["damaged.json", "remove this record"]);
    fs::remove_file(record).unwrap();

    // Alone, and by its name.
    for arguments in [&["undo", "--yes"][..], &["undo", "--yes", "--file", FILE_FROM_PROJECT]] {
        person.write(FILE, &plain());
        person.run(&["init", "--strategy", "full", "--host", "windsurf", "--yes"]).says(0, &[]);
        fs::remove_file(&gone).unwrap();
        person.run(arguments).prints(0, &["Backup deleted."]);
        assert_eq!(person.kept(), Vec::<PathBuf>::new());
    }
}

#[test]
fn w1_what_was_edited_of_a_file_that_is_gone_is_kept() {
    let (person, gone) = Person::having(FILE, &plain());
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    let gathered = person.gathered();
    let edited = text(&gathered).replace("ordinary", "edited");
    fs::write(&gathered, &edited).unwrap();
    fs::remove_file(&gone).unwrap();

    person.run(&["undo", "--yes"]).prints(0, &["is kept: the servers"]);
    assert_eq!(text(&gathered), edited);
    assert_eq!(person.kept(), [gathered]);
}

const FILE_FROM_PROJECT: &str = "../home/.codeium/windsurf/mcp_config.json";

#[test]
fn w1_undo_forgets_what_a_person_turned_back_and_keeps_what_is_still_needed() {
    let (person, file) = Person::having("project/mcp.json", &plain());
    let init = || {
        person.run(&["init", "--file", "mcp.json", "--yes"]).says(0, &[]);
    };
    init();
    fs::write(&file, "{\"mcpServers\": {}}\n").unwrap();
    let forgotten = person.run(&["undo", "--yes"]);
    forgotten.prints(0, &["is kept: the servers behind", "Backup deleted."]);
    assert!(!forgotten.stdout.contains("Written"), "{}", forgotten.stdout);
    assert_eq!(person.kept().len(), 1, "the servers");
    person.run(&["undo", "--yes"]).prints(0, &["Nothing to do"]);

    fs::remove_file(&person.kept()[0]).unwrap();
    fs::write(&file, plain()).unwrap();
    init();
    let longer = plain() + "\n";
    fs::write(&file, &longer).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), text(&file)), (vec![], longer));

    // What was edited in the file of ours comes back.
    fs::write(&file, plain()).unwrap();
    init();
    let gathered = person.gathered();
    fs::write(&gathered, text(&gathered).replace(ODD, "edited")).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), text(&file)), (vec![], plain().replace(ODD, "edited")));
}

#[test]
fn w1_where_there_is_nothing_to_undo_that_is_said() {
    let (person, _file) = Person::having("project/mcp.json", &plain());
    for arguments in [&["undo"][..], &["undo", "--host", "cursor"], &["undo", "--file", "mcp.json"]] {
        person.run(arguments).prints(0, &["Nothing to do: "]);
    }
    person.run(&["undo", "--file", "absent.json"]).says(64, &["absent.json"]);
}

#[test]
fn w1_copies_that_a_killed_run_left_are_removed_by_the_next_one() {
    for command in ["init", "undo"] {
        let (person, file) = Person::having("project/mcp.json", &plain());
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
