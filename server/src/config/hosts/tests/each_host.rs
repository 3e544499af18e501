//! A file of each host, real in shape: what is understood, what is left out, and what is said about that.

use mcp_disclosure_core::Pattern;

use super::Project;

/// A host's file, and what is made of it.
struct File {
    path: &'static str,
    text: &'static str,
    used: &'static [&'static str],
    switches: &'static [&'static str],
    switched_off: &'static [&'static str],
    /// Patterns of what is said of the rest.
    left_out: &'static [&'static str],
}

/// Each file's path and text.
pub(crate) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().map(|file| (file.path, file.text))
}

/// Of which nothing is said.
const FILE: File = File { path: "", text: "", used: &[], switches: &[], switched_off: &[], left_out: &[] };

const FILES: &[File] = &[
    File {
        path: "Claude/claude_desktop_config.json",
        text: include_str!("../fixtures/claude_desktop_config.json"),
        used: &[
            r#"filesystem: npx -y @modelcontextprotocol/server-filesystem /Users/me/Desktop {}"#,
            r#"weather: uv --directory /srv/weather run weather.py {"API_KEY": "k-123", "RETRIES": "3", "VERBOSE": "true"}"#,
        ],
        left_out: &["15: server 'broken' is left out: args: is a string (expected a list of strings)"],
        ..FILE
    },
    // Of a user with projects.
    File {
        path: ".claude.json",
        text: include_str!("../fixtures/claude.json"),
        used: &[
            r#"notes: notes --this-project {"DIR": "/tmp/notes"}"#,
            "github: https://api.example.com/mcp authorization=Bearer t0ken",
            "events: https://events.example.com/sse by SSE",
        ],
        switched_off: &["server 'muted' is switched off: disabledMcpServers of the project"],
        left_out: &["6: server 'notes' is left out: an entry with higher precedence has this name*"],
        ..FILE
    },
    File {
        path: ".mcp.json",
        text: include_str!("../fixtures/claude_code_project.json"),
        used: &["paths: https://api.example.com/mcp x-key=t0ken"],
        left_out: &[
            "3: server 'db' is left out: env.DB_URL: the environment variable DB_URL is not set; set it ('$${' stands for '${')",
        ],
        ..FILE
    },
    File {
        path: ".cursor/mcp.json",
        text: include_str!("../fixtures/cursor.json"),
        used: &[
            r#"build: node PROJECT/build/index.js --home /home/me --name=PROJECT in PROJECT {"API_KEY": "t0ken", "FROM_FILE": "${f}", "PORT": "1"}"#,
            "remote: https://api.example.com/mcp authorization=Bearer t0ken",
        ],
        left_out: &[
            "15: server 'unset' is left out: headers.X-Key: the environment variable NOT_SET*",
            "16: server 'nofile' is left out: envFile: No such file*",
        ],
        ..FILE
    },
    File {
        path: ".vscode/mcp.json",
        text: include_str!("../fixtures/vscode.jsonc"),
        used: &[
            r#"playwright: npx -y @playwright/mcp@latest --region eu in PROJECT {"FROM_FILE": "${f}", "HEADLESS": "true", "KEY": "given", "PORT": "8931"}"#,
            "docs: https://docs.example.com/mcp",
            "old: https://old.example.com/sse by SSE",
            "home: /home/me/bin/server in PROJECT {}",
        ],
        left_out: &[
            "20: server 'asks' is left out: env.API_KEY: '${input:api-key}' is prompted for by the host (set the \
             environment variable MCP_DISCLOSURE_INPUT_API_KEY to its value)",
            "23: server 'selected' is left out: args: '${command:pick}' can be resolved by the host only (write the value, \
             or an environment variable)",
        ],
        ..FILE
    },
    File {
        path: "Code/settings.json",
        text: include_str!("../fixtures/vscode_settings.jsonc"),
        used: &["time: uvx mcp-server-time {}"],
        ..FILE
    },
    File {
        path: "windsurf/mcp_config.json",
        text: include_str!("../fixtures/windsurf.json"),
        used: &[
            r#"github: docker run -i --rm ghcr.io/github/github-mcp-server {"GITHUB_TOKEN": "t0ken"}"#,
            "figma: https://mcp.figma.example/mcp x-token=from-a-file",
        ],
        switches: &["github: not delete_file,create_repository"],
        switched_off: &["server 'off' is switched off: disabled"],
        ..FILE
    },
    File {
        path: ".gemini/settings.json",
        text: include_str!("../fixtures/gemini.json"),
        used: &[
            r#"python: python -m server $5 $NOT_SET in PROJECT/./tools {"ALSO": "t0ken", "KEY": "t0ken"}"#,
            "http: https://api.example.com/mcp authorization=Bearer t0ken",
            "both: https://api.example.com/mcp",
        ],
        switches: &["python: only read,write not write"],
        switched_off: &[
            "server 'quiet' is switched off: mcp.excluded",
            "server 'unlisted' is switched off: mcp.allowed, which does not name it",
        ],
        ..FILE
    },
    File {
        path: "cline_mcp_settings.json",
        text: include_str!("../fixtures/cline.json"),
        used: &[r#"search: npx -y search-mcp {"KEY": "k"}"#, "linear: https://mcp.linear.example/mcp"],
        switched_off: &["server 'paused' is switched off: disabled"],
        left_out: &["14: server 'unclear' is left out: disabled: is a string (expected true or false)"],
        ..FILE
    },
    File {
        path: ".roo/mcp.json",
        text: include_str!("../fixtures/roo.json"),
        used: &["tests: npx -y tests-mcp PROJECT in PROJECT {}", "api: https://api.example.com/mcp x-key=k"],
        switches: &["tests: not run_all"],
        ..FILE
    },
    File {
        path: "zed/settings.json",
        text: include_str!("../fixtures/zed.jsonc"),
        used: &[
            r#"custom: server --flag ${literal} {"A": "1"}"#,
            r#"older: older x {"B": "2"}"#,
            "remote: https://api.example.com/mcp authorization=Bearer t",
        ],
        switches: &["custom: only read not write", "older: only ", "remote: only search"],
        switched_off: &["server 'off' is switched off: enabled"],
        left_out: &[
            "9: server 'postgres' is left out: source: is started by an extension of the host (give its command or url)",
        ],
    },
    File {
        path: "opencode.jsonc",
        text: include_str!("../fixtures/opencode.jsonc"),
        used: &[
            r#"every thing: npx -y @modelcontextprotocol/server-everything t0ken in PROJECT {"LITERAL": "${HOME}", "MODE": "fastx"}"#,
            "sentry: https://mcp.sentry.example/mcp k=from-a-file",
        ],
        switches: &["every thing: not add", "sentry: not *?delete,create*"],
        switched_off: &["server 'off' is switched off: enabled"],
        left_out: &[
            "13: server 'overridden' is left out: has neither command nor url (command names a program, url an endpoint; say \
             one of them)",
        ],
    },
    File {
        path: ".continue/config.yaml",
        text: include_str!("../fixtures/continue.yaml"),
        used: &[
            r#"Browser search: npx @playwright/mcp@latest --port=8931 in / {"PORT": "8931", "TOKEN": "t0ken"}"#,
            "Remote: https://api.example.com/mcp authorization=Bearer t0ken x-team=core",
            "Old: https://api.example.com/sse by SSE",
        ],
        left_out: &[
            "29: server 'anthropic/some-mcp' is left out: uses: can be resolved by the host only*",
            "31: server 'Hub' is left out: namespace: can be resolved by the host only (copy its definition*",
            "35: server 'Asks' is left out: env.KEY: '${{…}}' at character 1 can be resolved by the host only*",
            "36: server 'Merged' is left out: <<: merges another part of the file*",
        ],
        ..FILE
    },
    File {
        path: "x/config.json",
        text: include_str!("../fixtures/continue.json"),
        used: &["sqlite: uvx mcp-server-sqlite --db-path /tmp/a.db {}"],
        left_out: &["6: server 'number 2' is left out: it has no name (add a unique name)"],
        ..FILE
    },
    File {
        path: ".codex/config.toml",
        text: include_str!("../fixtures/codex.toml"),
        used: &[
            r#"docs: npx -y docs-mcp ${literal} in / {"LEVEL": "2", "MODE": "fast", "TOKEN": "t0ken"}"#,
            "figma: https://mcp.figma.example/mcp authorization=Bearer t0ken x-mode=fast x-region=eu",
        ],
        switches: &["docs: only search,open not open"],
        switched_off: &["server 'off' is switched off: enabled"],
        left_out: &[
            "*: server 'unset' is left out: headers.Authorization: the environment variable NOT_SET*",
        ],
    },
];

#[test]
fn each_hosts_file_is_understood_and_the_rest_named() {
    for File { path, text, used, switches, switched_off, left_out } in FILES {
        let project = Project::of(path, text);
        assert_eq!(project.used(), *used, "{path}");
        assert_eq!(project.switches(), *switches, "{path}");
        assert_eq!(project.switched_off(), *switched_off, "{path}");
        let said = project.left_out();
        let is_said = |(pattern, said): (&&str, &String)| Pattern::new(pattern).matches(said);
        assert!(left_out.len() == said.len() && left_out.iter().zip(&said).all(is_said), "{path}: {said:#?}");
    }
}

#[test]
fn gemini_cli_compares_names_trimmed_and_in_lower_case() {
    let text = r#"{
        "mcp": {"allowed": [" Kept", "Quiet"], "excluded": ["QUIET "]},
        "mcpServers": {"kept": {"command": "x"}, "quiet": {"command": "x"}, "other": {"command": "x"}}
    }"#;
    let project = Project::of(".gemini/settings.json", text);
    assert_eq!(project.used(), ["kept: x in PROJECT {}"]);
    assert_eq!(
        project.switched_off(),
        [
            "server 'quiet' is switched off: mcp.excluded",
            "server 'other' is switched off: mcp.allowed, which does not name it",
        ]
    );
}

