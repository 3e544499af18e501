//! A7: each call and each decision is one line, whatever path it took.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kit::{
    messages::{notification, stateless},
    process::{Process, until},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{records, serve, start};
use crate::command_line::{self, configured, shown};

fn file() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("audit.jsonl");
    (directory, file)
}

/// The records after the first line, without those of `opened`.
fn after(gateway: Process, file: &Path) -> Vec<Value> {
    gateway.finish().says(0, &[]);
    let all = records(file);
    assert_eq!(all[0]["event"], "opened");
    all.into_iter().filter(|record| record["event"] != "opened").collect()
}

/// Event, tool and outcome of each.
fn short(records: &[Value]) -> Vec<[&str; 3]> {
    let of = |record: &'_ Value, member: &str| record[member].as_str().unwrap_or("null").to_owned();
    records
        .iter()
        .map(|record| ["event", "tool", "outcome"].map(|member| &*of(record, member).leak()))
        .collect()
}

#[test]
fn a7_each_call_and_decision_is_one_line_with_all_members() {
    let (_directory, file) = file();
    let flags = ["--strategy", "resource", "--audit", shown(&file)];
    let mut gateway = serve(&flags, &["ordinary"]);
    gateway.call("echo", json!({"text": "s3cret"}));
    gateway.request("resources/read", json!({"uri": "resource:///tool_descriptions?tools=echo"}));
    gateway.call("echo", json!({"text": "s3cret"}));
    gateway.call("echo", json!({"text": 7}));
    gateway.call(&format!("none\n{}", "x".repeat(1_000)), json!({}));
    gateway.request("tools/call", json!({"arguments": {}}));
    let records = after(gateway, &file);
    let outcomes: Vec<[&str; 3]> = short(&records);
    assert_eq!(outcomes[0], ["decision", "echo", "refused"]);
    assert_eq!(outcomes[1], ["call", "echo", "ok"]);
    assert_eq!(outcomes[2], ["decision", "echo", "refused"]);
    assert_eq!((outcomes[3][0], outcomes[3][2]), ("decision", "unknown"));
    assert_eq!((outcomes[4][0], outcomes[4][2], outcomes.len()), ("decision", "invalid", 5));
    assert_eq!(records[0]["code"], "TOOL_DESCRIPTION_REQUIRED");
    let members = "time event method principal session strategy client upstream tool outcome code duration_ms \
                   request_bytes response_bytes arguments_hmac";
    for record in &records {
        let found: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found.join(" "), members);
        assert_eq!((&record["client"], record["session"].as_str().map(str::len)), (&json!("test"), Some(8)));
    }
    assert_eq!((&records[1]["upstream"], &records[3]["upstream"]), (&json!("odd"), &Value::Null));
    assert!(records[1]["response_bytes"].as_u64() > Some(20) && records[1]["duration_ms"].is_f64());
    // The same arguments have the same fingerprint, whatever was decided.
    assert_eq!(records[0]["arguments_hmac"], records[1]["arguments_hmac"]);
    assert_ne!(records[1]["arguments_hmac"], records[2]["arguments_hmac"]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("s3cret") && text.lines().all(|line| line.len() < 1_500), "{text}");
}

/// The same call in each wrong form has one fingerprint, and it is the tool that is meant whose permission counts.
#[test]
fn a7_calls_within_calls_are_recorded_as_they_are_meant_whatever_their_form() {
    let (directory, config) = configured("[[principals]]\nname = \"few\"\ntools = [\"*/echo\"]\n");
    let file = directory.path().join("audit.jsonl");
    let inner = json!({"text": "x"});
    let forms = [
        json!({"tool": "echo", "arguments": inner}),
        json!({"tool": "echo", "text": "x"}),
        json!({"tool": "echo", "arguments": inner.to_string()}),
        json!({"tool": "echo", "arguments": {"arguments": inner}}),
        json!({"arguments": {"tool": "echo", "text": "x"}}),
    ];
    let flags = ["--strategy", "search", "--audit", shown(&file)];
    let of = ["--config", shown(&config), "--principal", "few"];
    let mut gateway = serve(&[flags, of].concat(), &["ordinary"]);
    gateway.call("search_tools", json!({"query": "echo"}));
    for form in &forms {
        let answer = gateway.call("call_tool", form.clone());
        let is_error = &answer["result"]["isError"];
        assert!(*is_error == false || is_error.is_null(), "{form}: {answer}");
    }
    for withheld in
        [json!({"tool": "wait", "file": "x"}), json!({"arguments": {"tool": "wait", "file": "x"}})]
    {
        gateway.call("call_tool", withheld);
    }
    let records = after(gateway, &file);
    assert_eq!(short(&records[..1]), [["decision", "search_tools", "answered"]]);
    let calls = &records[1..=forms.len()];
    assert_eq!(short(calls), vec![["call", "echo", "ok"]; forms.len()]);
    assert!(calls.iter().all(|call| call["arguments_hmac"] == calls[0]["arguments_hmac"]), "{calls:?}");
    let withheld = &records[1 + forms.len()..];
    assert_eq!(short(withheld), [["decision", "wait", "not_permitted"]; 2]);
}

