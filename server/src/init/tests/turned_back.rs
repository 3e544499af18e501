//! `undo` after the file was edited, rewritten, or without a backup.

use serde_json::{Value, json};

use super::{super::rules, *};
use crate::{config::hosts::Document, files::Change};

const SERVERS: &str = r#"{
  "mcpServers": {
    "one": {"command": "npx", "args": ["-y", "one"], "env": {"KEY": "${env:PATH}"}},
    "two": {
      "command": "two"
    },
    "three": {"url": "https://a.example/mcp", "headers": {"X-Key": "k"}}
  }
}
"#;

pub(super) fn edited(project: &Project, from: &str, to: &str) {
    let text = project.text();
    assert!(text.contains(from), "{text}");
    fs::write(&project.file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn w1_of_entries_that_start_the_same_the_one_that_is_gone_was_renamed_and_a_copy_is_named() {
    let entry = r#"{"command": "x", "args": []}"#;
    let text = format!(r#"{{"mcpServers": {{"a": {entry}, "b": {entry}, "c": {{"command": "y"}}}}}}"#);
    let project = Project::of("mcp.json", &text);
    let step = project.apply(&project.plan());
    // The entry of `b` has another name, and `c` is there twice.
    let mut now: Value = serde_json::from_str(&project.text()).unwrap();
    let servers = now["mcpServers"].as_object_mut().unwrap();
    let renamed = servers.remove("b").unwrap();
    servers.insert("renamed".to_owned(), renamed);
    servers.insert("copy".to_owned(), servers["c"].clone());
    fs::write(&project.file, now.to_string()).unwrap();
    let undone = project.undo(&[step]);
    let mut turned_back = undone.turned_back.clone();
    turned_back.sort_unstable();
    assert_eq!((turned_back, undone.missing), (["a", "b", "c", "copy"].map(str::to_owned).to_vec(), vec![]));
    let servers = serde_json::from_str::<Value>(&undone.text).unwrap()["mcpServers"].clone();
    assert_eq!(
        (&servers["renamed"], &servers["copy"]["command"]),
        (&json!({"command": "x", "args": []}), &json!("y"))
    );
}

#[test]
fn w1_a_server_that_was_removed_since_stays_removed_and_a_new_one_stays() {
    let project = Project::of(
        "mcp.json",
        r#"{"mcpServers": {"one": {"command": "x"}, "two": {"command": "y", "url": null}}}"#,
    );
    let step = project.apply(&project.plan());
    let mut two = serde_json::from_str::<Value>(&project.text()).unwrap()["mcpServers"]["two"].clone();
    two["env"] = json!({"K": "v"});
    let edited = json!({"mcpServers": {"two": two, "new": {"command": "z"}}});
    fs::write(&project.file, edited.to_string()).unwrap();
    let value: Value = serde_json::from_str(&project.undo(&[step]).text).unwrap();
    let two = json!({"command": "y", "url": null, "env": {"K": "v"}});
    assert_eq!(value, json!({"mcpServers": {"two": two, "new": {"command": "z"}}}));
}

#[test]
fn w1_a_file_that_the_host_wrote_anew_is_turned_back_by_its_entries() {
    for gather in [false, true] {
        let project = Project::of(".windsurf/mcp.json", SERVERS);
        let plan = if gather { project.gather() } else { project.plan() };
        let step = project.apply(&plan);
        let value: Value = serde_json::from_str(&project.text()).unwrap();
        let reversed = |table: &Value| {
            let members = table.as_object().unwrap().clone().into_iter();
            Value::Object(members.collect::<Vec<_>>().into_iter().rev().collect())
        };
        let mut servers = reversed(&value["mcpServers"]);
        servers.as_object_mut().unwrap().values_mut().for_each(|entry| *entry = reversed(entry));
        fs::write(&project.file, json!({"version": 2, "mcpServers": servers}).to_string()).unwrap();
        let undone = project.undo(&[step]);
        let read: Value = serde_json::from_str(&undone.text).unwrap();
        let before: Value = serde_json::from_str(SERVERS).unwrap();
        assert_eq!(read, json!({"version": 2, "mcpServers": before["mcpServers"]}), "{gather}");
        assert_eq!(undone.left, []);
    }
}

#[test]
fn w1_without_a_backup_an_entry_says_what_it_was() {
    for (path, text) in [
        (
            "mcp.json",
            r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x", "--", "y"], "env": {"K": "v"}}}}"#,
        ),
        (
            "opencode.json",
            r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"], "enabled": true}}}"#,
        ),
        (
            "a/config.toml",
            "[mcp_servers.a] # mine\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"x\",\n]\n",
        ),
        (
            ".continue/config.yaml",
            "mcpServers:\n  - name: a\n    command: \"npx\"\n    args:\n      - -y\n      - x\n",
        ),
        ("settings.json", r#"{"context_servers": {"a": {"command": {"path": "x", "args": ["1"]}}}}"#),
    ] {
        let project = Project::of(path, text);
        let plan = project.plan();
        assert_eq!(plan.left, [], "{path}");
        project.apply(&plan);
        let undone = project.undo(&[]);
        assert_eq!(undone.text, text, "{path}");
        assert_eq!(undone.left, []);
    }
}

#[test]
fn w1_without_a_backup_moved_servers_come_back_from_our_file_and_urls_are_named() {
    let project = Project::of(".windsurf/mcp.json", SERVERS);
    let plan = project.gather();
    assert_eq!(plan.served, ["one", "two", "three"]);
    project.apply(&plan);
    let undone = project.undo(&[]);
    let read: Value = serde_json::from_str(&undone.text).unwrap();
    assert_eq!(read, serde_json::from_str::<Value>(plan.change.before.as_deref().unwrap()).unwrap());
    assert_eq!(undone.kept[0].0, plan.moved[0].file, "what no backup knows is named");

    let project = Project::of("mcp.json", r#"{"mcpServers": {"a": {"url": "http://localhost:1/mcp"}}}"#);
    project.apply(&project.plan());
    let undone = project.undo(&[]);
    assert_eq!(undone.left.len(), 1);
    assert!(undone.left[0].1.contains("write it by hand"), "{undone:?}");
}

#[test]
fn w1_a_server_that_was_written_again_stays_the_only_one_of_its_name() {
    let text = "{\"mcpServers\": {\n  \"a\": {\"command\": \"x\"},\n  \"b\": {\"command\": \"y\"}\n}}\n";
    let project = Project::of("mcp.json", text);
    let step = project.apply(&project.gather());
    edited(&project, "{\n", "{\n  \"b\": {\"command\": \"y\"},\n");
    let undone = project.undo(&[step]);
    assert_eq!((undone.text.matches("\"b\"").count(), undone.missing), (1, vec![]), "{}", undone.text);
}

#[test]
fn w1_names_that_were_added_to_lists_of_tools_are_removed_again() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "autoApprove": ["one"]}, "b": {"command": "y", "autoApprove": []}}}"#;
    let project = Project::of("mcp.json", text);
    let step = project.apply(&project.plan());
    let lists = |text: &str| {
        let document = Document::parse(&project.file, text, Path::new("/")).unwrap();
        let lists = document.servers().into_iter().map(|server| {
            let list = server.node.get("autoApprove").unwrap().items();
            list.iter().map(|item| item.text().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
        });
        lists.collect::<Vec<_>>()
    };
    // What calls other tools is never approved, and nothing is where nothing was.
    assert_eq!(lists(&project.text()), ["one info", ""]);
    edited(&project, "\"one\"", "\"one\", \"two\"");
    assert_eq!(lists(&project.undo(std::slice::from_ref(&step)).text), ["one two", ""]);
    // Also where the server's own arguments are others now.
    edited(&project, "\"x\"]", "\"x\", \"more\"]");
    let text = project.undo(&[step]).text;
    assert_eq!(lists(&text), ["one two", ""]);
    assert!(text.contains(r#""args": ["more"]"#), "{text}");
}

#[test]
fn w1_claude_codes_permissions_get_what_only_reads_and_lose_it_again() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#;
    let project = Project::of(".mcp.json", text);
    let settings = project.directory.path().join(".claude/settings.json");
    let allowed = "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash\",\n      \"mcp__a__read\" // mine\n    ]\n  }\n}\n";
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, allowed).unwrap();
    let place = Place { host: Some("Claude Code"), path: settings.clone() };
    let current = project.directory.path();
    let planned = |plan: Plan| {
        let plan = Plan { place: Place { host: Some("Claude Code"), ..plan.place.clone() }, ..plan };
        rules::permitted(place.clone(), current, &[plan], &front()).unwrap()
    };
    let wrapped = planned(project.plan()).unwrap();
    assert_eq!(wrapped.permitted, ["mcp__a__info"], "not of b, and never what calls others");
    assert!(
        wrapped.change.after.contains("\"mcp__a__read\",\n      \"mcp__a__info\" // mine"),
        "{}",
        wrapped.change.after
    );
    assert_eq!(planned(project.gather()).unwrap().permitted, ["mcp__mcp-disclosure-project__info"]);

    let Project { directory, .. } = project;
    let project = Project { directory, file: settings };
    let step = project.apply(&wrapped);
    assert_eq!(project.undo(std::slice::from_ref(&step)).text, allowed);
    edited(&project, "\"Bash\",", "\"Bash\", \"Edit\",");
    assert_eq!(project.undo(&[step]).text, allowed.replace("\"Bash\",", "\"Bash\", \"Edit\","));
}

#[test]
fn w1_what_the_file_does_not_have_as_before_is_missing_unless_it_is_turned_back() {
    for (path, text, gathers) in [
        (".codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b]\ncommand = \"y\"\n", false),
        (
            ".continue/config.yaml",
            "mcpServers:\n  - name: a\n    command: x\n  - name: b\n    command: y\n",
            false,
        ),
        ("mcp.json", r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#, false),
        ("mcp.json", r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#, true),
    ] {
        let project = Project::of(path, text);
        let plan = if gathers { project.gather() } else { project.plan() };
        let step = project.apply(&plan);
        let missing = |now: &str| {
            fs::write(&project.file, now).unwrap();
            let undone = project.undo(std::slice::from_ref(&step));
            assert_eq!(undone.left, [], "{now}");
            assert!(now == plan.change.after || undone.text == now, "what is the person's own stays: {now}");
            undone.missing
        };
        assert_eq!(missing(&plan.change.after), [""; 0]);
        assert_eq!(missing(""), ["a", "b"], "{path}: nothing is left of it");
        assert_eq!(missing(&format!("{text}\n")), [""; 0], "{path}: turned back by hand");
        assert_eq!(missing(&text.replace('y', "mine")), ["b"], "{path}: one is another now");
        // As a run leaves it that was killed before it wrote the file.
        assert_eq!(missing(text), [""; 0]);
    }
}

#[test]
fn w1_a_list_of_permissions_that_is_gone_is_missing() {
    let allowed = r#"{"permissions": {"allow": ["mcp__a__read"]}}"#;
    let project = Project::of(".claude/settings.json", allowed);
    let after = allowed.replace("read\"", "read\", \"mcp__a__info\"");
    let change = Change { path: project.file.clone(), before: Some(allowed.to_owned()), after };
    let step = Step::of(&change, Path::new("/now"), &[]);
    for (now, missing) in [(&*change.after, 0), (allowed, 0), ("", 1), ("{}", 1)] {
        fs::write(&project.file, now).unwrap();
        assert_eq!(project.undo(std::slice::from_ref(&step)).missing.len(), missing, "{now}");
    }
}

#[test]
fn w1_what_was_edited_in_a_gathered_file_comes_back() {
    let text = "{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"args\": [\"1\"]},\n  \"b\": {\"command\": \"y\"} // mine\n}}\n";
    for (from, to, expected, kept) in [
        ("\"1\"", "\"2\"", text.replace("\"1\"", "\"2\""), None),
        (
            "\"command\": \"y\"",
            "\"command\": \"y\", \"env\": {\"K\": \"v\"}",
            text.replace("\"y\"}", r#""y", "env": {"K": "v"}}"#),
            None,
        ),
        (
            "\"a\": {",
            "\"new\": {\"command\": \"z\"}, \"a\": {",
            text.replace("\"a\": {", "\"new\": {\"command\": \"z\"}, \"a\": {"),
            None,
        ),
        ("\"a\": {", "/* a note */ \"a\": {", text.to_owned(), Some("comments")),
        ("\"b\": {", "\"b\": ", text.to_owned(), Some("unexpected token")),
        ("\"b\": {", "\"c\": {", text.replace("\"b\": {", "\"c\": {"), None),
    ] {
        for is_edited_elsewhere in [false, true] {
            let project = Project::of("mcp.json", text);
            let plan = project.gather();
            let step = project.apply(&plan);
            let file = &plan.moved[0].file;
            let edited_text = fs::read_to_string(file).unwrap().replacen(from, to, 1);
            assert_ne!(edited_text, plan.moved[0].text, "{from}");
            fs::write(file, edited_text).unwrap();
            if is_edited_elsewhere {
                edited(&project, "{\"mcpServers\"", "{\"other\": 1, \"mcpServers\"");
            }
            let undone = project.undo(&[step]);
            let value = |text: &str| {
                let root = crate::config::hosts::node::parse(Path::new("a.json"), text).unwrap();
                super::super::gather::json(root.get("mcpServers").unwrap())
            };
            assert_eq!(value(&undone.text), value(&expected), "{to}");
            assert!(undone.text.contains("} // mine\n}}\n"), "{}", undone.text);
            let is_gone = !expected.contains("\"b\"");
            assert_eq!(undone.missing, if is_gone { vec!["b"] } else { vec![] }, "{to}");
            let why = undone.kept.first().map(|(kept, why)| {
                assert_eq!(kept, file);
                why.as_str()
            });
            assert_eq!(why.is_some(), kept.is_some(), "{to}: {why:?}");
            assert!(why.unwrap_or_default().contains(kept.unwrap_or_default()), "{to}: {why:?}");
        }
    }
}
