//! What programs inherit (P10), what stands in logs (P11), and what clients read of failures (P5), as the program
//! does it.

use std::{fs, path::Path};

use kit::{
    HeldPort, Session,
    exchange::post,
    messages::hello,
    process::{Ended, Process},
};
use serde_json::{Value, json};

use super::{ODD, configured, hosted, opened, over_http, program, run, serve_odd, shown, start, text};

/// The program with a secret in its environment.
fn with_a_secret(arguments: &[&str]) -> Process {
    let mut command = program(arguments);
    command.env("SECRET_OF_OURS", "hunter2").env("LOGNAME", "() { :; }; no name");
    command.env("MCP_DISCLOSURE_SESSION_STORE", "").env("MCP_DISCLOSURE_INPUT_KEY", "hunter2");
    Process::start(&mut command)
}

/// The environment that the upstream of these flags has.
fn environment(flags: &[&str]) -> Value {
    let mut gateway = with_a_secret(&[&["serve", "--strategy", "full"], flags].concat());
    gateway.initialize();
    let answer = gateway.call("echo", json!({}));
    let variables: Vec<(String, String)> = serde_json::from_str(text(&answer)).unwrap();
    let ended = gateway.finish();
    assert!(!ended.says(0, &[]).stderr.contains("hunter2"), "{ended:?}");
    // Of our own variables only the chain is for others.
    let own: Vec<&str> =
        variables.iter().map(|(name, _)| &**name).filter(|name| name.starts_with("MCP_")).collect();
    assert_eq!(own, ["MCP_DISCLOSURE_CHAIN"], "{flags:?}");
    variables.into_iter().map(|(name, value)| (name, Value::from(value))).collect()
}

const ENTRY: &str = "[upstreams.x]\ncommand = \"ODD\"\nargs = [\"environment\"]\nenv = {OWN = \"mine\", COPIED = \"${SECRET_OF_OURS}\"}\n";

#[test]
fn programs_of_files_inherit_what_every_program_needs_and_no_more_p10() {
    let (_directory, file) = configured(ENTRY);
    let environment_of_x = json!({"OWN": "mine", "COPIED": "${SECRET_OF_OURS}"});
    let server = json!({"command": "ODD", "args": ["environment"], "env": environment_of_x});
    let (_hosted, hosts) = hosted(&json!({"x": server}));
    for flags in [["--config", shown(&file)], ["--mcp-config", shown(&hosts)]] {
        let minimal = environment(&flags);
        assert_eq!((&minimal["OWN"], &minimal["COPIED"]), (&json!("mine"), &json!("hunter2")));
        let known =
            ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "OWN", "COPIED", "MCP_DISCLOSURE_CHAIN"];
        for name in minimal.as_object().unwrap().keys() {
            assert!(known.contains(&name.as_str()), "{name} of {flags:?}");
        }
        assert!(minimal["PATH"].is_string() && minimal.get("LOGNAME").is_none(), "{minimal}");
        let all = environment(&[&flags[..], &["--inherit-env"]].concat());
        assert_eq!((&all["SECRET_OF_OURS"], &all["OWN"]), (&json!("hunter2"), &json!("mine")));
    }
    let (_directory, file) = configured(&format!("{ENTRY}inherit_env = true\n"));
    assert_eq!(environment(&["--config", shown(&file)])["SECRET_OF_OURS"], "hunter2");
}

#[test]
fn a_command_inherits_everything_also_when_it_was_exported_p10() {
    assert_eq!(environment(&["--", ODD, "environment"])["SECRET_OF_OURS"], "hunter2");
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    run(&["export", "--out", shown(&out), "--", ODD, "environment"]).says(0, &[]);
    let file = out.join("disclosure.toml");
    assert!(fs::read_to_string(&file).unwrap().contains("inherit_env = true"));
    assert_eq!(environment(&["--config", shown(&file)])["SECRET_OF_OURS"], "hunter2");
    let (_directory, file) = configured(&format!("{ENTRY}inherit_env = true\n"));
    let out = directory.path().join("again");
    let mut export = program(&["export", "--out", shown(&out), "--config", shown(&file)]);
    Process::start(export.env("SECRET_OF_OURS", "hunter2")).finish().says(0, &[]);
    assert!(fs::read_to_string(out.join("disclosure.toml")).unwrap().contains("inherit_env = true"));
}

