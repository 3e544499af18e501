//! What a model reads before and after.

use std::fs;

use serde_json::json;

use super::{FILE, Person, names, odd, parsed, plain, servers};
use crate::command_line::ODD;

/// Servers that list tools, of which one is large enough for a saving.
#[test]
fn w1_what_is_saved_is_counted_and_what_saves_nothing_is_left() {
    let (person, _file) = Person::having(FILE, &plain());
    let parts = ["is left as it is: its model reads 2 tools, ", "nothing would be saved", "Nothing to do."];
    person.run(&["init", "--count", "--yes"]).prints(0, &parts);

    person.write(FILE, &servers(&json!({"plain": odd("ordinary"), "large": odd("many")})));
    let counted = person.run(&["init", "--count", "--yes"]);
    let said = &counted.says(0, &[]).stdout;
    let line =
        said.lines().find(|line| line.contains("its model reads ")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains(" now; 3 tools, "), "{line}");
    let mut server = person.started(FILE, "mcp-disclosure");
    assert_eq!(server.tool_names(), ["search_tools", "call_read_only_tool", "call_tool"]);
}

#[test]
fn w1_a_server_that_is_added_later_is_counted_with_those_behind_the_entry() {
    let (person, file) = Person::having(FILE, &servers(&json!({"large": odd("many")})));
    person.run(&["init", "--yes"]).says(0, &[]);
    let mut added = parsed(&file);
    added["mcpServers"]["plain"] = json!({"command": ODD, "args": ["ordinary"]});
    fs::write(&file, added.to_string()).unwrap();
    // By itself, it is too small to save anything.
    person.run(&["init", "--count", "--yes"]).prints(0, &["its model reads 5 tools, ", " now; 3 tools, "]);
    assert_eq!(names(&file).len(), 1);
}

#[test]
fn w1_where_no_server_starts_the_reason_is_said_and_the_file_is_written() {
    let person = Person::new();
    let absent = |name: &str| json!({"command": format!("/no/such/{name}")});
    person.write(FILE, &servers(&json!({"one": absent("one"), "two": absent("two")})));
    let counted = person.run(&["init", "--count", "--yes"]);
    let why = "could not be counted: upstream 'one': cannot start '/no/such/one': ";
    counted.prints(0, &[why, "; upstream 'two': cannot start ", "Written."]);
    assert!(!counted.stdout.contains("tokens not counted"), "{}", counted.stdout);
}
