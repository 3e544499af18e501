//! Files and servers that cannot be edited, and unusual forms that can.

use super::*;

#[track_caller]
fn refused(path: &str, text: &str) -> String {
    let project = Project::of(path, text);
    plan(project.place(), Path::new("/now"), &front(), None, vec![]).unwrap_err().to_string()
}

#[test]
fn w1_what_is_no_hosts_file_is_refused_with_its_place() {
    assert!(refused("mcp.json", "{\"a\": 1 \"b\": 2}").contains("mcp.json:1:8"));
    assert!(refused("config.toml", "[mcp_servers\n").contains("config.toml:1:"));
    assert!(refused("config.yaml", "a: [\n").contains("config.yaml:"));
    for (path, text) in
        [("mcp.json", ""), ("mcp.json", "[]"), ("mcp.json", "// only a comment"), ("config.toml", "")]
    {
        let plan = Project::of(path, text).plan();
        assert!(!plan.has_servers() && !plan.changes(), "{text:?}");
    }
}

#[test]
fn w1_unusual_forms_keep_every_other_byte() {
    let one = |command: &str| format!("{{\"mcpServers\": {{\"a\": {{\"command\": {command}}}}}}}");
    for (path, text) in [
        ("mcp.json", format!("\u{feff}{}", one("\"x\""))),
        ("mcp.json", one("\"x\"").replace(": {", ":\r\n\t{\r\n\t\t")),
        ("mcp.json", one("\"x\", \"args\": [ /* none */ ], // end\n")),
        ("mcp.json", one("\"x\", \"args\": null")),
        ("mcp.json", one("\"x\\u00fc\\\"\", \"args\": [\"\\u0000\", 5, true,]")),
        ("mcp.json", one("\"first\", \"command\": \"second\"")),
        (
            "mcp.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"a\": {\"command\": \"y\"}}}".to_owned(),
        ),
        ("c.toml", "mcp_servers.a.command = 'x'\r\nother = 1\r\n".to_owned()),
        ("c.toml", "mcp_servers = { a = { command = \"x\" } }\n".to_owned()),
        ("c.toml", "[ mcp_servers . \"a b\" ]\n  command = '''x'''   # c\n  env = {}\n".to_owned()),
        ("c.yaml", "mcpServers:\n- command: x # c\n  name: a\n".to_owned()),
        ("c.yaml", "mcpServers: [{name: a, command: x, args: [1, two]}]\n".to_owned()),
        (
            "c.yaml",
            "mcpServers:\r\n  - name: a\r\n    command: 'x'\r\n    args:\r\n    - one\r\n    env: {}\r\n"
                .to_owned(),
        ),
    ] {
        let project = Project::of(path, &text);
        let plan = project.plan();
        assert_eq!((plan.served.len(), &plan.left), (1, &Vec::new()), "{text}\n{}", plan.change.after);
        let is_line_end_of_windows = plan.change.after.contains("\r\n");
        assert_eq!(is_line_end_of_windows, text.contains("\r\n"));
        assert!(!is_line_end_of_windows || !plan.change.after.replace("\r\n", "").contains('\n'), "{text}");
        let step = project.apply(&plan);
        assert!(!project.plan().changes(), "{text}");
        assert_eq!(project.undo(&[step]).text, text);
    }
}