/// A tool that exists for others is distinguished from none, whatever way its name took.
#[test]
fn a7_what_is_not_permitted_is_recorded_as_that_on_every_way() {
    let (directory, config) = configured(
        "[[principals]]\nname = \"few\"\ntools = [\"*/echo\"]\n[strategy.groups]\ndeterministic = true\n\
         [strategy.info]\ntools = \"entry-only\"\n",
    );
    let file = directory.path().join("audit.jsonl");
    // Models name a tool by other members than `tool` as well.
    let calls = |strategy: &str, caller: Option<(&str, &str)>| {
        let flags = ["--strategy", strategy, "--audit", shown(&file)];
        let of = ["--config", shown(&config), "--principal", "few"];
        let mut gateway = serve(&[flags, of].concat(), &["ordinary"]);
        for name in ["wait", "none"] {
            match caller {
                Some((caller, key)) => gateway.call(caller, json!({key: name, "arguments": {"a": 1}})),
                None => gateway.call(name, json!({"a": 1})),
            };
        }
        let records = after(gateway, &file);
        fs::remove_file(&file).unwrap();
        records
    };
    let ways = [
        ("full", None),
        ("search", Some("call_tool")),
        ("info", Some("invoke")),
        // Its groups are deterministic.
        ("groups", None),
    ];
    for ((strategy, caller), key) in ways.into_iter().zip(["", "tool", "name", ""]) {
        let records = calls(strategy, caller.map(|caller| (caller, key)));
        let expected = [["decision", "wait", "not_permitted"], ["decision", "none", "unknown"]];
        assert_eq!(short(&records), expected, "{strategy}");
        assert!(records.iter().all(|record| record["arguments_hmac"].is_string()), "{strategy}: {records:?}");
    }
}

