//! What upstreams of files listed last time is served while they start (U17).

use std::{fs, path::PathBuf};

use kit::{
    Session,
    process::{CACHE, Process, until},
};
use serde_json::json;
use tempfile::TempDir;

use crate::{UPSTREAM, skills};

use super::{CHANGED, GATED, ODD, configured, program, remembered, scripted, shown, text};

/// A configuration of one upstream, which starts once `gate` is there, in the mode that the file `mode` has, and the
/// cache folder of the runs.
struct Scene {
    directory: TempDir,
    config: PathBuf,
}

impl Scene {
    fn new() -> Self {
        Self::of(&format!("{GATED} $(cat FOLDER/mode)"))
    }

    fn of(script: &str) -> Self {
        let (directory, config) = configured(&scripted("odd", script));
        let scene = Self { directory, config };
        scene.write("mode", "ordinary");
        scene.write("gate", "");
        scene
    }

    fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).unwrap();
    }

    fn start(&self, flags: &[&str]) -> Process {
        let strategy = if flags.contains(&"--strategy") { &[][..] } else { &["--strategy", "full"] };
        let flags = [&["serve", "--config", shown(&self.config)], strategy, flags].concat();
        Process::start(program(&flags).env(CACHE, self.path("cache")))
    }

    /// A run with a session.
    fn opened(&self, flags: &[&str]) -> Process {
        let mut gateway = self.start(flags);
        gateway.initialize();
        gateway
    }

    /// A run that is remembered; from now on the upstream waits for `gate`.
    fn is_remembered(&self) {
        let mut gateway = self.opened(&[]);
        assert_eq!(gateway.tool_names(), ["echo", "wait"]);
        assert!(until(|| !remembered(&self.path("cache")).is_empty()), "nothing is kept");
        gateway.finish().says(0, &[]);
        fs::remove_file(self.path("gate")).unwrap();
    }
}

#[test]
fn u17_remembered_lists_are_served_while_the_upstream_starts_and_calls_wait() {
    let scene = Scene::new();
    scene.is_remembered();
    let mut gateway = scene.opened(&[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"], "from the last run");
    // On a busy machine, what is remembered may itself be news after the handshake.
    let news = gateway.count(CHANGED);
    let call = gateway.ask("tools/call", json!({"name": "echo", "arguments": {"text": "here"}}));
    gateway.request("ping", json!({}));
    scene.write("gate", "");
    assert_eq!(text(&gateway.answer(call)), "here");
    // The same lists are no news.
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    let ended = gateway.finish();
    assert_eq!(ended.says(0, &["upstream ready"]).count(CHANGED), news, "{}", ended.stdout);
}

#[test]
fn u17_what_differs_from_last_time_is_announced_and_remembered_and_calls_are_decided_by_it() {
    let scene = Scene::new();
    scene.is_remembered();
    scene.write("mode", "pages");
    let mut gateway = scene.opened(&[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    let call = gateway.ask("tools/call", json!({"name": "echo", "arguments": {}}));
    gateway.request("ping", json!({}));
    scene.write("gate", "");
    assert_eq!(gateway.answer(call)["error"]["message"], "Unknown tool: echo");
    gateway.notified(CHANGED, 1);
    gateway.lists(&["first", "second", "third"]);
    let kept = remembered(&scene.path("cache"));
    assert!(until(|| fs::read_to_string(&kept[0]).unwrap_or_default().contains("third")));
    gateway.finish().says(0, &[]);
}

#[test]
fn u17_arguments_are_not_checked_against_a_schema_of_the_last_run() {
    let scene = Scene::new();
    scene.is_remembered();
    scene.write("mode", "pages");
    let mut gateway = scene.opened(&["--strategy", "search"]);
    let wrong = json!({"text": {}});
    let direct = gateway.ask("tools/call", json!({"name": "echo", "arguments": wrong}));
    let arguments = json!({"tool": "echo", "arguments": wrong});
    let inner = gateway.ask("tools/call", json!({"name": "call_tool", "arguments": arguments}));
    gateway.request("ping", json!({}));
    scene.write("gate", "");
    assert_eq!(gateway.answer(direct)["error"]["message"], "Unknown tool: echo");
    assert!(text(&gateway.answer(inner)).contains("Unknown tool: echo"));
    gateway.finish().says(0, &[]);
}

#[test]
fn t4_skills_are_not_remembered_but_waited_for() {
    let scene = Scene::of(&(GATED.replace("ODD", UPSTREAM) + " FOLDER/late"));
    skills::scenario("late").write(&scene.path("late"));
    let mut gateway = scene.opened(&[]);
    gateway.request("skills/list", json!({}));
    assert!(until(|| !remembered(&scene.path("cache")).is_empty()), "nothing is kept");
    gateway.finish().says(0, &[]);
    fs::remove_file(scene.path("gate")).unwrap();
    let mut gateway = scene.opened(&[]);
    gateway.request("resources/list", json!({}));
    let list = gateway.ask("skills/list", json!({}));
    gateway.request("ping", json!({}));
    scene.write("gate", "");
    let listed = gateway.answer(list);
    assert_eq!(listed["result"]["skills"][0]["uri"], skills::SHARED, "{listed}");
}

#[test]
fn u17_nothing_is_read_or_kept_when_that_is_switched_off() {
    let scene = Scene::new();
    let mut gateway = scene.opened(&["--remember", "off"]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    gateway.finish().says(0, &[]);
    assert!(!scene.path("cache").exists());
    scene.is_remembered();
    let mut gateway = scene.opened(&["--remember", "off", "--wait-for-upstreams", "1"]);
    assert_eq!(gateway.tool_names(), Vec::<String>::new());
    gateway.finish().says(0, &[]);
}

#[test]
fn u17_what_is_listed_for_one_client_is_not_kept() {
    let of_entry = "scope = \"session\"\n";
    for (flags, lines) in [(&["--upstream-scope", "session"][..], ""), (&[], of_entry)] {
        let scene = Scene::new();
        let text = fs::read_to_string(&scene.config).unwrap();
        fs::write(&scene.config, text + lines).unwrap();
        let http = ["--transport", "http", "--listen", "127.0.0.1:0"];
        let gateway = scene.start(&[&http, flags].concat());
        let list = Session::open(gateway.address()).request("tools/list", json!({}));
        assert_eq!(list["result"]["tools"][0]["name"], "echo", "{list}");
        gateway.terminate();
        gateway.ended().says(0, &[]);
        assert_eq!(remembered(&scene.path("cache")), Vec::<PathBuf>::new(), "{flags:?} {lines}");
    }
}

#[test]
fn u17_the_upstream_of_a_command_line_is_not_remembered() {
    let scene = Scene::new();
    let mut gateway =
        Process::start(program(&["serve", "--", ODD, "ordinary"]).env(CACHE, scene.path("cache")));
    gateway.initialize();
    gateway.tool_names();
    gateway.finish().says(0, &[]);
    assert_eq!(remembered(&scene.path("cache")), Vec::<PathBuf>::new());
}