#[test]
fn an_endpoint_has_no_environment() {
    let (_directory, file) =
        configured("[upstreams.x]\nurl = \"http://127.0.0.1:1/mcp\"\ninherit_env = true\n");
    let expected = "upstream 'x': inherit_env is for a program, and this is a url";
    run(&["serve", "--config", shown(&file)]).says(64, &[expected]);
}

/// An upstream with a secret argument that starts once, and then says another secret and ends.
fn starts_once(marker: &Path) -> Vec<String> {
    let script = format!(
        "if [ -e {marker} ]; then echo 'postgres://admin:hunter2@db' >&2; exit 3; fi; touch {marker}; exec {ODD} ordinary",
        marker = shown(marker)
    );
    ["sh", "-c", &script, "sh", "--token=s3cret"].map(str::to_owned).to_vec()
}

#[test]
fn a_client_whose_upstreams_do_not_start_reads_their_name_and_no_more_p5() {
    let directory = tempfile::tempdir().unwrap();
    let command = starts_once(&directory.path().join("marker"));
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let flags = ["--upstream-scope", "session", "--name", "shop", "--"];
    let gateway = over_http(&[&flags, &command[..]].concat());
    let (_, answer) = post(gateway.address(), None, &hello(json!({})));
    let error = &answer["error"];
    assert_eq!(error["code"], -32000);
    assert_eq!(error["message"], "upstream 'shop' has ended: the process ended with exit status: 3");
    let line = gateway.logged("cannot start dedicated upstreams");
    assert!(line.contains("postgres://admin:hunter2@db"), "the operator may know: {line}");
    gateway.terminate();
    let ended = gateway.ended();
    assert!(!ended.stderr.contains("s3cret"), "{ended:?}");
}

#[test]
fn arguments_of_a_command_are_named_nowhere_p10() {
    for mode in ["exits", "silent", "wrong-version", "list-error"] {
        let flags = ["serve", "--connect-timeout", "1", "--log", "debug", "--", ODD, mode];
        let arguments = [&flags[..], &["/dev/null", "--token=s3cret"]].concat();
        let ended = run(&arguments);
        assert!(!ended.says(1, &[]).stderr.contains("s3cret"), "{ended:?}");
    }
    let ended = run(&["serve", "--log", "debug", "--", "/no/such/program", "--token=s3cret"]);
    assert!(!ended.says(1, &[]).stderr.contains("s3cret"), "{ended:?}");
}

#[test]
fn user_info_and_queries_of_urls_are_named_nowhere_p11() {
    let nobody = HeldPort::take();
    let address = nobody.address();
    let url = format!("http://admin:hunter2@{address}/mcp?key=s3cret");
    let ended = run(&["serve", "--log", "debug", "--upstream-url", &url]);
    ended.says(1, &[&format!("upstream 'http://{address}/mcp' cannot be reached: ")]);
    assert!(!ended.stderr.contains("hunter2") && !ended.stderr.contains("s3cret"), "{ended:?}");
    let ended = run(&["serve", "--upstream-url", "ftp://admin:hunter2@host/?key=s3cret"]);
    ended.says(2, &["--upstream-url ftp://host/: only http and https are spoken"]);
}

/// Nothing in a log acts on a terminal, or begins a line of its own.
const FORGED: &str = "x\n2030-01-01T00:00:00Z ERROR all is lost \u{1b}[31m\u{202e}\r\u{7}\u{9b}";

#[track_caller]
fn is_not_forged(ended: &Ended) {
    assert!(!ended.stderr.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}', '\u{9b}']), "{ended:?}");
    assert!(!ended.stderr.lines().any(|line| line.starts_with("2030")), "{ended:?}");
}