#[test]
fn w1_servers_that_would_lose_something_are_left_with_the_reason() {
    for (entry, why) in [
        (r#"{"command": "~/bin/x"}"#, "begins with ~"),
        (r#"{"command": "npx -y x"}"#, "a whole line"),
        (r#"{"command": "x", "args": "one two"}"#, "not text"),
        (r#"{"command": ""}"#, "not text"),
        (r#"{"args": ["x"]}"#, "neither a command nor a url"),
        (r#"{"url": "https://a.example/mcp"}"#, "sign in"),
        (r#"{"url": "https://a.example/mcp", "headers": {"A": "b"}, "oauth": {}}"#, "sign in"),
        (r#"{"url": "https://a.example/mcp?key=k", "headers": {"A": "b"}}"#, "may contain a secret"),
        (r#"{"url": "https://me:pw@a.example/mcp", "headers": {"A": "b"}}"#, "may contain a secret"),
        (r#"{"url": "http://localhost/a", "serverUrl": "http://localhost/b"}"#, "several keys"),
        (r#"{"type": "http", "command": "x", "url": "http://localhost/mcp"}"#, "several keys"),
        (
            r#"{"url": "https://a.example/mcp", "headers": {"A": "b"}, "env": {"C": "d"}}"#,
            "headers and variables",
        ),
        (r#"{"url": "https://a.example/mcp", "headers": {"A-B": "b", "a_b": "c"}}"#, "'a_b' cannot be kept"),
        (r#"{"command": "x", "includeTools": []}"#, "enables none"),
    ] {
        let project = Project::of("mcp.json", &format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#));
        let plan = project.plan();
        assert!(!plan.changes(), "{entry}");
        assert!(plan.left[0].1.contains(why), "{entry}: {:?}", plan.left);
    }
}

#[test]
fn w1_servers_at_urls_are_gathered_where_the_host_signs_in_to_none() {
    let servers =
        r#"{"far": {"url": "https://a.example/mcp", "headers": {}}, "near": {"url": "http://[::1]/mcp"}}"#;
    let plan = Project::of("mcp.json", &format!(r#"{{"mcpServers": {servers}}}"#)).gather();
    assert_eq!(plan.moved[0].names, ["near"]);
    assert_eq!(plan.left[0].0, "far", "{:?}", plan.left);
}

#[test]
fn w1_a_server_that_other_parts_of_the_file_stand_for_is_left() {
    let shared = "other parts of the file stand for parts of it";
    let merges = "it merges another part of the file";
    for (entries, left) in [
        (
            "  - &two\n    name: b\n    command: x\n  - <<: *two\n    name: c\n    args: [c]\n",
            &[shared, merges][..],
        ),
        ("  - &two {name: b, command: x}\n  - {<<: *two, name: c, command: y}\n", &[shared, merges]),
        (
            "  - name: b\n    command: x\n    env: &e {A: '1'}\n  - name: c\n    command: y\n    env: *e\n",
            &[shared],
        ),
        (
            "  - name: b\n    command: x\n    env: *models\n  - name: c\n    command: y\n    args: [a & b]\n",
            &[],
        ),
    ] {
        let text = format!("models: &models {{A: '1'}}\nothers: *models\nmcpServers:\n{entries}");
        let plan = Project::of(".continue/config.yaml", &text).plan();
        let why: Vec<&str> = plan.left.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!((plan.left.len(), plan.served.len()), (left.len(), 2 - left.len()), "{text}: {why:?}");
        assert!(why.iter().zip(left).all(|(why, expected)| why.starts_with(expected)), "{text}: {why:?}");
    }
    let text = "mcpServers: &all\n  - name: b\n    command: x\nothers: *all\n";
    assert!(!Project::of(".continue/config.yaml", text).plan().changes());
}

#[test]
fn w1_a_file_with_moved_servers_that_is_gone_is_named() {
    let project = Project::of("mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    let plan = project.gather();
    project.apply(&plan);
    fs::remove_file(&plan.moved[0].file).unwrap();
    let plan = project.gather();
    assert!(!plan.changes() && plan.left[0].1.contains("is gone, and the servers in it"), "{plan:?}");
}

#[test]
fn w1_a_large_file_is_edited_and_a_huge_one_refused() {
    let filler = format!("\"filler\": \"{}\",\n", "x".repeat(1000)).repeat(5_000);
    let text = format!("{{{filler}\"mcpServers\": {{\"a\": {{\"command\": \"x\"}}}}}}");
    let project = Project::of("mcp.json", &text);
    let plan = project.plan();
    assert!(text.len() > 5_000_000 && plan.served == ["a"]);
    assert_eq!(project.undo(&[project.apply(&plan)]).text, text);
    let huge = " ".repeat(usize::try_from(super::super::write::LARGEST).unwrap() + 1);
    assert!(refused("mcp.json", &huge).contains("are edited"));
}

#[test]
fn w1_entries_without_a_name_replace_no_others() {
    let text = "mcpServers:\n  - command: x\n";
    let project = Project::of("config.yaml", text);
    let mut destination = project.destination();
    destination.elsewhere = vec!["number 1".to_owned()];
    let plan = plan(project.place(), Path::new("/now"), &front(), Some(&destination), vec![]).unwrap();
    assert_eq!(plan.apart, [("number 1".to_owned(), "only servers of JSON files are moved".to_owned())]);
}
