//! What a host forbids or asks about stays so behind this program.

use std::collections::BTreeMap;

use super::{
    super::{places::Folders, rules::rules},
    *,
};

/// A person's files, of which the first one has the servers; and what is planned for it.
fn planned(files: &[(&str, &str)], gather: bool) -> Result<(Plan, TempDir), String> {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = root.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text.replace("ROOT", root.path().to_str().unwrap())).unwrap();
    }
    let variables =
        BTreeMap::from([("HOME", "home"), ("USERPROFILE", "home"), ("XDG_CONFIG_HOME", "home/.config")]);
    let lookup = |name: &str| Some(root.path().join(variables.get(name)?).to_str()?.to_owned());
    let folders = Folders::of_user(&lookup, root.path().join("project"));
    let place = Place { host: None, path: root.path().join(files[0].0) };
    let destination = Destination::of(&place.path, &folders, &root.path().join("gathered"));
    let rules = rules(&place, &folders).map_err(|problem| problem.to_string())?;
    let plan = plan(place, &folders.project, &front(), gather.then_some(&destination), rules);
    Ok((plan.map_err(|problem| problem.to_string())?, root))
}

const SERVERS: &str = r#"{"mcpServers": {"git": {"command": "x"}, "other": {"command": "y"}}}"#;

#[test]
fn w1_rules_of_every_file_of_settings_hold_behind_this_program() {
    let of_user = r#"{"mcpServers": {"git": {"command": "x"}, "other": {"command": "y"}}, "projects": {"ROOT/far": {}}}"#;
    for (servers, text, settings) in [
        ("project/.mcp.json", SERVERS, "project/.claude/settings.json"),
        ("project/.mcp.json", SERVERS, "project/.claude/settings.local.json"),
        ("project/.mcp.json", SERVERS, "home/.claude/settings.json"),
        ("elsewhere/.mcp.json", SERVERS, "elsewhere/.claude/settings.json"),
        ("home/.claude.json", of_user, "home/.claude/settings.json"),
        ("home/.claude.json", of_user, "far/.claude/settings.local.json"),
    ] {
        let denied = r#"{"permissions": {"deny": ["mcp__git__delete"]}}"#;
        let (plan, _root) = planned(&[(servers, text), (settings, denied)], false).unwrap();
        let after = &plan.change.after;
        assert!(after.contains(r#""--name=git", "--hide-tool=delete", "--", "x""#), "{settings}: {after}");
        assert_eq!(after.matches("--hide-tool").count(), 1, "{settings}");

        let asked = r#"{"permissions": {"ask": ["mcp__git__delete"]}}"#;
        let (plan, _root) = planned(&[(servers, text), (settings, asked)], false).unwrap();
        assert_eq!(plan.served, ["other"], "{settings}");
        assert!(plan.left[0].1.contains("the host asks before calls of 'delete'"), "{:?}", plan.left);

        for rule in ["deny", "ask"] {
            let whole = format!(r#"{{"permissions": {{"{rule}": ["mcp__git"]}}}}"#);
            let (plan, _root) = planned(&[(servers, text), (settings, &whole)], false).unwrap();
            assert_eq!(plan.served, ["git", "other"], "the entry keeps its name");
            let (plan, _root) = planned(&[(servers, text), (settings, &whole)], true).unwrap();
            let [(name, why)] = &plan.apart[..] else { panic!("{:?}", plan.apart) };
            assert_eq!((name.as_str(), &*plan.moved[0].names), ("git", &["other".to_owned()][..]));
            assert!(why.contains("rules"), "{why}");
        }
        let broken = planned(&[(servers, text), (settings, r#"{"permissions": {"#)], false).unwrap_err();
        assert!(broken.contains("its rules for tools must be known"), "{broken}");
    }
}

#[test]
fn w1_rules_of_other_hosts_hold_behind_this_program() {
    for (path, text, expected) in [
        (
            "project/opencode.json",
            r#"{"mcp": {"git": {"type": "local", "command": ["x"]}}, "permission": RULES}"#,
            &[
                (r#"{"git_delete": "deny"}"#, "--hide-tool=delete"),
                (r#"{"git_delete": "ask"}"#, "asks before"),
                (r#"{"git_delete": {"*": "ask"}}"#, "asks before"),
                (r#"{"git_*": "ask"}"#, "apart"),
            ][..],
        ),
        (
            "project/opencode.json",
            r#"{"mcp": {"git": {"type": "local", "command": ["x"]}}, "agent": {"plan": RULES}}"#,
            &[
                (r#"{"permission": {"git_delete": "deny"}}"#, "asks before"),
                (r#"{"tools": {"git_delete": false}}"#, "asks before"),
                (r#"{"tools": {"git_*": false}}"#, "apart"),
            ],
        ),
        (
            "project/.gemini/settings.json",
            r#"{"mcpServers": {"git": {"command": "x"}}, "tools": {"exclude": RULES}}"#,
            &[
                (r#"["delete"]"#, "--hide-tool=delete"),
                (r#"["git__delete", "Shell(rm)"]"#, "--hide-tool=delete"),
                (r#"["mcp_git_delete"]"#, "--hide-tool=delete"),
            ],
        ),
        (
            "project/.zed/settings.json",
            r#"{"context_servers": {"git": {"command": "x"}}, "agent": {"tool_permissions": {"tools": RULES}}}"#,
            &[
                (r#"{"mcp:git:delete": {"default": "deny"}}"#, "--hide-tool=delete"),
                (r#"{"mcp:git:delete": {"default": "confirm"}}"#, "asks before"),
            ],
        ),
        (
            "project/.vscode/settings.json",
            r#"{"mcp": {"servers": {"git": {"command": "x"}}}, "chat.tools.eligibleForAutoApproval": RULES}"#,
            &[
                (r#"{"git/delete": false}"#, "asks before"),
                (r#"{"mcp_git_delete": false}"#, "asks before"),
                (r#"{"git/delete": true, "delete": false, "other/delete": false}"#, "\"--\", \"x\""),
            ],
        ),
        (
            "project/.gemini/settings.json",
            r#"{"mcpServers": {"git": {"command": "x"}}, "mcp": RULES}"#,
            &[(r#"{"allowed": ["git"]}"#, "apart")],
        ),
        (
            "project/.codex/config.toml",
            "[mcp_servers.git]\ncommand = \"x\"\n[mcp_servers.git.tools.delete]\napproval_mode = RULES\n",
            &[("\"prompt\"", "asks before")],
        ),
    ] {
        for (rules, expected) in expected {
            let text = text.replace("RULES", rules);
            let (plan, _root) = planned(&[(path, &text)], *expected == "apart").unwrap();
            let is_kept = match *expected {
                "apart" => plan.apart[0].0 == "git" && plan.moved.is_empty(),
                "asks before" => plan.left[0].1.contains("asks before calls of 'delete'") && !plan.changes(),
                argument => plan.change.after.contains(argument),
            };
            assert!(is_kept, "{path}: {rules}: {:?}\n{}", plan.left, plan.change.after);
        }
    }
}

#[test]
fn w1_rules_in_another_file_of_the_same_host_hold_too() {
    let servers = r#"{"mcp": {"git": {"type": "local", "command": ["x"]}}}"#;
    let of_user = "home/.config/opencode/opencode.json";
    for (rules, is_wrapped) in [("deny", true), ("ask", false)] {
        let rules = format!(r#"{{"permission": {{"git_delete": "{rules}"}}}}"#);
        let (plan, _root) = planned(&[(of_user, servers), ("project/opencode.json", &rules)], false).unwrap();
        assert_eq!(
            (plan.change.after.contains("--hide-tool=delete"), plan.changes()),
            (is_wrapped, is_wrapped)
        );
        let (plan, _root) = planned(&[(of_user, servers), ("project/opencode.json", &rules)], true).unwrap();
        assert!(plan.moved.is_empty());
    }
}

#[test]
fn w1_two_tables_of_a_file_are_moved_to_two_files_in_every_run() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}}, "servers": {"b": {"command": "y"}}}"#;
    let project = Project::of("mcp.json", text);
    let first = project.gather();
    let first_step = project.apply(&first);
    let edited = project.text();
    for (table, name) in [("mcpServers", "c"), ("servers", "d")] {
        let with_late = format!("\"{table}\": {{\"{name}\": {{\"command\": \"z\"}}, ");
        fs::write(&project.file, project.text().replace(&format!("\"{table}\": {{"), &with_late)).unwrap();
    }
    assert_ne!(project.text(), edited);
    let second = project.gather();
    let second_step = project.apply(&second);
    let mut files: Vec<&PathBuf> = first.moved.iter().chain(&second.moved).map(|moved| &moved.file).collect();
    files.sort();
    files.dedup();
    assert_eq!(files.len(), 4, "{files:?}");
    assert_eq!(project.undo(&[first_step, second_step]).left, []);
}

#[test]
fn w1_a_server_that_a_hook_matches_by_its_tools_is_left_and_one_that_it_matches_as_a_whole_keeps_its_entry() {
    for (matcher, left, apart) in [
        ("mcp__git__delete", &["git"][..], &[][..]),
        ("mcp__.*__write.*", &["git", "other"], &[]),
        ("mcp__git__.*", &[], &["git"]),
        ("mcp__.*", &[], &[]),
    ] {
        let hooks = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": []}}]}}}}"#);
        let files = [("project/.mcp.json", SERVERS), ("home/.claude/settings.json", &hooks)];
        let (plan, _root) = planned(&files, true).unwrap();
        let names = |list: &[(String, String)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(&plan.left), names(&plan.apart)),
            (
                left.iter().map(|&name| name.to_owned()).collect(),
                apart.iter().map(|&name| name.to_owned()).collect()
            ),
            "{matcher}"
        );
    }
}

#[test]
fn w1_what_depends_on_the_hosts_folder_keeps_its_entry_in_every_file() {
    let absolute = if cfg!(windows) { r"C:\\data" } else { "/data" };
    for (entry, stays) in [
        (r#""command": "x", "args": ["${workspaceFolder}"]"#, true),
        (r#""command": "x", "args": ["--root=${cwd}/data"]"#, true),
        (r#""command": "x", "env": {"ROOT": "${workspaceFolder}"}"#, true),
        (r#""command": "x", "args": ["."]"#, true),
        (r#""command": "x", "args": ["--data=../shared"]"#, true),
        (r#""command": "node", "args": ["build/index.js"]"#, true),
        (r#""command": "./run", "args": []"#, true),
        (r#""command": "x", "cwd": "sub""#, true),
        (r#""command": "x", "cwd": "${workspaceFolder}""#, true),
        (
            r#""command": "npx", "args": ["-y", "@scope/server@1.2.3", "https://a.example/x.json", "ABSOLUTE"]"#,
            false,
        ),
        (r#""command": "python", "args": ["-m", "a_server"]"#, false),
        (r#""command": "uv", "args": ["--directory", "ABSOLUTE", "run", "weather.py"]"#, false),
    ] {
        let entry = entry.replace("ABSOLUTE", absolute);
        for (path, table) in [
            ("home/.cursor/mcp.json", "mcpServers"),
            ("home/.config/Code/User/mcp.json", "servers"),
            ("home/.codeium/windsurf/mcp_config.json", "mcpServers"),
            ("project/.mcp.json", "mcpServers"),
            ("project/.cursor/mcp.json", "mcpServers"),
        ] {
            let text = format!(r#"{{"{table}": {{"a": {{{entry}}}, "b": {{"command": "y"}}}}}}"#);
            let (plan, _root) = planned(&[(path, &text)], true).unwrap();
            let moved: Vec<&str> =
                plan.moved.iter().flat_map(|moved| &moved.names).map(String::as_str).collect();
            assert_eq!(moved, if stays { &["b"][..] } else { &["a", "b"] }, "{path}: {entry}");
            assert_eq!(plan.apart.len(), usize::from(stays), "{path}: {entry}");
        }
    }
}

#[test]
fn w1_keys_that_only_the_host_reads_keep_a_server_in_its_entry() {
    for (keys, foreign) in [
        (r#""timeout": 60"#, Some("timeout")),
        (r#""trust": true, "timeout": 1"#, Some("trust, timeout")),
        (r#""alwaysAllow": ["a"]"#, Some("alwaysAllow")),
        (r#""autoApprove": [], "alwaysAllow": null, "disabled": false, "env": {}"#, None),
    ] {
        let text =
            format!(r#"{{"mcpServers": {{"a": {{"command": "x", {keys}}}, "b": {{"command": "y"}}}}}}"#);
        let project = Project::of("mcp.json", &text);
        let plan = project.gather();
        let apart = foreign.map(|keys| ("a".to_owned(), format!("only the host reads {keys}")));
        assert_eq!(plan.apart, Vec::from_iter(apart), "{keys}");
        assert_eq!((plan.served.len(), plan.left), (2, vec![]));
        assert_eq!(plan.moved[0].names.len(), if foreign.is_some() { 1 } else { 2 });
    }
}

#[test]
fn w1_a_server_is_moved_if_it_reads_the_same_and_else_the_reason_is_said() {
    let desktop = "home/.config/Claude/claude_desktop_config.json";
    let claude = r#"{"projects": {"ROOT/project": {"mcpServers": {"a": {"command": "x"}}}}}"#;
    let excluding =
        r#"{"tools": {"exclude": ["a__delete", "write_file"]}, "mcpServers": {"a": {"command": "x"}}}"#;
    let entry = |entry: &str| format!(r#"{{"mcpServers": {{"a": {{{entry}}}}}}}"#);
    for (path, text, why) in [
        ("home/.cursor/mcp.json", entry(r#""command": "stub a""#), None),
        ("home/.cursor/mcp.json", entry(r#""command": "/opt/my stub""#), Some("")),
        (
            "home/.cursor/mcp.json",
            entry(r#""command": "x", "env": {"N": 12345678901234567890123, "M": 1.50}"#),
            Some(""),
        ),
        (desktop, entry(r#""command": "x", "env": {"N": "p$x"}"#), Some("")),
        (
            desktop,
            entry(r#""command": "x", "env": {"N": "${HOME}"}"#),
            Some("the host's folder or variables"),
        ),
        (desktop, entry(r#""command": "x", "env": {"N": "p$${x"}"#), Some("the host's folder or variables")),
        (desktop, entry(r#""command": "x", "args": ["${NOT_SET}"]"#), Some("the host's folder or variables")),
        ("home/.claude.json", claude.to_owned(), Some("of one project only")),
        (
            "project/.continue/mcpServers/a.json",
            entry(r#""command": "x""#),
            Some("reads every file of its folder"),
        ),
        ("home/.continue/mcpServers/a.json", entry(r#""command": "x""#), Some("")),
        ("home/.gemini/settings.json", excluding.to_owned(), Some("")),
    ] {
        let (plan, _root) = planned(&[(path, &text)], true).unwrap();
        match why {
            None => {
                assert!(plan.left[0].1.contains("a whole line") && !plan.changes(), "{text}: {:?}", plan.left)
            }
            Some("") => assert_eq!(plan.apart, [], "{path}: {text}"),
            Some(why) => {
                assert!(plan.moved.is_empty() && plan.apart[0].1.contains(why), "{text}: {:?}", plan.apart)
            }
        }
    }
}
