//! Files of a source are read once at the start, and everything that they say comes from that reading (U13).

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
};

use kit::{
    exchange::get,
    messages::hello,
    process::{Process, until},
};
use serde_json::json;

use super::{ODD, configured, named_pipe, over_http, program, run, scratch, serve, served, shown, start};

const AUTH: &str = "[auth]\ntokens = [{ name = \"ci\", env = \"TOKEN_OF_CI\" }]\n";
const OVER_HTTP: [&str; 5] = ["serve", "--transport", "http", "--listen", "127.0.0.1:0"];

/// A pipe that can be read once.
fn pipe(directory: &Path, name: &str, text: String) -> PathBuf {
    let path = named_pipe(directory, name);
    let written = path.clone();
    thread::spawn(move || fs::write(written, text));
    path
}

fn hosts() -> String {
    json!({"mcpServers": {"of-host": {"command": ODD, "args": ["ordinary"]}}}).to_string()
}

/// The program with a token in its environment.
fn with_token(arguments: &[&str]) -> Process {
    let mut command = program(arguments);
    command.env("TOKEN_OF_CI", "0123456789abcdef0123456789abcdef");
    Process::start(&mut command)
}

/// The statuses of a request without a token, and of one with it.
#[track_caller]
fn statuses(gateway: &Process) -> [u16; 2] {
    let address = gateway.address();
    let host = format!("Host: {address}\r\nAccept: application/json\r\n");
    let known = format!("{host}Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n");
    [host, known].map(|headers| get(address, "/mcp", &headers).status)
}

#[test]
fn u13_what_pipes_say_is_enforced_and_each_is_read_once() {
    let directory = tempfile::tempdir().unwrap();
    let config = pipe(directory.path(), "config", format!("{AUTH}[upstreams.x]\ncommand = {ODD:?}\n"));
    let hosts = pipe(directory.path(), "mcp.json", hosts());
    let files = ["--config", shown(&config), "--mcp-config", shown(&hosts)];
    let gateway = with_token(&[&OVER_HTTP[..], &files].concat());
    let [anonymous, known] = statuses(&gateway);
    assert!(anonymous == 401 && known != 401, "{anonymous} {known}");
    for path in [&config, &hosts] {
        gateway.logged(&format!("{}: read once, since it is no regular file", path.display()));
    }
    gateway.terminate();
    gateway.ended().says(0, &["starting upstreams=2"]);
}

/// Commands that look at the same source also read it only once.
#[test]
fn u13_each_command_reads_a_pipe_once() {
    let (directory, out) = scratch("out");
    for (at, command) in [
        &["check"][..],
        &["prompt", "--strategy", "describe"],
        &["compare", "--strategies", "full"],
        &["export", "--out", shown(&out)],
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("# Piped.\n[upstreams.x]\ncommand = {ODD:?}\n");
        let config = pipe(directory.path(), &format!("config-{at}"), text);
        let hosts = pipe(directory.path(), &format!("{at}.json"), hosts());
        run(&[command, &["--config", shown(&config), "--mcp-config", shown(&hosts)]].concat()).says(0, &[]);
    }
    let exported = fs::read_to_string(out.join("disclosure.toml")).unwrap();
    assert!(exported.starts_with("# Piped.\n") && exported.contains("[upstreams.of-host]"), "{exported}");
}

#[test]
fn u13_stdin_is_a_file_where_no_client_uses_it() {
    let text = format!("{AUTH}[upstreams.x]\ncommand = {ODD:?}\n");
    let mut gateway = with_token(&[&OVER_HTTP[..], &["--config", "/dev/stdin"]].concat());
    gateway.write(text);
    gateway.close_stdin();
    assert_eq!(statuses(&gateway)[0], 401);
    gateway.terminate();
    gateway.ended().says(0, &[]);
    let mut hosted = over_http(&["--mcp-config", "/dev/stdin"]);
    hosted.write(hosts());
    hosted.close_stdin();
    hosted.logged("ready upstreams=1");
    let mut checked = start(&["check", "--config", "/dev/stdin"]);
    checked.write(format!("[upstreams.x]\ncommand = {ODD:?}\n"));
}

