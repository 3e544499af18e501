//! `init` and `undo`, as a person runs them, with a home of their own.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::PathBuf,
    process::Command,
};

use kit::process::{Ended, Process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ODD, program};

/// A person's folders: a home, and a project in which commands run.
struct Person {
    root: TempDir,
}

impl Person {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "project"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn at_home(&self, mut command: Command) -> Command {
        command.current_dir(self.path("project")).env("HOME", self.path("home"));
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "MCP_DISCLOSURE_LAUNCHER"] {
            command.env_remove(name);
        }
        command
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Ended {
        Process::start(&mut self.at_home(program(arguments))).finish()
    }

    /// The backups and other files of ours, but for the lock.
    fn kept(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in ["home/.local/state/mcp-disclosure/init", "home/.config/mcp-disclosure/gathered"] {
            let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
            let paths = entries.map(|entry| entry.unwrap().path());
            files.extend(paths.filter(|path| !path.ends_with("lock")));
        }
        files
    }

    /// The command of an entry, as a host starts it.
    #[track_caller]
    fn entry(&self, file: &str, name: &str) -> Command {
        let file: Value = serde_json::from_str(&fs::read_to_string(self.path(file)).unwrap()).unwrap();
        let entry = &file["mcpServers"][name];
        let mut command = Command::new(entry["command"].as_str().unwrap());
        command.args(entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
        for (name, value) in entry["env"].as_object().into_iter().flatten() {
            command.env(name, value.as_str().unwrap());
        }
        self.at_home(command)
    }

    #[track_caller]
    fn started(&self, file: &str, name: &str) -> Process {
        let mut server = Process::start(&mut self.entry(file, name));
        server.initialize();
        server
    }
}

fn servers(servers: &Value) -> String {
    format!("{:#}\n", json!({"mcpServers": servers})).replace("ODD", ODD)
}

const FILE: &str = "home/.codeium/windsurf/mcp_config.json";

/// That of another host.
const OTHER: &str = "home/.config/Claude/claude_desktop_config.json";

#[test]
fn w1_a_host_starts_the_rewritten_entry_and_undo_gives_back_the_bytes() {
    for (each, entry) in [(&["--each"][..], "plain"), (&[], "mcp-disclosure")] {
        let person = Person::new();
        let text = servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"], "env": {"A": "1"}}}));
        let file = person.write(FILE, &text);
        let shown = person.run(&[&["init", "--strategy", "full", "--dry-run"], each].concat());
        let changed = if each.is_empty() { "+    \"mcp-disclosure\": " } else { "+      \"command\": " };
        assert!(shown.says(0, &[]).stdout.contains(changed), "{}", shown.stdout);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "--dry-run changes nothing");
        assert_eq!(person.kept(), Vec::<PathBuf>::new());

        let done = person.run(&[&["init", "--strategy", "full", "--yes"], each].concat());
        assert!(done.says(0, &[]).stdout.contains("Restart Windsurf to use it"), "{}", done.stdout);
        assert_eq!(person.kept().len(), 2 - each.len());
        #[cfg(unix)]
        for kept in person.kept() {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let after = fs::read_to_string(&file).unwrap();
        let again = person.run(&[&["init", "--strategy", "full", "--yes"], each].concat());
        assert!(again.says(0, &[]).stdout.contains("Nothing to do"), "{}", again.stdout);
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "twice is the same as once");

        let mut server = person.started(FILE, entry);
        assert_eq!(server.tool_names(), ["echo", "wait"]);
        assert_eq!(server.call("echo", json!({"text": "x"}))["error"], Value::Null);
        server.finish().says(0, &[]);

        person.run(&["undo", "--yes"]).says(0, &[]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(person.kept(), Vec::<PathBuf>::new(), "nothing is left behind");
        assert!(person.run(&["undo", "--yes"]).says(0, &[]).stdout.contains("Nothing to do"));
    }
}

#[test]
fn w1_tools_that_a_host_switches_off_stay_off() {
    let person = Person::new();
    person.write(
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
        server.finish().says(0, &[]);
    }
}

#[test]
fn w1_the_entry_that_is_written_without_a_strategy_can_be_started() {
    let person = Person::new();
    person.write(FILE, &servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"]}})));
    person.run(&["init", "--yes"]).says(0, &[]);
    let mut server = person.started(FILE, "mcp-disclosure");
    assert_eq!(server.tool_names(), ["echo", "wait"]);
    server.finish().says(0, &[]);
}

/// Servers that list tools, of which one is large enough for a saving.
#[test]
fn w1_what_is_saved_is_counted_and_what_saves_nothing_is_left() {
    let person = Person::new();
    let small = json!({"plain": {"command": "ODD", "args": ["ordinary"]}});
    person.write(FILE, &servers(&small));
    let idle = person.run(&["init", "--count", "--yes"]);
    let said = &idle.says(0, &[]).stdout;
    assert!(
        said.contains("is left as it is: 2 tools, ") && said.contains("nothing would be saved"),
        "{said}"
    );
    assert!(said.contains("Nothing to do."), "{said}");

    let large = json!({"plain": {"command": "ODD", "args": ["ordinary"]}, "large": {"command": "ODD", "args": ["many"]}});
    person.write(FILE, &servers(&large));
    let counted = person.run(&["init", "--count", "--yes"]);
    let said = &counted.says(0, &[]).stdout;
    let line =
        said.lines().find(|line| line.contains("its model reads ")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains(" now; 3 tools, "), "{line}");
    let mut server = person.started(FILE, "mcp-disclosure");
    assert_eq!(server.tool_names(), ["search_tools", "call_read_only_tool", "call_tool"]);
    server.finish().says(0, &[]);
}

#[test]
fn w1_hosts_that_defer_by_themselves_are_left_unless_they_are_named() {
    let person = Person::new();
    let text = servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"]}}));
    person.write("home/.claude.json", &text);
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
fn w1_a_projects_servers_go_beside_its_file_and_later_ones_behind_the_same_entry() {
    let person = Person::new();
    let file = person.write(
        "project/.roo/mcp.json",
        &servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"]}})),
    );
    let first = fs::read_to_string(&file).unwrap();
    person.run(&["init", "--yes"]).says(0, &[]);
    let written = fs::read_to_string(&file).unwrap();
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
    let entries: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(entries["mcpServers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["mcp-disclosure"]);
    let mut server = person.started("project/.roo/mcp.json", "mcp-disclosure");
    assert_eq!(server.tool_names().len(), 4, "both servers' tools");
    server.finish().says(0, &[]);

    // After an edit, both steps are turned back by what they changed.
    let edited = fs::read_to_string(&file).unwrap().replacen('{', "{\n  \"mine\": true,", 1);
    fs::write(&file, edited).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    let entries: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let expected: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(entries["mcpServers"]["plain"], expected["mcpServers"]["plain"]);
    assert_eq!(entries["mcpServers"]["new"]["command"], ODD);
    assert_eq!((&entries["mine"], entries["mcpServers"].as_object().unwrap().len()), (&json!(true), 2));
    assert!(!person.path("project/.roo/mcp-disclosure.json").exists());
}

#[test]
fn w1_claude_codes_permissions_follow_its_servers() {
    let person = Person::new();
    let servers = person.write("project/.mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
    let allowed = r#"{"permissions": {"allow": ["mcp__plain__echo"]}}"#;
    let settings = person.write("project/.claude/settings.json", allowed);
    let before = fs::read_to_string(&servers).unwrap();
    person.run(&["init", "--strategy", "resource", "--host", "claude-code", "--each", "--yes"]).says(0, &[]);
    let after = fs::read_to_string(&settings).unwrap();
    assert_eq!(after, allowed.replace("echo\"", "echo\", \"mcp__plain__describe_tools\""));
    assert_eq!(person.kept().len(), 2);
    person.run(&["undo", "--host", "claude-code", "--yes"]).says(0, &[]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), allowed);
    assert_eq!(fs::read_to_string(&servers).unwrap(), before);
    assert_eq!(person.kept(), Vec::<PathBuf>::new());
}

#[test]
fn w1_a_server_at_a_url_keeps_its_headers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let read = stream.read(&mut head).unwrap();
        stream
            .write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .unwrap();
        String::from_utf8_lossy(&head[..read]).into_owned()
    });
    let person = Person::new();
    let entry = json!({"type": "http", "url": url, "headers": {"X-Api-Key": "s3cret"}});
    let file = person.write(
        "project/.mcp.json",
        &servers(&json!({"far": entry, "other": {"url": "https://a.example/mcp"}})),
    );
    let before = fs::read_to_string(&file).unwrap();
    let done = person.run(&["init", "--strategy", "full", "--file", ".mcp.json", "--each", "--yes"]);
    let why = "'other' is left as it is: the host may have to sign in to it (OAuth)";
    assert!(done.says(0, &[]).stdout.contains(why), "{}", done.stdout);
    let mut server = Process::start(&mut person.entry("project/.mcp.json", "far"));
    server.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}));
    let head = heard.join().unwrap();
    assert!(head.contains("x-api-key: s3cret\r\n"), "{head}");
    assert!(!server.finish().stderr.contains("s3cret"));
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn p11_no_server_begins_a_line_of_what_would_change() {
    let person = Person::new();
    let name = "x\nNothing would change.\u{9b}\u{202e}\u{e0041}";
    let text = servers(&json!({name: {"odd": "entry"}, "y": {"command": "ODD"}}));
    person.write(FILE, &text);
    for command in
        [&["init", "--dry-run"][..], &["init", "--yes"], &["undo", "--dry-run"], &["undo", "--yes"]]
    {
        let ended = person.run(command);
        for line in format!("{}{}", ended.stdout, ended.stderr).split('\n') {
            assert!(!line.contains(mcp_disclosure_core::printable::is_active), "{command:?}: {line:?}");
            assert!(!line.starts_with("Nothing would change"), "{command:?}: {line:?}");
        }
    }
}

