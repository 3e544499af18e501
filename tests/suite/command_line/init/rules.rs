//! What hosts decide on servers and their tools.

use std::path::PathBuf;

use kit::process::{Ended, Process};
use serde_json::json;

use super::{FILE, Person, odd, plain, servers, text};
use crate::command_line::program;

#[test]
fn w1_tools_that_a_host_switches_off_stay_off() {
    let (person, _file) = Person::having(
        FILE,
        &servers(&json!({
            "some": {"command": "ODD", "args": ["ordinary"], "disabledTools": ["wait"]},
            "one": {"command": "ODD", "args": ["ordinary"], "includeTools": ["wait"]},
        })),
    );
    person.run(&["init", "--strategy", "full", "--each", "--yes"]).says(0, &[]);
    for (name, tools) in [("some", &["echo"][..]), ("one", &["wait"])] {
        let mut server = person.started(FILE, name);
        assert_eq!(server.tool_names(), tools);
    }
}

#[test]
fn w1_hosts_that_defer_by_themselves_are_left_unless_they_are_named() {
    let (person, _file) = Person::having("home/.claude.json", &plain());
    let run = |flags: &[&str], variable: Option<(&str, &str)>| {
        let mut command = person.at_home(program(&[&["init", "--dry-run"], flags].concat()));
        for name in ["ANTHROPIC_BASE_URL", "ENABLE_TOOL_SEARCH", "CLAUDE_CODE_USE_VERTEX"] {
            command.env_remove(name);
        }
        command.envs(variable);
        Process::start(&mut command).finish()
    };
    let is_left = |ended: &Ended| ended.says(0, &[]).stdout.contains("Claude Code is left as it is: ");
    assert!(is_left(&run(&[], None)));
    assert!(is_left(&run(&[], Some(("ANTHROPIC_BASE_URL", "https://api.anthropic.com/")))));
    for elsewhere in [
        run(&["--host", "claude-code"], None),
        run(&[], Some(("ANTHROPIC_BASE_URL", "https://proxy.example/"))),
        run(&[], Some(("ENABLE_TOOL_SEARCH", "false"))),
    ] {
        assert!(!is_left(&elsewhere) && elsewhere.stdout.contains("+++ "), "{}", elsewhere.stdout);
    }
    person.write("home/.claude/settings.json", r#"{"env": {"ANTHROPIC_BASE_URL": "https://proxy.example"}}"#);
    assert!(!is_left(&run(&[], None)), "its settings set variables");
}

#[test]
fn w1_claude_codes_permissions_follow_its_servers() {
    let (person, servers) = Person::having("project/.mcp.json", &plain());
    let allowed = r#"{"permissions": {"allow": ["mcp__plain__echo"]}}"#;
    let settings = person.write("project/.claude/settings.json", allowed);
    person.run(&["init", "--strategy", "resource", "--host", "claude-code", "--each", "--yes"]).says(0, &[]);
    assert_eq!(text(&settings), allowed.replace("echo\"", "echo\", \"mcp__plain__describe_tools\""));
    assert_eq!(person.kept().len(), 2);
    person.run(&["undo", "--host", "claude-code", "--yes"]).says(0, &[]);
    assert_eq!((text(&settings), text(&servers)), (allowed.to_owned(), plain()));
    assert_eq!(person.kept(), Vec::<PathBuf>::new());
}

#[test]
fn w1_what_a_host_denies_cannot_be_called_and_what_it_asks_about_is_left() {
    let person = Person::new();
    let both = json!({"denied": odd("ordinary"), "asked": odd("ordinary")});
    person.write("project/.mcp.json", &servers(&both));
    let rules = json!({"permissions": {"deny": ["mcp__denied__wait"], "ask": ["mcp__asked__wait"]}});
    person.write("home/.claude/settings.json", &rules.to_string());
    let done = person.run(&["init", "--strategy", "full", "--host", "claude-code", "--yes"]);
    let left = "'asked' is left as it is: the host asks before calls of 'wait'";
    done.prints(0, &[left, "'denied' keeps its entry: "]);
    let mut server = person.started("project/.mcp.json", "denied");
    assert_eq!(server.tool_names(), ["echo"]);
}
