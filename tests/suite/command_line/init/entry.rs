//! The entry that is written, as a host starts it.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::PathBuf,
    process::Command,
};

use kit::process::Process;
use serde_json::{Value, json};

use super::{FILE, OTHER, Person, servers};
use crate::command_line::program;

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

        let undone = person.run(&["undo", "--yes"]);
        assert!(undone.says(0, &[]).stdout.contains("Written. Restart Windsurf."), "{}", undone.stdout);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(person.kept(), Vec::<PathBuf>::new(), "nothing is left behind");
        assert!(!person.path("home/.config/mcp-disclosure").exists(), "nor a folder of ours");
        assert!(person.run(&["undo", "--yes"]).says(0, &[]).stdout.contains("Nothing to do"));
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
