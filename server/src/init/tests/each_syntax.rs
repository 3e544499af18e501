//! `undo` in each syntax: every byte is as it was, but what was edited since.

use super::{turned_back::edited, *};

#[test]
fn w1_entries_are_as_they_were_after_an_edit_elsewhere() {
    for (path, text) in [
        ("a/config.toml", "[mcp_servers.a]\ncommand = \"x\" # mine\n"),
        ("a/config.toml", "mcp_servers.a.command = \"x\"\n"),
        ("c.yaml", "mcpServers:\n  - name: a\n    command: x\n"),
        ("mcp.json", "{\"mcpServers\": {\"a\": {\n  \"command\": \"x\" // mine\n}}}\n"),
        (
            ".codex/config.toml",
            "[mcp_servers.u]\nurl = \"http://localhost:1/mcp\" # mine\nhttp_headers = { X = \"k\" }\n",
        ),
        (
            ".codex/config.toml",
            "[mcp_servers.u]\nurl = 'https://a.example/mcp'\n[mcp_servers.u.http_headers]\nX-Key = \"k\"\n",
        ),
        (".codex/config.toml", "[mcp_servers]\nu = { url = \"http://localhost:1/mcp\" }\n"),
        (
            ".continue/config.yaml",
            "mcpServers:\n  - name: u\n    type: streamable-http\n    url: http://localhost:1/mcp\n",
        ),
        (".continue/config.yaml", "mcpServers:\n  - name: u\n    url: \"http://localhost:1/mcp\" # mine\n"),
    ] {
        let project = Project::of(path, text);
        let plan = project.plan();
        assert_eq!(plan.left, [], "{text}");
        let step = project.apply(&plan);
        // In JSON the entry is edited too, so that it is not its former text that comes back.
        let (note, added) =
            if path.ends_with("json") { ("// a note\n", ", \"env\": {}\n") } else { ("# a note\n", "") };
        let noted =
            |text: &str| format!("{}{note}", text.replacen("// mine\n", &format!("// mine\n{added}"), 1));
        fs::write(&project.file, noted(&project.text())).unwrap();
        let undone = project.undo(&[step]);
        assert_eq!(undone.left, [], "{}", project.text());
        assert_eq!(undone.text, noted(text));
    }
}

#[test]
fn w1_a_server_is_back_where_something_was_written_anew() {
    let url = "http://localhost:1/mcp";
    let project = |name: &str, command: &str| {
        format!(r#""/{name}": {{"mcpServers": {{"a": {{"command": "{command}"}}}}}}"#)
    };
    let projects =
        |other: &str| format!(r#"{{"projects": {{{}, {}}}}}"#, project("now", "x"), project(other, "y"));
    let unnamed = |added: &str| {
        let entry =
            |command: &str| format!(r#"{{"transport": {{"type": "stdio", "command": "{command}"}}}}"#);
        let entries = format!("{added}{}, {}", entry("a"), entry("b"));
        format!(r#"{{"experimental": {{"modelContextProtocolServers": [{entries}]}}}}"#)
    };
    for (path, text, from, to, expected) in [
        // Undo is run in another folder than that of the project.
        (".claude.json", projects("other"), "/other", "/another", projects("another")),
        ("config.json", unnamed(""), "Servers\": [", "Servers\": [{}, ", unnamed("{}, ")),
        (
            ".codex/config.toml",
            format!("[mcp_servers.u]\nurl = '{url}'\nhttp_headers = {{ X = \"k\" }}\n"),
            "]\ncommand = ",
            "]\nenabled = true\ncommand  = ",
            format!("[mcp_servers.u]\nenabled = true\nurl = '{url}'\nhttp_headers = {{ X = \"k\" }}\n"),
        ),
        (
            ".continue/config.yaml",
            format!("mcpServers:\n  - name: u\n    type: streamable-http\n    url: {url}\n"),
            "type: \"stdio\"",
            "timeout: 1\n    type: 'stdio'",
            format!("mcpServers:\n  - name: u\n    timeout: 1\n    type: streamable-http\n    url: {url}\n"),
        ),
        (
            "mcp.json",
            format!(
                r#"{{"mcpServers": {{"u": {{"type": "http", "url": "{url}", "headers": {{"X": "k"}}}}}}}}"#
            ),
            r#""type": "#,
            r#""disabled": true, "type":  "#,
            format!(
                r#"{{"mcpServers": {{"u": {{"disabled": true, "type": "http", "url": "{url}", "headers": {{"X": "k"}}}}}}}}"#
            ),
        ),
    ] {
        let project = Project::of(path, &text);
        let step = project.apply(&project.plan());
        edited(&project, from, to);
        let undone = project.undo(&[step]);
        assert!(undone.left.is_empty() && undone.missing.is_empty(), "{undone:?}");
        assert_eq!(undone.text, expected);
    }
}
