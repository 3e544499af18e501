//! What an upstream asks of the client that has it to itself (F3).

use kit::{
    messages::{hello, stateless},
    process::Process,
};
use mcp_disclosure_core::EXTENSION;
use serde_json::{Value, json};

use super::{ODD, start, text};

/// A gateway before the upstream in this mode, and a client that declared these capabilities.
fn asking(mode: &str, capabilities: Value) -> Process {
    let mut gateway = start(&["serve", "--strategy", "full", "--", ODD, mode]);
    gateway.request("initialize", hello(capabilities)["params"].take());
    gateway
}

/// What is declared to the upstream: what the client supports, and that complete lists are wanted.
#[track_caller]
fn is_declared(client: &Value) {
    let chain = client["extensions"][EXTENSION]["chain"].clone();
    assert_eq!(chain.as_array().map(Vec::len), Some(1), "the gateway itself");
    let ours = json!({"strategies": ["full"], "complete": true, "chain": chain});
    let extensions = json!({
        EXTENSION: ours, "io.modelcontextprotocol/groups": {}, "io.modelcontextprotocol/skills": {},
    });
    assert_eq!(*client, json!({"elicitation": {"form": {}}, "extensions": extensions}));
}

/// The question the client is asked, whole.
fn question(gateway: &Process, method: &str) -> Value {
    gateway.notified(method, 1);
    gateway.received_request(method)
}

/// The ids of questions are those of the client's own requests.
#[test]
fn an_answer_that_is_none_fails_its_question_and_is_not_answered_p6() {
    let mut gateway = asking("asks", json!({"elicitation": {"form": {}}}));
    for wrong in [
        r#"{"jsonrpc":"2.0","id":ID}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":1,"message":"m"}}"#,
        r#"{"id":ID,"result":{"action":"decline"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{"x":NaN}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":7}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":"x"}"#,
    ] {
        let call =
            gateway.ask("tools/call", json!({"name": "echo", "arguments": {"text": "elicitation/create"}}));
        gateway.notified("elicitation/create", usize::try_from(call).unwrap() - 1);
        gateway.line(wrong.replace("ID", &(call - 1).to_string()));
        let outcome: Value = serde_json::from_str(text(&gateway.answer(call))).unwrap();
        assert!(outcome["error"]["code"].as_i64().unwrap() <= -32600, "{wrong}: {outcome}");
    }
    assert!(!gateway.finish().stdout.contains(r#""error":{"code":-32600"#));
}

#[test]
fn a_client_that_cannot_be_asked_is_not_f3() {
    let mut gateway = asking("asks", json!({"roots": {}}));
    let answer = gateway.call("echo", json!({"text": "sampling/createMessage"}));
    let outcome: Value = serde_json::from_str(text(&answer)).unwrap();
    assert_eq!(outcome["error"]["code"], -32601);
}

#[test]
fn a_question_that_is_taken_back_is_taken_back_from_the_client_f3() {
    let mut gateway = asking("asks", json!({"roots": {"listChanged": true}}));
    let call = gateway.ask("tools/call", json!({"name": "echo", "arguments": {"text": "roots/list"}}));
    let asked = question(&gateway, "roots/list");
    gateway.line(r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#);
    assert_eq!(text(&gateway.answer(call)), "never mind");
    gateway.notified("notifications/cancelled", 1);
    assert_eq!(gateway.received_request("notifications/cancelled")["params"]["requestId"], asked["id"]);
}

/// The client answers nothing: 64 requests wait for it, the others are refused at once, and one line of the log says so.
#[test]
fn questions_beyond_the_limit_are_refused_and_the_limit_is_named_f3_p7() {
    let mut gateway = asking("asks-much", json!({"roots": {}}));
    let refused: Value = serde_json::from_str(text(&gateway.call("echo", json!({})))).unwrap();
    for error in refused.as_array().unwrap() {
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with("at most 64"), "{message}");
    }
    gateway.notified("roots/list", 64);
    let exited = gateway.finish();
    exited.says(0, &[]);
    let lines: Vec<_> =
        exited.stderr.lines().filter(|line| line.contains("upstream reached a limit")).collect();
    assert!(matches!(*lines, [line] if line.contains(" upstream=")), "{lines:?}");
}

/// One that runs something where a client opens it: in a request, a result and an error. Unit tests have others.
#[test]
fn an_address_that_is_neither_https_nor_of_this_machine_is_not_passed_on_f3() {
    let capabilities = json!({"elicitation": {"form": {}, "url": {}}});
    for is_stateless in [false, true] {
        let [mut asks, mut says] = ["asks", "says"].map(|mode| match is_stateless {
            true => start(&["serve", "--strategy", "full", "--", ODD, mode]),
            false => asking(mode, capabilities.clone()),
        });
        let meta = if is_stateless { stateless(capabilities.clone()) } else { json!({}) };
        let call = |arguments: Value| json!({"name": "echo", "arguments": arguments, "_meta": meta});
        let asked =
            json!({"mode": "url", "url": "javascript:alert(1)", "elicitationId": "1", "message": "Open it"});
        let question = json!({"text": "elicitation/create", "params": asked});
        let answer = asks.request("tools/call", call(question));
        let outcome: Value = serde_json::from_str(text(&answer)).unwrap();
        assert_eq!(outcome["error"]["code"], -32602, "{outcome}");
        let question = json!({"method": "elicitation/create", "params": asked});
        let result = json!({"resultType": "input_required", "inputRequests": {"a": question}});
        let error = json!({"code": -32042, "message": "open", "data": {"elicitations": [asked]}});
        for said in [format!("\"result\":{result}"), format!("\"error\":{error}")] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":ID,{said}}}"#);
            let answer = says.request("tools/call", call(json!({"say": line})));
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
            assert!(!answer.to_string().contains("Open it"), "{answer}");
        }
        assert_eq!(asks.count("elicitation/create") + says.count("elicitation/create"), 0);
    }
}

/// A call of a client without session that may be asked, and wants progress.
fn call_without_session(arguments: Value) -> Value {
    let mut meta = stateless(json!({"elicitation": {"form": {}}}));
    meta["progressToken"] = "one".into();
    json!({"name": "echo", "arguments": arguments, "_meta": meta})
}

#[test]
fn a_question_outlasts_a_later_call_and_no_progress_follows_it_f3() {
    let mut gateway = start(&["serve", "--strategy", "full", "--", ODD, "asks-late"]);
    let meta = stateless(json!({"elicitation": {"form": {}}}));
    gateway.request("tools/list", json!({"_meta": meta}));
    let mut params = call_without_session(json!({}));
    let call = gateway.ask("tools/call", params.clone());
    let second = gateway.request("tools/call", call_without_session(json!({"text": "elicitation/create"})));
    assert_eq!(text(&second), "the second");
    let asked = gateway.answer(call);
    let questions = asked["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
    let key = questions.keys().next().unwrap();
    let third = gateway.request("tools/call", call_without_session(json!({})));
    assert_eq!(text(&third), "the third");
    assert_eq!(gateway.count("notifications/progress"), 0, "the first was answered");
    params["inputResponses"] = json!({key: {"action": "accept"}});
    params["requestState"] = asked["result"]["requestState"].clone();
    let outcome: Value = serde_json::from_str(text(&gateway.request("tools/call", params))).unwrap();
    is_declared(&outcome["client"]);
    assert_eq!(outcome["result"], json!({"action": "accept"}));
}
