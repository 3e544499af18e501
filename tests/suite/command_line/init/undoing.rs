//! `undo`, and what is kept for it.

use std::fs;

use super::{FILE, OTHER, Person, plain, text};

#[test]
fn w1_a_record_whose_file_is_gone_stays_and_a_damaged_one_stops_only_itself() {
    let (person, gone) = Person::having(FILE, &plain());
    let other = person.write(OTHER, &plain());
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    fs::remove_file(&gone).unwrap();
    let record = person.write("home/.local/state/mcp-disclosure/init/damaged.json", "{");
    person.run(&["undo"]).says(2, &["there is no terminal to ask on"]);
    assert_eq!(person.kept().len(), 5);

    let gone_and_damaged = ["mcp_config.json\n  is gone", "its backup is kept", "damaged.json: EOF"];
    let undone = person.run(&["undo", "--yes"]);
    undone.prints(0, &[&gone_and_damaged[..], &["gathered", "Written."]].concat());
    assert_eq!(text(&other), plain());
    assert_eq!(person.kept().len(), 3, "what is damaged, and what is the only copy");
    person.run(&["undo", "--yes"]).says(64, &["damaged.json", "remove this record"]);
    fs::remove_file(record).unwrap();
    for arguments in [&["undo", "--yes"][..], &["undo", "--yes", "--file", FILE_FROM_PROJECT]] {
        person.run(arguments).prints(0, &["is gone", "Nothing was changed."]);
        assert_eq!(person.kept().len(), 2);
    }
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
    for _again in 0..2 {
        let undone = person.run(&["undo", "--yes"]);
        undone.prints(0, &["not in it as before: ", "its backup is kept", "Nothing was changed."]);
        assert_eq!(person.kept().len(), 2, "the backup, and the servers");
    }

    person.kept().iter().for_each(|kept| fs::remove_file(kept).unwrap());
    fs::write(&file, plain()).unwrap();
    init();
    let longer = plain() + "\n";
    fs::write(&file, &longer).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), text(&file)), (vec![], longer));
}