#[test]
fn whatever_a_client_or_an_upstream_says_forges_no_line_p11() {
    let script = r"f() { printf '2030 all is lost \033[31m\302\233\r\007\n'; }; f; f >&2; exec $0 ordinary";
    let serve = ["serve", "--strategy", "full", "--explain", "--log", "debug"];
    let mut gateway = start(&[&serve[..], &["--", "sh", "-c", script, ODD]].concat());
    let client = json!({"name": FORGED, "version": FORGED});
    let capabilities = json!({"extensions": {FORGED: {}}});
    for (method, params) in [
        (
            "initialize",
            json!({"protocolVersion": FORGED, "capabilities": capabilities, "clientInfo": client}),
        ),
        ("resources/read", json!({"uri": format!("file:///{FORGED}")})),
        ("prompts/get", json!({"name": FORGED})),
        (FORGED, json!({})),
    ] {
        gateway.request(method, params);
    }
    is_not_forged(gateway.finish().says(0, &["all is lost"]));
}

#[test]
fn a_name_with_line_ends_and_escapes_forges_no_line_p11() {
    let mut gateway = serve_odd(&[], &["ordinary"]);
    gateway.call(FORGED, json!({}));
    gateway.call(&"y".repeat(100_000), json!({}));
    let ended = gateway.finish();
    is_not_forged(ended.says(0, &["unknown tool called"]));
    assert!(ended.stderr.lines().all(|line| line.len() < 1000), "{ended:?}");
}

#[test]
fn a_session_is_logged_by_the_beginning_of_its_id_p11() {
    let gateway = over_http(&["--strategy", "resource", "--log", "debug", "--explain"]);
    let session = Session::open(gateway.address());
    for (method, params) in [
        ("tools/call", json!({"name": "fft"})),
        ("tools/call", json!({"name": "nobodys"})),
        ("resources/read", json!({"uri": "resource:///tool_descriptions?tools=fft,nobodys"})),
    ] {
        session.request(method, params);
    }
    for event in ["session opened", "call refused", "description delivered", "description of an unknown tool"]
    {
        let line = gateway.logged(event);
        assert!(line.contains(&session.id[..8]), "{line}");
    }
    gateway.terminate();
    let ended = gateway.ended();
    assert!(!ended.stderr.contains(&session.id[..16]), "{ended:?}");
}

#[test]
fn stderr_of_an_upstream_fills_the_log_at_a_bounded_rate_p11() {
    let script = "i=0; while [ $i -lt 700 ]; do echo line $i >&2; i=$((i+1)); done; exec $0 ordinary";
    let ended = opened(&["serve", "--", "sh", "-c", script, ODD]).finish();
    ended.says(0, &["more than 600 a minute", "left_out=100"]);
    assert_eq!(ended.stderr.matches("INFO line ").count(), 600, "{ended:?}");
}

#[test]
fn output_of_an_upstream_that_is_no_mcp_fills_the_log_at_a_bounded_rate_p11() {
    let stray = r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#;
    let unknown = r#"{"jsonrpc":"2.0","id":"x","result":{}}"#;
    for line in ["line", stray, unknown, r#"{"jsonrpc":"2.0","result":NaN}"#] {
        let script =
            format!("i=0; while [ $i -lt 700 ]; do echo '{line}'; i=$((i+1)); done; exec $0 ordinary");
        let ended = opened(&["serve", "--log", "debug", "--", "sh", "-c", &script, ODD]).finish();
        ended.says(0, &["more than 600 a minute", "left_out=100"]);
        let is_about_it = |line: &&str| line.contains("not an MCP message") || line.contains("response");
        assert_eq!(ended.stderr.lines().filter(is_about_it).count(), 600, "{line}: {ended:?}");
    }
}

#[test]
fn a_failure_that_quotes_an_upstream_moves_no_terminal_p11() {
    let script = "printf '\\033[2Jevil\\033]0;title\\007\\n' >&2; exit 3";
    let ended = run(&["serve", "--", "sh", "-c", script]);
    assert!(!ended.says(1, &["evil"]).stderr.contains(['\u{1b}', '\u{7}']), "{ended:?}");
}