#[test]
fn a7_what_is_resolved_is_recorded_like_a_call() {
    let (_directory, file) = file();
    let flags = ["--strategy", "full", "--audit", shown(&file), "--audit-strict"];
    let mut gateway = serve(&flags, &["resolves"]);
    let mut resolve = |name: &str| {
        let answer = gateway.request("tools/resolve", json!({"name": name, "arguments": {"text": "x"}}));
        answer["error"]["code"].clone()
    };
    assert_eq!(resolve("echo"), Value::Null);
    assert_eq!([resolve("wait"), resolve("none")], [-32602, -32602]);
    super::counts(&gateway, r#"mcp_disclosure_resolutions_total{outcome="ok",strategy="full"} 1"#);
    super::counts(&gateway, r#"mcp_disclosure_resolutions_total{outcome="unknown",strategy="full"} 1"#);
    assert_eq!(super::status(&gateway)["calls"], 0);
    let records = after(gateway, &file);
    let expected = [
        ["decision", "echo", "forwarded"],
        ["call", "echo", "ok"],
        ["decision", "wait", "invalid"],
        ["decision", "none", "unknown"],
    ];
    assert_eq!(short(&records), expected);
    assert!(records.iter().all(|record| record["method"] == "tools/resolve"), "{records:?}");
}

#[test]
fn a7_what_is_passed_on_is_recorded_by_its_method() {
    let (directory, config) = configured("[upstreams.odd]\ncommand = \"ODD\"\npass = [\"vendor/method\"]\n");
    let file = directory.path().join("audit.jsonl");
    let mut gateway = command_line::serve(&config, &["--audit", shown(&file)]);
    gateway.request("vendor/method", json!({}));
    let records = after(gateway, &file);
    let recorded = |record: &Value| record["method"] == "vendor/method" && record["tool"] == "vendor/method";
    assert!(!records.is_empty() && records.iter().all(recorded), "{records:?}");
}

#[test]
fn a7_clients_that_hang_up_and_those_without_a_session_are_recorded() {
    let (directory, file) = file();
    let flags = ["--strategy", "full", "--audit", shown(&file)];
    let mut gateway = serve(&flags, &["ordinary"]);
    let never = directory.path().join("never");
    let id = gateway.ask("tools/call", json!({"name": "wait", "arguments": {"file": never}}));
    assert!(until(|| directory.path().join("never.began").exists()));
    gateway.line(notification("cancelled", json!({"requestId": id})).to_string());
    assert!(until(|| records(&file).len() == 2));
    // Without a session.
    gateway.request("tools/call", json!({"name": "echo", "arguments": {}, "_meta": stateless(json!({}))}));
    let records = after(gateway, &file);
    assert_eq!(short(&records), [["call", "wait", "cancelled"], ["call", "echo", "ok"]]);
    assert_eq!((&records[1]["session"], &records[1]["client"]), (&Value::Null, &json!("test")));
}

#[test]
fn a7_fingerprints_are_those_of_the_key_file() {
    let (directory, file) = file();
    let key = directory.path().join("key");
    fs::write(&key, [7; 32]).unwrap();
    let flags = ["--strategy", "full", "--audit", shown(&file), "--audit-key-file", shown(&key)];
    for _ in 0..2 {
        let mut gateway = serve(&flags, &["ordinary"]);
        gateway.call("echo", json!({"text": "x"}));
        gateway.finish().says(0, &[]);
    }
    let all = records(&file);
    let of = |event: &str, member: &str| {
        let found = all.iter().filter(|record| record["event"] == event);
        found.map(|record| record[member].clone()).collect::<Vec<_>>()
    };
    let (ids, fingerprints) = (of("opened", "key_id"), of("call", "arguments_hmac"));
    assert_eq!((&ids[0], &fingerprints[0]), (&ids[1], &fingerprints[1]));
}

#[test]
fn a7_the_file_is_the_users_alone_and_is_opened_again_by_sighup() {
    use std::os::unix::fs::PermissionsExt;
    let (directory, file) = file();
    let flags = ["--strategy", "full", "--audit", shown(&file)];
    let mut gateway = serve(&flags, &["ordinary"]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    gateway.call("echo", json!({}));
    let old = directory.path().join("audit.1");
    fs::rename(&file, &old).unwrap();
    gateway.hang_up();
    gateway.logged("opened the audit log again");
    gateway.call("wait", json!({"file": "/dev/null"}));
    let records = after(gateway, &file);
    assert_eq!(short(&records), [["call", "wait", "ok"]]);
    assert_eq!(super::records(&old).len(), 2);
}

#[test]
fn a7_a_file_that_others_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, file) = file();
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let shown = shown(&file);
    let warning =
        format!("--audit {shown}: others can read the audit log, mode 0640 (hint: chmod 600 {shown})");
    start(&["--audit", shown], &["ordinary"]).finish().says(0, &[&warning]);
}

/// Who gave no result is distinguished, whatever code the answer has.
#[test]
fn a7_errors_of_upstreams_are_not_failures_to_answer() {
    let (_directory, file) = file();
    let flags = ["--strategy", "full", "--request-timeout", "3", "--audit", shown(&file)];
    let mut gateway = serve(&flags, &["says"]);
    let mut say = |what: Value| {
        let mut line = json!({"jsonrpc": "2.0", "id": "ID"});
        line.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        gateway.call("echo", json!({"say": line.to_string().replace("\"ID\"", "ID")}))
    };
    for code in [-32000, -32602, -32005, 7] {
        assert_eq!(say(json!({"error": {"code": code, "message": "mine"}}))["error"]["message"], "mine");
    }
    say(json!({"result": {"content": [], "isError": true}}));
    say(json!({"result": "nonsense"}));
    // No answer in three seconds.
    say(json!({"id": "another", "result": {}}));
    say(json!({"result": {"content": []}}));
    let counted = |outcome: &str, count: usize| {
        let labels = format!(r#"outcome="{outcome}",strategy="full""#);
        super::counts(&gateway, &format!("mcp_disclosure_calls_total{{{labels}}} {count}"));
    };
    for (name, count) in [("upstream_error", 4), ("tool_error", 1), ("failed", 2), ("ok", 1)] {
        counted(name, count);
    }
    let records = after(gateway, &file);
    let outcomes: Vec<&str> = records.iter().map(|record| record["outcome"].as_str().unwrap()).collect();
    let errors = ["upstream_error"; 4];
    assert_eq!(outcomes, [&errors[..], &["tool_error", "failed", "failed", "ok"]].concat());
    assert!(records.iter().all(|record| record["event"] == "call"), "{records:?}");
}

#[test]
fn a7_a_file_that_cannot_be_written_is_refused() {
    start(&["--audit", "/nowhere/audit"], &[]).finish().says(1, &["cannot write /nowhere/audit"]);
}
