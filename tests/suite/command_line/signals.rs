//! Ends that are not asked for politely: SIGKILL, SIGHUP, a host that does not read any more (P14). Nothing that the
//! program started is left behind.

use std::{
    fs,
    io::{BufRead, Write},
    process::{Command, Stdio},
};

use kit::{
    Apart, Session,
    messages::{hello, request},
    process::{Process, Signal, id_in, is_gone, until},
};
use serde_json::{Value, json};

use super::{ODD, configured, opened, over_http, program, scratch, shown, start};

/// Waits until all of these are gone.
#[track_caller]
fn all_gone(ids: &[&str]) {
    assert!(until(|| ids.iter().all(|id| is_gone(id))), "left behind: {ids:?}");
}

/// As with `npx`: a launcher, whose own child is the server. Neither listens to anything but SIGKILL.
#[test]
fn p14_sigkill_takes_along_what_a_launcher_launched() {
    let directory = tempfile::tempdir().unwrap();
    let (server, launcher) = (directory.path().join("server"), directory.path().join("launcher"));
    let script = r#"trap '' TERM HUP; echo $$ > "$4"; exec 3<&0; "$1" "$2" "$3" <&3 & while :; do wait; sleep 60; done"#;
    let launched = ["sh", "-c", script, "sh", ODD, "stubborn", shown(&server), shown(&launcher)];
    let mut gateway = opened(&[&["serve", "--strategy", "full", "--"], &launched[..]].concat());
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    let (server, launcher) = (id_in(&server, ""), id_in(&launcher, ""));
    gateway.signal(Signal::KILL);
    all_gone(&[&server, &launcher]);
}

#[test]
fn p14_a_guard_that_was_ended_is_replaced() {
    let (_directory, file) = scratch("id");
    let gateway = over_http(&["--upstream-scope", "session", "--", ODD, "stubborn", shown(&file)]);
    let address = gateway.address();
    let first = id_in(&file, "");
    let guard = guard_beside(&first);
    Command::new("kill").args(["-9", &guard]).status().unwrap();
    all_gone(&[&guard]);
    // One more child, of which the new guard learns, as of the first.
    Session::open(address);
    let second = id_in(&file, &first);
    gateway.signal(Signal::KILL);
    all_gone(&[&first, &second]);
}

/// The guard among the children of this process's parent.
fn guard_beside(child: &str) -> String {
    let parent = |id: &str| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().nth(1).map(str::to_owned)
    };
    let ours = parent(child.trim());
    let processes =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let guard = processes.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).find(|id| {
        let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        command.contains("__guard") && parent(id) == ours
    });
    guard.expect("a guard")
}

#[test]
fn p14_a_hang_up_ends_the_program_like_sigterm_where_there_is_no_configuration() {
    let (_directory, file) = scratch("id");
    let serve =
        [env!("CARGO_BIN_EXE_gateway"), "serve", "--strategy", "full", "--", ODD, "ordinary", shown(&file)];
    // Whoever runs the tests may ignore the signal, as under nohup, and what they start would inherit that.
    let mut gateway = Process::start(Command::new("env").arg("--default-signal=HUP").args(serve));
    gateway.initialize();
    let child = id_in(&file, "");
    gateway.signal(Signal::HUP);
    gateway.logged("shutting down");
    gateway.ended().says(0, &[]);
    all_gone(&[&child]);
}

#[test]
fn p14_a_hang_up_does_not_end_what_serves_with_a_configuration() {
    let (_directory, config) = configured("");
    for flags in [&[][..], &["--transport", "http", "--listen", "127.0.0.1:0"]] {
        let flags = [&["serve", "--config", shown(&config)], flags, &["--", ODD, "ordinary"]].concat();
        let mut gateway = start(&flags);
        gateway.logged("starting");
        gateway.signal(Signal::HUP);
        match flags.contains(&"http") {
            true => drop(Session::open(gateway.address())),
            false => drop(gateway.initialize()),
        }
        assert!(gateway.is_running());
    }
}

#[test]
fn p14_a_hang_up_does_not_end_what_was_started_to_ignore_it() {
    let mut command = Command::new("sh");
    let serve = [env!("CARGO_BIN_EXE_gateway"), "serve", "--strategy", "full", "--", ODD, "ordinary"];
    let mut gateway = Process::start(command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).args(serve));
    gateway.logged("starting");
    gateway.signal(Signal::HUP);
    gateway.initialize();
    assert_eq!(gateway.tools().len(), 2);
}

/// Serves the odd upstream to a host that reads one line and then closes stdout; stdin stays open.
fn deserted(then: &[Value]) {
    let (_directory, file) = scratch("id");
    let mut command = program(&["serve", "--strategy", "full", "--", ODD, "ordinary", shown(&file)]);
    let (mut child, mut input, mut output) = Apart::start(&mut command, Stdio::null());
    writeln!(input, "{}", hello(json!({}))).unwrap();
    output.read_line(&mut String::new()).unwrap();
    for message in then {
        writeln!(input, "{message}").unwrap();
    }
    drop(output);
    assert_eq!(child.ended(), Some(0));
    all_gone(&[&id_in(&file, "")]);
    drop(input);
}

#[test]
fn a_host_that_closes_stdout_and_keeps_stdin_open_ends_the_program() {
    deserted(&[]);
    deserted(&[request(2, "tools/list", json!({}))]);
    // A call that would run for ever.
    let call = json!({"name": "wait", "arguments": {"file": "/nowhere/awaited"}});
    deserted(&[request(2, "tools/call", call)]);
}
