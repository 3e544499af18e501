//! The entry that is written, as a host starts it.

use std::{fs, path::PathBuf, process::Command};

use kit::{
    messages::hello,
    process::{Process, until},
};
use serde_json::{Value, json};

use super::{FILE, OTHER, Person, plain, servers, text};
use crate::command_line::{program, unauthorizing};

#[test]
fn w1_a_host_starts_the_rewritten_entry_and_undo_gives_back_the_bytes() {
    for (each, entry) in [(&["--each"][..], "plain"), (&[], "mcp-disclosure")] {
        let before = servers(&json!({"plain": {"command": "ODD", "args": ["ordinary"], "env": {"A": "1"}}}));
        let (person, file) = Person::having(FILE, &before);
        let init = |flag| person.run(&[&["init", "--strategy", "full", flag], each].concat());
        let changed = if each.is_empty() { "+    \"mcp-disclosure\": " } else { "+      \"command\": " };
        init("--dry-run").prints(0, &[changed]);
        assert_eq!(text(&file), before, "--dry-run changes nothing");
        assert_eq!(person.kept(), Vec::<PathBuf>::new());

        init("--yes").prints(0, &["Restart Windsurf to use it"]);
        assert_eq!(person.kept().len(), 2 - each.len());
        #[cfg(unix)]
        for kept in person.kept() {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let after = text(&file);
        init("--yes").prints(0, &["undo --file '", "Nothing to do"]);
        assert_eq!(text(&file), after, "twice is the same as once");

        let mut server = person.started(FILE, entry);
        assert_eq!(server.tool_names(), ["echo", "wait"]);
        assert_eq!(server.call("echo", json!({"text": "x"}))["error"], Value::Null);
        server.finish().says(0, &[]);

        person.run(&["undo", "--yes"]).prints(0, &["Written. Restart Windsurf."]);
        assert_eq!(text(&file), before);
        assert_eq!(person.kept(), Vec::<PathBuf>::new(), "nothing is left behind");
        assert!(!person.path("home/.config/mcp-disclosure").exists(), "nor a folder of ours");
        person.run(&["undo", "--yes"]).prints(0, &["Nothing to do"]);
    }
}

#[test]
fn w1_a_server_at_a_url_keeps_its_headers() {
    let unauthorizing = unauthorizing();
    let entry = json!({"type": "http", "url": unauthorizing.url(), "headers": {"X-Api-Key": "s3cret"}});
    let before = servers(&json!({"far": entry, "other": {"url": "https://a.example/mcp"}}));
    let (person, file) = Person::having("project/.mcp.json", &before);
    person
        .run(&["init", "--strategy", "full", "--file", ".mcp.json", "--each", "--yes"])
        .prints(0, &["'other' is left as it is: the host may have to sign in to it (OAuth)"]);
    let mut server = Process::start(&mut person.entry("project/.mcp.json", "far"));
    server.line(hello(json!({})).to_string());
    assert!(until(|| !unauthorizing.received().is_empty()));
    assert_eq!(unauthorizing.received()[0].header("x-api-key"), Some("s3cret"));
    server.finish().omits(&["s3cret"]);
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!(text(&file), before);
}

#[cfg(unix)]
#[test]
fn w1_a_program_that_was_found_by_a_link_is_written_by_the_link() {
    let (person, _file) = Person::having("project/mcp.json", &plain());
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
    let (person, real) = Person::having("dotfiles/mcp.json", &plain());
    for link in [FILE, OTHER] {
        let link = person.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&real, link).unwrap();
    }
    person.run(&["init", "--strategy", "full", "--yes"]).says(0, &[]);
    assert_eq!(text(&real).matches("\"serve\"").count(), 1);
    assert!(fs::symlink_metadata(person.path(FILE)).unwrap().is_symlink());
    assert_eq!(person.kept().len(), 2);
    person.run(&["undo", "--yes"]).says(0, &[]);
    assert_eq!(text(&real), plain());
}

#[test]
fn p11_no_server_begins_a_line_of_what_would_change() {
    let name = "x\nNothing would change.\u{9b}\u{202e}\u{e0041}";
    let both = json!({name: {"odd": "entry"}, "y": {"command": "ODD"}});
    let (person, _file) = Person::having(FILE, &servers(&both));
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