#[test]
fn zed_enables_what_the_profile_lists_unless_it_enables_all() {
    let listed = r#""context_servers": {"a": {"tools": {"x": true, "y": false}}}"#;
    for (agent, switches) in [
        ("{}".to_owned(), &[][..]),
        (r#"{"default_profile": "write"}"#.to_owned(), &[]),
        (r#"{"default_profile": "ask"}"#.to_owned(), &["a: only "]),
        (r#"{"default_profile": "minimal"}"#.to_owned(), &["a: only "]),
        (r#"{"default_profile": "elsewhere"}"#.to_owned(), &["a: only "]),
        (r#"{"default_profile": 1}"#.to_owned(), &["a: only "]),
        (format!(r#"{{"profiles": {{"write": {{{listed}}}}}}}"#), &["a: not y"]),
        (
            format!(r#"{{"profiles": {{"write": {{"enable_all_context_servers": false, {listed}}}}}}}"#),
            &["a: only x not y"],
        ),
        (
            format!(r#"{{"profiles": {{"write": {{"enable_all_context_servers": "yes", {listed}}}}}}}"#),
            &["a: only x not y"],
        ),
        (
            format!(r#"{{"default_profile": "ask", "profiles": {{"ask": {{{listed}}}}}}}"#),
            &["a: only x not y"],
        ),
        (
            format!(
                r#"{{"default_profile": "own", "profiles": {{"own": {{"enable_all_context_servers": true, {listed}}}}}}}"#
            ),
            &["a: not y"],
        ),
    ] {
        let text = format!(r#"{{"context_servers": {{"a": {{"command": "x"}}}}, "agent": {agent}}}"#);
        assert_eq!(Project::of("zed/settings.json", &text).switches(), switches, "{agent}");
    }
}

#[test]
fn opencode_switches_tools_by_the_names_that_it_gives_them() {
    for (rules, tool, is_hidden) in [
        (r#""tools": {"my_files_delete": false}"#, "files.delete", true),
        (r#""tools": {"my_files_delete": false}"#, "files_delete", true),
        (r#""tools": {"my_files_delete": false}"#, "files.read", false),
        (r#""tools": {"my_*_delete": false}"#, "files/delete", true),
        (r#""tools": {"my_files_delete": true}"#, "files.delete", false),
        (r#""permission": {"my_files_*": "deny"}"#, "files.delete", true),
        (r#""permission": "deny""#, "anything", true),
        (r#""permission": "ask""#, "anything", false),
        (r#""permission": {"my_x": {"*": "deny"}}"#, "x", true),
        (r#""permission": {"my_x": {"*": "deny"}}"#, "y", false),
        (r#""permission": {"*": {"rm *": "deny", "*": "ask"}}"#, "x", false),
    ] {
        let text = format!(r#"{{"mcp": {{"my": {{"type": "local", "command": ["x"]}}}}, {rules}}}"#);
        let project = Project::of("opencode.json", &text);
        assert_eq!(project.used(), ["my: x in PROJECT {}"], "{rules}");
        let mut hidden = project.file().switches.iter().flat_map(|switches| &switches.hidden);
        assert_eq!(hidden.any(|pattern| pattern.matches(tool)), is_hidden, "{rules}: {tool}");
    }
}