/// A client keeps stdin open, and is not read as a file.
#[test]
fn u13_stdin_of_a_client_is_no_file() {
    for flag in ["--config", "--mcp-config"] {
        let gateway = start(&["serve", flag, "/dev/stdin"]);
        gateway.ended().says(64, &["/dev/stdin: clients connect over stdin", "--transport http"]);
    }
}

#[test]
fn u13_a_file_without_upstreams_needs_some_beside_it_or_asks_for_the_demonstration() {
    let (directory, file) = configured("[tools.wait]\nhidden = true\n");
    let config = ["--config", shown(&file)];
    for command in
        [&["serve"][..], &["check"], &["prompt", "--strategy", "info"], &["compare", "--strategies", "full"]]
    {
        let ended = run(&[command, &config].concat());
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, Some(64), "{said}");
        assert!(
            said.contains("disclosure.toml: no upstream is named") && said.contains("demo = true"),
            "{said}"
        );
    }
    let hosted = directory.path().join("mcp.json");
    fs::write(&hosted, hosts()).unwrap();
    for beside in [&["--", ODD][..], &["--mcp-config", shown(&hosted)]] {
        let mut gateway = serve(&file, beside);
        assert_eq!(gateway.tool_names(), ["echo"]);
    }
    let (_directory, file) =
        configured("demo = true\n[tools.convolve]\nhidden = true\n[server]\nname = \"mine\"\n");
    let mut gateway = start(&["serve", "--strategy", "full", "--config", shown(&file)]);
    assert_eq!(gateway.initialize()["serverInfo"]["name"], "mine");
    let names = gateway.tool_names();
    assert!(
        names.iter().any(|name| name == "fft") && names.iter().all(|name| name != "convolve"),
        "{names:?}"
    );
    gateway.finish().says(0, &[]);
    let (_directory, _, mut gateway) = served("demo = true\n[upstreams.x]\ncommand = \"ODD\"\n", &[]);
    let names = gateway.tool_names();
    assert!(["fft", "echo"].iter().all(|name| names.iter().any(|own| own == name)), "{names:?}");
}

/// The start waits for the other file; meanwhile the configuration is another one.
#[test]
fn u13_a_file_that_changes_during_the_start_is_read_afterwards_and_as_a_whole() {
    let said = |mode: &str, hidden: &str| {
        format!("[upstreams.x]\ncommand = {ODD:?}\nargs = [{mode:?}]\n[tools.{hidden}]\nhidden = true\n")
    };
    let (directory, file) = configured(&said("ordinary", "wait"));
    let waited = named_pipe(directory.path(), "mcp.json");
    let files = ["--config", shown(&file), "--mcp-config", shown(&waited)];
    let mut gateway = start(&[&["serve", "--strategy", "full"], &files[..]].concat());
    // It is opened once somebody reads.
    let mut writer = OpenOptions::new().write(true).open(&waited).unwrap();
    fs::write(&file, said("no-schema", "echo")).unwrap();
    writer.write_all(json!({"mcpServers": {}}).to_string().as_bytes()).unwrap();
    drop(writer);
    gateway.initialize();
    assert!(until(|| {
        let names = gateway.tool_names();
        assert!(names == ["echo"] || names == ["bare"], "{names:?}");
        names == ["bare"]
    }));
    gateway.finish().says(0, &["read again"]);
}

#[test]
fn p14_a_start_that_is_given_up_warns_of_nothing() {
    let (_directory, file) = configured(
        "[upstreams.x]\ncommand = \"ODD\"\nargs = [\"silent\"]\n[tools]\na.hidden = true\nb.hidden = true\n",
    );
    for _ in 0..10 {
        let gateway = over_http(&["--config", shown(&file)]);
        gateway.address();
        gateway.terminate();
        gateway.ended().says(0, &[]).omits(&["no upstream has"]);
    }
}

#[test]
fn u1_what_is_logged_of_a_start_that_fails_is_what_happens() {
    let ended = run(&["serve", "--", "/bin/false"]);
    ended.says(1, &["upstream failed"]);
    assert!(!ended.stderr.contains("restarted"), "{}", ended.stderr);
}

#[test]
fn a_lost_stdout_is_a_failure() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = program(&["serve", "--", ODD]);
    let mut child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    // Its input stays open.
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", hello(json!({}))).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(1) && said.contains("cannot write stdout"), "{said}");
    drop(stdin);
}
