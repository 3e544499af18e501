//! What programs inherit (P10), what stands in logs (P11), and what clients read of failures (P5), as the program
//! does it.

use std::fs;

use kit::{HeldPort, exchange::post, messages::hello, process::Process};
use serde_json::{Value, json};

use super::{ODD, configured, hosted, opened, over_http, program, run, scratch, shown, start, text};

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
    gateway.finish().says(0, &[]).omits(&["hunter2"]);
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
    let (directory, out) = scratch("out");
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
fn a_client_whose_upstreams_do_not_start_reads_their_name_and_no_more_p5() {
    // It has a secret argument, starts once, and then says another secret and ends.
    let (_directory, marker) = scratch("marker");
    let script = format!(
        "if [ -e {0} ]; then echo 'postgres://admin:hunter2@db' >&2; exit 3; fi; touch {0}; exec {ODD} ordinary",
        shown(&marker)
    );
    let flags = ["--upstream-scope", "session", "--name", "shop", "--"];
    let gateway = over_http(&[&flags[..], &["sh", "-c", &script, "sh", "--token=s3cret"]].concat());
    let (_, answer) = post(gateway.address(), None, &hello(json!({})));
    let error = &answer["error"];
    assert_eq!(error["code"], -32000);
    assert_eq!(error["message"], "upstream 'shop' has ended: the process ended with exit status: 3");
    // The operator may know.
    gateway.logs(&["cannot start dedicated upstreams", "postgres://admin:hunter2@db"]);
    gateway.terminate();
    gateway.ended().omits(&["s3cret"]);
}

#[test]
fn arguments_of_a_command_are_named_nowhere_p10() {
    for mode in ["exits", "silent", "wrong-version", "list-error"] {
        let flags = ["serve", "--connect-timeout", "1", "--log", "debug", "--", ODD, mode];
        let arguments = [&flags[..], &["/dev/null", "--token=s3cret"]].concat();
        run(&arguments).says(1, &[]).omits(&["s3cret"]);
    }
    run(&["serve", "--log", "debug", "--", "/no/such/program", "--token=s3cret"])
        .says(1, &[])
        .omits(&["s3cret"]);
}

#[test]
fn user_info_and_queries_of_urls_are_named_nowhere_p11() {
    let nobody = HeldPort::take();
    let address = nobody.address();
    let url = format!("http://admin:hunter2@{address}/mcp?key=s3cret");
    run(&["serve", "--log", "debug", "--upstream-url", &url])
        .says(1, &[&format!("upstream 'http://{address}/mcp' cannot be reached: ")])
        .omits(&["hunter2", "s3cret"]);
    run(&["serve", "--upstream-url", "ftp://admin:hunter2@host/?key=s3cret"])
        .says(2, &["--upstream-url: url: ftp is not spoken"]);
}

const FORGED: &str = "x\n2030-01-01T00:00:00Z ERROR all is lost \u{1b}[31m\u{202e}\r\u{7}\u{9b}";

/// Nothing in a log acts on a terminal, or begins a line of its own.
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
        ("tools/call", json!({"name": FORGED})),
        (FORGED, json!({})),
    ] {
        gateway.request(method, params);
    }
    let ended = gateway.finish();
    ended.says(0, &["all is lost", "unknown tool called"]);
    assert!(!ended.stderr.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}', '\u{9b}']), "{ended:?}");
    assert!(!ended.stderr.lines().any(|line| line.starts_with("2030")), "{ended:?}");
}

#[test]
fn what_an_upstream_writes_fills_the_log_at_a_bounded_rate_p11() {
    let stray = r#"'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}'"#;
    let unknown = r#"'{"jsonrpc":"2.0","id":"x","result":{}}'"#;
    let is_about_it =
        |line: &&str| ["INFO line", "not an MCP message", "response"].iter().any(|part| line.contains(part));
    // On its stderr, and on stdout what is no MCP.
    for line in ["line >&2", "line", stray, unknown, r#"'{"jsonrpc":"2.0","result":NaN}'"#] {
        let script = format!("i=0; while [ $i -lt 700 ]; do echo {line}; i=$((i+1)); done; exec $0 ordinary");
        let ended = opened(&["serve", "--log", "debug", "--", "sh", "-c", &script, ODD]).finish();
        ended.says(0, &["more than 600 a minute", "left_out=100"]);
        assert_eq!(ended.stderr.lines().filter(is_about_it).count(), 600, "{line}: {ended:?}");
    }
}

#[test]
fn a_failure_that_quotes_an_upstream_moves_no_terminal_p11() {
    let script = "printf '\\033[2Jevil\\033]0;title\\007\\n' >&2; exit 3";
    let ended = run(&["serve", "--", "sh", "-c", script]);
    assert!(!ended.says(1, &["evil"]).stderr.contains(['\u{1b}', '\u{7}']), "{ended:?}");
}