#[test]
fn w1_without_a_terminal_nothing_is_written_without_yes() {
    let person = Person::new();
    let text = servers(&json!({"plain": {"command": "ODD"}}));
    let file = person.write("project/.vscode/mcp.json", &text.replace("mcpServers", "servers"));
    let before = fs::read_to_string(&file).unwrap();
    let asked = person.run(&["init", "--strategy", "full", "--host", "vscode"]);
    asked.says(2, &["there is no terminal to ask on (hint: --yes writes it, --dry-run only shows it)"]);
    assert!(asked.stdout.contains("VS Code: ") && asked.stdout.contains("+++ "), "{}", asked.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let named = person.run(&["init", "--file", ".vscode/mcp.json", "--strategy", "full", "--yes"]);
    assert!(named.says(0, &[]).stdout.contains("Restart the host"), "{}", named.stdout);
    assert_eq!(person.run(&["undo", "--dry-run"]).code, Some(0));
    person.run(&["undo", "--host", "vscode", "--yes"]).says(0, &[]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn w1_what_cannot_be_done_is_said_and_nothing_is_written() {
    let person = Person::new();
    person
        .run(&["init"])
        .says(64, &["no file of a host is found (hint: name one with --file", ".cursor/mcp.json"]);
    person
        .run(&["init", "--host", "curser"])
        .says(2, &["unknown host 'curser' (hint: hosts are claude-desktop, "]);
    person.run(&["init", "--strategy", "inf"]).says(2, &["inf", "hint: "]);
    let good = person.write(FILE, &servers(&json!({"plain": {"command": "ODD"}})));
    let before = fs::read_to_string(&good).unwrap();
    person.write("home/.gemini/settings.json", "{");
    let bad = person.path("home/.gemini/settings.json");
    // A file that was named must be usable.
    let named = person.run(&[
        "init",
        "--strategy",
        "full",
        "--yes",
        "--file",
        bad.to_str().unwrap(),
        "--host",
        "windsurf",
    ]);
    named.says(64, &["settings.json:1:1: unterminated object"]);
    assert_eq!(fs::read_to_string(&good).unwrap(), before);
    // One that was found is left, and said.
    let found = person.run(&["init", "--strategy", "full", "--each", "--yes"]);
    assert!(found.says(0, &[]).stdout.contains("is left as it is: "), "{}", found.stdout);
    assert_ne!(fs::read_to_string(&good).unwrap(), before);
    // After the backup is gone, the entry says what it was.
    for kept in person.kept() {
        fs::remove_file(kept).unwrap();
    }
    person.run(&["undo", "--host", "windsurf", "--yes"]).says(0, &[]);
    let turned: Value = serde_json::from_str(&fs::read_to_string(&good).unwrap()).unwrap();
    assert_eq!(turned["mcpServers"]["plain"]["command"], ODD);

    let mut homeless = person.at_home(program(&["init", "--strategy", "full", "--yes"]));
    homeless.env("HOME", "");
    let ended = Process::start(&mut homeless).finish();
    assert_ne!(ended.code, Some(0), "{}", ended.stdout);
}

#[cfg(unix)]
#[test]
fn w1_on_a_terminal_only_a_yes_is_one() {
    let person = Person::new();
    let file = person.write(FILE, &servers(&json!({"plain": {"command": "ODD"}})));
    let before = fs::read_to_string(&file).unwrap();
    for (answer, is_written) in [("\n", false), ("n\n", false), ("y\n", true)] {
        let (mut ours, theirs) = super::terminal::terminal();
        ours.write_all(answer.as_bytes()).unwrap();
        let mut command = person.at_home(program(&["init", "--strategy", "full", "--no-count"]));
        let asked = Process::start_with(&mut command, theirs.into()).finish();
        assert!(asked.says(0, &[]).stdout.contains("Write this? [y/N]"), "{}", asked.stdout);
        assert_eq!(fs::read_to_string(&file).unwrap() != before, is_written, "{answer:?}");
        assert_eq!(asked.stdout.contains("Nothing was changed."), !is_written);
    }
}

#[cfg(unix)]
#[test]
fn w1_a_file_that_two_hosts_share_is_edited_once() {
    let person = Person::new();
    let real = person.write("dotfiles/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
    let before = fs::read_to_string(&real).unwrap();
    for link in [FILE, OTHER] {
        let link = person.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&real, link).unwrap();
    }
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    assert_eq!(fs::read_to_string(&real).unwrap().matches("\"serve\"").count(), 1);
    assert!(fs::symlink_metadata(person.path(FILE)).unwrap().is_symlink());
    assert_eq!(person.kept().len(), 2);
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!(fs::read_to_string(&real).unwrap(), before);
}

#[test]
fn w1_a_record_whose_file_is_gone_is_forgotten_and_a_damaged_one_stops_only_itself() {
    let person = Person::new();
    let entry = json!({"plain": {"command": "ODD", "args": ["ordinary"]}});
    let gone = person.write(FILE, &servers(&entry));
    let other = person.write(OTHER, &servers(&entry));
    let before = fs::read_to_string(&other).unwrap();
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    fs::remove_file(&gone).unwrap();
    let record = person.write("home/.local/state/mcp-disclosure/init/damaged.json", "{");
    person.run(&["undo"]).says(2, &["there is no terminal to ask on"]);
    assert_eq!(person.kept().len(), 5);

    let undone = person.run(&["undo", "--yes"]);
    let shown = &undone.says(0, &[]).stdout;
    for part in ["mcp_config.json\n  is gone", "forgotten", "gathered", "damaged.json: EOF", "Written."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), before);
    assert_eq!(person.kept(), std::slice::from_ref(&record), "only what is damaged is left");
    person.run(&["undo", "--yes"]).says(64, &["damaged.json", "remove this record"]);
    fs::remove_file(record).unwrap();

    // Alone, and by its name.
    for arguments in [&["undo", "--yes"][..], &["undo", "--yes", "--file", FILE_FROM_PROJECT]] {
        person.write(FILE, &servers(&entry));
        person.run(&["init", "--strategy", "full", "--host", "windsurf", "--yes"]).says(0, &[]);
        fs::remove_file(&gone).unwrap();
        let undone = person.run(arguments);
        assert!(undone.says(0, &[]).stdout.contains("Forgotten."), "{}", undone.stdout);
        assert_eq!(person.kept(), Vec::<PathBuf>::new());
    }
}

#[test]
fn w1_what_was_edited_of_a_file_that_is_gone_is_kept() {
    let person = Person::new();
    let gone = person.write(FILE, &servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"]}})));
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    let gathered =
        person.kept().into_iter().find(|file| file.to_string_lossy().contains("gathered")).unwrap();
    let edited = fs::read_to_string(&gathered).unwrap().replace("ordinary", "edited");
    fs::write(&gathered, &edited).unwrap();
    fs::remove_file(&gone).unwrap();

    let undone = person.run(&["undo", "--yes"]);
    assert!(undone.says(0, &[]).stdout.contains("is kept: servers"), "{}", undone.stdout);
    assert_eq!(fs::read_to_string(&gathered).unwrap(), edited);
    assert_eq!(person.kept(), [gathered]);
}

const FILE_FROM_PROJECT: &str = "../home/.codeium/windsurf/mcp_config.json";

#[test]
fn w1_what_a_host_denies_cannot_be_called_and_what_it_asks_about_is_left() {
    let person = Person::new();
    let names =
        ["denied", "asked"].map(|name| (name.to_owned(), json!({"command": "ODD", "args": ["ordinary"]})));
    person.write("project/.mcp.json", &servers(&names.into_iter().collect()));
    let rules = json!({"permissions": {"deny": ["mcp__denied__wait"], "ask": ["mcp__asked__wait"]}});
    person.write("home/.claude/settings.json", &rules.to_string());
    let done = person.run(&["init", "--strategy", "full", "--host", "claude-code", "--yes"]);
    let shown = &done.says(0, &[]).stdout;
    assert!(shown.contains("'asked' is left as it is: the host asks before calls of 'wait'"), "{shown}");
    assert!(shown.contains("'denied' keeps its entry: "), "{shown}");
    let mut server = person.started("project/.mcp.json", "denied");
    assert_eq!(server.tool_names(), ["echo"]);
    server.finish().says(0, &[]);
}

#[test]
fn w1_what_is_in_front_with_other_options_is_said_with_the_command() {
    for (first, second, is_other) in [
        (&["--strategy", "full"][..], &["--strategy", "info"][..], true),
        (&["--each"], &[], true),
        (&[], &["--strategy", "info"], true),
        (&["--strategy", "full"], &["--strategy", "full"], false),
        (&["--strategy", "full"], &[], false),
        (&["--each"], &["--each"], false),
    ] {
        let person = Person::new();
        person.write("project/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
        let run = |flags: &[&str]| person.run(&[&["init", "--file", "mcp.json", "--yes"], flags].concat());
        run(first).says(0, &[]);
        let again = run(second);
        let said = &again.says(0, &[]).stdout;
        let command =
            format!("run `mcp-disclosure undo --file '{}'` first", person.path("project/mcp.json").display());
        assert_eq!(said.contains(&command), is_other, "{first:?} {second:?}: {said}");
    }
}

#[test]
fn w1_undo_forgets_what_a_person_turned_back_and_keeps_what_is_still_needed() {
    let person = Person::new();
    let text = servers(&json!({"plain": {"command": "ODD"}}));
    let file = person.write("project/mcp.json", &text);
    let init = || {
        person.run(&["init", "--file", "mcp.json", "--yes"]).says(0, &[]);
    };
    init();
    fs::write(&file, "{\"mcpServers\": {}}\n").unwrap();
    let forgotten = person.run(&["undo", "--yes"]);
    let said = &forgotten.says(0, &[]).stdout;
    assert!(said.contains("is kept: the servers behind") && said.contains("Forgotten."), "{said}");
    assert!(!said.contains("Written"), "{said}");
    assert_eq!(person.kept().len(), 1, "the servers");
    assert!(person.run(&["undo", "--yes"]).says(0, &[]).stdout.contains("Nothing to do"));

    fs::remove_file(&person.kept()[0]).unwrap();
    fs::write(&file, &text).unwrap();
    init();
    fs::write(&file, format!("{text}\n")).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), fs::read_to_string(&file).unwrap()), (vec![], format!("{text}\n")));

    // What was edited in the file of ours comes back.
    fs::write(&file, &text).unwrap();
    init();
    let gathered =
        person.kept().into_iter().find(|path| path.parent().unwrap().ends_with("gathered")).unwrap();
    let moved = fs::read_to_string(&gathered).unwrap();
    fs::write(&gathered, moved.replace(ODD, "edited")).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!((person.kept(), fs::read_to_string(&file).unwrap()), (vec![], text.replace(ODD, "edited")));
}

#[test]
fn w1_where_there_is_nothing_to_undo_that_is_said() {
    let person = Person::new();
    person.write("project/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
    for arguments in [&["undo"][..], &["undo", "--host", "cursor"], &["undo", "--file", "mcp.json"]] {
        assert!(person.run(arguments).says(0, &[]).stdout.contains("Nothing to do: "), "{arguments:?}");
    }
    person.run(&["undo", "--file", "absent.json"]).says(64, &["absent.json"]);
}

#[test]
fn w1_copies_that_a_killed_run_left_are_removed_by_the_next_one() {
    for command in ["init", "undo"] {
        let person = Person::new();
        let file = person.write("project/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
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

#[cfg(unix)]
#[test]
fn w1_a_program_that_was_found_by_a_link_is_written_by_the_link() {
    let person = Person::new();
    person.write("project/mcp.json", &servers(&json!({"plain": {"command": "ODD"}})));
    fs::create_dir(person.path("bin")).unwrap();
    let real = program(&[]).get_program().to_owned();
    let name = PathBuf::from(&real).file_name().unwrap().to_str().unwrap().to_owned();
    let link = person.path("bin").join(&name);
    std::os::unix::fs::symlink(&real, &link).unwrap();
    // The person's folders are temporary, and are not to be seen as such.
    for (temporary, is_kept) in [("elsewhere", true), ("bin", false)] {
        let mut linked = Command::new("sh");
        linked.args(["-c", &format!("exec {name} init --file mcp.json --dry-run")]);
        let mut linked = person.at_home(linked);
        linked.env("PATH", format!("{}:/usr/bin:/bin", person.path("bin").display()));
        let shown = Process::start(linked.env("TMPDIR", person.path(temporary))).finish();
        let said = &shown.says(0, &[]).stdout;
        assert_eq!(said.contains(&format!("\"{}\"", link.display())), is_kept, "{said}");
    }
}

#[test]
fn w1_two_files_of_a_folder_gather_into_files_of_their_own() {
    let person = Person::new();
    let entry = |name: &str| {
        format!(r#"{{"mcp": {{"{name}": {{"type": "local", "command": [{ODD:?}, "ordinary"]}}}}}}"#)
    };
    let one = person.write("project/opencode.json", &entry("alpha"));
    let two = person.write("project/opencode.jsonc", &entry("beta"));
    let before = [&one, &two].map(|file| fs::read_to_string(file).unwrap());
    person.run(&["init", "--host", "opencode", "--yes"]).says(0, &[]);
    let gathered = ["mcp-disclosure-opencode.json", "mcp-disclosure-opencode-jsonc.json"];
    let gathered = gathered.map(|name| fs::read_to_string(person.path("project").join(name)).unwrap());
    assert!(gathered[0].contains("alpha") && gathered[1].contains("beta"), "{gathered:?}");
    for kept in person.kept() {
        fs::remove_file(kept).unwrap();
    }
    person.run(&["undo", "--host", "opencode", "--yes"]).says(0, &[]);
    let after =
        [&one, &two].map(|file| serde_json::from_str::<Value>(&fs::read_to_string(file).unwrap()).unwrap());
    assert_eq!(after, before.map(|text| serde_json::from_str::<Value>(&text).unwrap()));
}

#[test]
fn w1_a_server_that_is_added_again_keeps_its_entry_and_undo_keeps_what_was_edited() {
    let person = Person::new();
    let plain = json!({"command": "ODD", "args": ["ordinary"]});
    let file = person.write(FILE, &servers(&json!({"s1": plain, "s2": plain})));
    person.run(&["init", "--yes"]).says(0, &[]);
    let gathered =
        person.kept().into_iter().find(|file| file.to_string_lossy().contains("gathered")).unwrap();
    let edited = fs::read_to_string(&gathered).unwrap().replacen("ordinary", "edited", 1);
    fs::write(&gathered, &edited).unwrap();
    let mut now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    now["mcpServers"]["s1"] = json!({"command": ODD, "args": ["twice"]});
    fs::write(&file, now.to_string()).unwrap();
    let again = person.run(&["init", "--yes"]);
    let said = &again.says(0, &[]).stdout;
    assert!(
        said.contains("'s1' keeps its entry: a server of this name is behind our entry already"),
        "{said}"
    );
    assert!(
        !person.kept().iter().any(|file| file.to_string_lossy().ends_with("-1.json")),
        "{:?}",
        person.kept()
    );
    let undone = person.run(&["undo", "--yes"]);
    assert!(
        undone.says(0, &[]).stdout.contains("is kept: 's1' is in the host's file again"),
        "{}",
        undone.stdout
    );
    assert_eq!(fs::read_to_string(&gathered).unwrap(), edited);
}

#[test]
fn w1_what_gathering_would_lose_stays_where_it_is() {
    let person = Person::new();
    let commented =
        "{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n// \"old\": {}\n\"b\": {\"command\": \"y\"}}}\n";
    person.write(FILE, commented);
    let named = servers(&json!({"with space": {"command": "x"}, "plain": {"command": "y"}}));
    person.write(OTHER, &named);
    let shown = person.run(&["init", "--dry-run"]);
    let said = &shown.says(0, &[]).stdout;
    for why in [
        "'a' keeps its entry: comments stand between the servers",
        "'with space' keeps its entry: its name cannot be part of the names of tools",
        "gathered/",
    ] {
        assert!(said.contains(why), "{why}: {said}");
    }
    let yaml = "mcpServers:\n  - name: b\n    command: &c y\n  - name: d\n    command: *c\n";
    person.write("home/.continue/config.yaml", yaml);
    let shown = person.run(&["init", "--dry-run", "--host", "continue"]);
    assert!(
        shown
            .says(0, &[])
            .stdout
            .contains("'b' is left as it is: other parts of the file stand for parts of it"),
        "{}",
        shown.stdout
    );
}

#[test]
fn w1_an_entry_that_was_renamed_or_is_not_needed_any_more_is_taken_out() {
    let person = Person::new();
    let plain = json!({"command": "ODD", "args": ["ordinary"]});
    let text = servers(&json!({"s1": plain}));
    let file = person.write(FILE, &text);
    let parsed = || serde_json::from_str::<Value>(&fs::read_to_string(&file).unwrap()).unwrap();
    person.run(&["init", "--yes"]).says(0, &[]);
    let renamed = fs::read_to_string(&file).unwrap().replace("\"mcp-disclosure\":", "\"tools\":");
    fs::write(&file, renamed).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!(parsed(), serde_json::from_str::<Value>(&text).unwrap());

    person.run(&["init", "--yes"]).says(0, &[]);
    let mut now = parsed();
    now["mcpServers"]["s1"] = json!({"command": ODD, "args": ["twice"]});
    fs::write(&file, now.to_string()).unwrap();
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!(parsed()["mcpServers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["s1"]);
}
