//! Requests that cannot be answered, whatever they come by (F7).

use kit::{Bench, Client, Identity, Setup, process::hello};
use serde_json::{Value, json};

use crate::{connected, odd};

async fn f7_an_unknown_method_is_not_found(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for method in ["tools/frobnicate", "tools/describe", "sampling/createMessage"] {
        if method == "tools/describe" && ["full", "describe"].contains(&setup.strategy) {
            continue;
        }
        let reply = client.request(method, json!({})).await;
        assert_eq!(reply.code(), -32601, "{method}");
        let status = if setup.has_sessions() { 200 } else { 404 };
        assert_eq!(reply.status, setup.is_http().then_some(status), "{method}");
    }
    let of_the_other_era = if setup.has_sessions() { "server/discover" } else { "ping" };
    let reply = client.request(of_the_other_era, json!({})).await;
    // Without its metadata a stateless method lacks parameters; with it a session's method does not exist.
    assert_eq!(reply.code(), if setup.has_sessions() { -32602 } else { -32601 });
}

async fn f7_wrong_or_missing_parameters_are_named(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({"name": ""})),
        ("tools/call", json!({"name": "no such tool"})),
        ("resources/read", json!({})),
        ("resources/read", json!({"uri": ""})),
        ("prompts/get", json!({})),
        ("prompts/get", json!({"name": "unknown"})),
        ("completion/complete", json!({})),
        ("completion/complete", json!({"ref": {"type": "ref/prompt", "name": "unknown"}})),
        ("tools/list", json!({"cursor": "made up"})),
    ] {
        let error = client.request(method, params.clone()).await.error();
        assert_eq!(error["code"], -32602, "{method} {params}: {error}");
    }
    let unknown = client.call("no such tool", json!({})).await.error();
    assert_eq!(unknown, json!({"code": -32602, "message": "Unknown tool: no such tool"}));
}

async fn f7_what_is_no_message_is_refused_and_the_rest_goes_on(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for (text, code) in [
        ("{\"jsonrpc\":", -32700),
        ("nonsense", -32700),
        ("[]", -32600),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
            -32600,
        ),
        ("{}", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, -32600),
    ] {
        let reply = client.send_text(text).await;
        assert_eq!((reply.code(), &reply.answer()["id"]), (code, &Value::Null), "{text}");
        assert_eq!(reply.status, setup.is_http().then_some(400), "{text}");
    }
    client.request("tools/list", json!({})).await.result();
}

each_strategy!(f7_an_unknown_method_is_not_found, f7_wrong_or_missing_parameters_are_named);
each_way_in!(f7_what_is_no_message_is_refused_and_the_rest_goes_on);

async fn f7_an_id_under_way_cannot_be_used_again_until_then(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let arguments = client.learn("slow", json!({})).await;
    let params = json!({"name": "slow", "arguments": arguments, "_meta": {"progressToken": 1}});
    let pending = client.start_under(json!("mine"), "tools/call", params).await;
    client.notification("notifications/progress").await;
    let again = client.start_under(json!("mine"), "tools/list", json!({})).await.reply().await;
    assert_eq!((again.code(), again.answer()["id"].clone()), (-32600, json!("mine")));
    let journal = client.journal().await;
    assert!(
        journal.iter().all(|message| message["method"] != "notifications/cancelled"),
        "the first goes on"
    );
    client.cancel(&pending).await;
    client.read("kit://doc").await.result();
    client.start_under(json!("mine"), "tools/list", json!({})).await.reply().await.result();
}
// Without a session, each POST is a connection of its own (`hostile::ids`).
cases!(
    full_stdio_session full_http_session full_stdio_stateless;
    f7_an_id_under_way_cannot_be_used_again_until_then
);

async fn f7_missing_metadata_is_named(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let client = Client::attach(&bench, setup, Identity::offering(setup.strategy));
    for missing in ["protocolVersion", "clientCapabilities"] {
        let mut params = client.complete(json!({}));
        params["_meta"].as_object_mut().unwrap().remove(&format!("io.modelcontextprotocol/{missing}"));
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        let reply = client.send_message(message).await;
        assert_eq!(reply.error_with(missing)["code"], -32602);
        assert_eq!(reply.status, setup.is_http().then_some(400));
    }
    let none = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    assert_eq!(client.send_message(none).await.code(), -32602);
}

async fn f7_a_version_that_is_not_spoken_is_refused_with_those_that_are(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for version in ["1900-01-01", "2025-11-25"] {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": version});
        let reply = client.request("tools/list", json!({"_meta": meta})).await;
        let error = reply.error();
        assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32022), &json!(version)));
        assert!(error["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
        assert_eq!(reply.status, setup.is_http().then_some(400));
    }
}
each_transport_without_sessions!(
    f7_missing_metadata_is_named,
    f7_a_version_that_is_not_spoken_is_refused_with_those_that_are,
);

async fn f7_without_a_session_only_the_handshake_is_answered_in_every_revision(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let client = Client::attach(&bench, setup, Identity::default());
    assert_eq!(client.request("tools/list", json!({})).await.code(), -32602);
    assert_eq!(client.request("initialize", json!({})).await.code(), -32602);
    client.request("initialize", hello()).await.result();
    for (version, spoken) in [
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
        ("delta-mcp/9", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
    ] {
        let client = Client::attach(&bench, setup, Identity::default());
        let mut hello = hello();
        hello["protocolVersion"] = json!(version);
        assert_eq!(client.request("initialize", hello).await.result()["protocolVersion"], spoken);
    }
}
each_transport_with_sessions!(f7_without_a_session_only_the_handshake_is_answered_in_every_revision);

async fn f7_a_connection_is_initialized_once(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    assert_eq!(client.request("initialize", hello).await.code(), -32600);
    client.request("tools/list", json!({})).await.result();
}
cases!(full_stdio_session; f7_a_connection_is_initialized_once);
