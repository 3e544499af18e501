//! Servers behind one entry.

use std::fs;

use serde_json::json;

use super::{FILE, OTHER, Person, names, odd, parsed, plain, servers, text};
use crate::command_line::ODD;

#[test]
fn w1_a_projects_servers_go_beside_its_file_and_later_ones_behind_the_same_entry() {
    let (person, file) = Person::having("project/.roo/mcp.json", &plain());
    let first = parsed(&file);
    person.run(&["init", "--yes"]).says(0, &[]);
    let written = text(&file);
    assert!(written.contains("\".roo/mcp-disclosure.json\""), "{written}");
    assert!(person.path("project/.roo/mcp-disclosure.json").is_file());
    assert!(!written.contains("gathered"), "{written}");

    // A server that is added later.
    let added = written.replace(
        "\"mcpServers\": {",
        &format!("\"mcpServers\": {{\"new\": {{\"command\": {ODD:?}, \"args\": [\"ordinary\"]}},"),
    );
    fs::write(&file, &added).unwrap();
    person.run(&["init", "--yes"]).says(0, &[]);
    assert_eq!(names(&file), ["mcp-disclosure-project"]);
    let mut server = person.started("project/.roo/mcp.json", "mcp-disclosure-project");
    assert_eq!(server.tool_names().len(), 4, "both servers' tools");
    server.finish().says(0, &[]);

    // After an edit, both steps are turned back by what they changed.
    fs::write(&file, text(&file).replacen('{', "{\n  \"mine\": true,", 1)).unwrap();
    person.run(&["undo", "--yes"]).prints(0, &["turned back: new, plain\n"]);
    let entries = parsed(&file);
    assert_eq!(entries["mcpServers"]["plain"], first["mcpServers"]["plain"]);
    assert_eq!(entries["mcpServers"]["new"]["command"], ODD);
    assert_eq!((&entries["mine"], entries["mcpServers"].as_object().unwrap().len()), (&json!(true), 2));
    assert!(!person.path("project/.roo/mcp-disclosure.json").exists());
}

#[test]
fn w1_a_server_that_is_added_again_keeps_its_entry_and_undo_keeps_what_was_edited() {
    let (person, file) =
        Person::having(FILE, &servers(&json!({"s1": odd("ordinary"), "s2": odd("ordinary")})));
    person.run(&["init", "--yes"]).says(0, &[]);
    let gathered = person.gathered();
    let edited = text(&gathered).replacen("ordinary", "edited", 1);
    fs::write(&gathered, &edited).unwrap();
    let mut now = parsed(&file);
    now["mcpServers"]["s1"] = json!({"command": ODD, "args": ["twice"]});
    fs::write(&file, now.to_string()).unwrap();
    person
        .run(&["init", "--yes"])
        .prints(0, &["'s1' keeps its entry: a server of the same name is behind our entry already"]);
    assert!(
        !person.kept().iter().any(|file| file.to_string_lossy().ends_with("-2.json")),
        "{:?}",
        person.kept()
    );
    person.run(&["undo", "--yes"]).prints(0, &["not in it as before: s1", "its backup is kept"]);
    assert_eq!(text(&gathered), edited);
}

#[test]
fn w1_what_gathering_would_lose_stays_where_it_is() {
    let person = Person::new();
    let commented =
        "{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n// \"old\": {}\n\"b\": {\"command\": \"y\"}}}\n";
    person.write(FILE, commented);
    let named = servers(&json!({"with space": {"command": "x"}, "plain": {"command": "y"}}));
    person.write(OTHER, &named);
    person.run(&["init", "--dry-run"]).prints(
        0,
        &[
            "'a', 'b' keep their entries: comments stand between the servers",
            "'with space' keeps its entry: the name cannot be part of the names of tools",
            "gathered/",
        ],
    );
}

#[test]
fn w1_a_projects_server_still_replaces_the_users_of_its_name() {
    let person = Person::new();
    let user = servers(&json!({"both": odd("ordinary"), "mine": odd("many")}));
    let user = person.write("home/.cursor/mcp.json", &user);
    let project = servers(&json!({"both": odd("many"), "ours": odd("ordinary")}));
    let project = person.write("project/.cursor/mcp.json", &project);
    let before = [&user, &project].map(|file| text(file));
    let done = person.run(&["init", "--host", "cursor", "--yes"]);
    let said = &done.says(0, &[]).stdout;
    assert_eq!(
        said.matches("'both' keeps its entry: another file of the host has an entry of the same name")
            .count(),
        2,
        "{said}"
    );
    // Nor does our entry of the project replace that of the user.
    assert_eq!(names(&user), ["both", "mcp-disclosure"]);
    assert_eq!(names(&project), ["both", "mcp-disclosure-project"]);
    person.run(&["undo", "--host", "cursor", "--yes"]).says(0, &[]);
    assert_eq!([&user, &project].map(|file| text(file)), before);
}
