//! Receipts where there are no sessions (R14).

use std::time::Duration;

use kit::{Bench, Client, HeaderAdmission, Identity, Options, Setup, client::receipt_of, eventually};
use serde_json::{Value, json};

use crate::{connect, connect_as, connected, named, odd, refusals::reason};

/// The same with receipts of this kind.
fn receipts(kind: &str, options: Options) -> Options {
    options.set("resource", json!({"receipts": kind}))
}

async fn r14_a_call_without_a_valid_receipt_is_refused_with_the_reason(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    assert_eq!(reason(&client.call("rich", json!({})).await.result()), "MISSING");
    let for_another = client.learn("failing", json!({})).await;
    for receipt in [for_another, json!({"disclosure_receipt": "made up"})] {
        assert_eq!(reason(&client.call("rich", receipt).await.result()), "INVALID");
    }
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

async fn r14_a_receipt_expires(setup: Setup) {
    // Handles count whole seconds.
    let (_bench, client) =
        connect(Options { receipt_lifetime: Duration::from_secs(1), ..named(["a"]) }, setup).await;
    let arguments = client.learn("a", json!({})).await;
    let reason = eventually("the end of the receipt", async || {
        let result = client.call("a", arguments.clone()).await.result();
        (result["isError"] == true).then(|| reason(&result).clone())
    })
    .await;
    assert_eq!(reason, "EXPIRED");
}

cases!(
    resource_stdio_stateless resource_http_stateless;
    r14_a_call_without_a_valid_receipt_is_refused_with_the_reason,
    r14_a_receipt_expires,
);

/// Those of sessions, too.
async fn r14_a_receipt_is_for_one_principal(setup: Setup) {
    let admission = HeaderAdmission::default().knowing("ann", &["a"]).knowing("bob", &["a"]);
    let options = named(["a"]).admitting(admission);
    let options = if setup.has_sessions() { receipts("signed", options) } else { options };
    let identity = || Identity::offering("resource");
    let (bench, ann) = connect_as(options, setup, identity().known_as("ann")).await;
    let arguments = ann.learn("a", json!({})).await;
    for other in [identity().known_as("bob"), identity()] {
        let other = Client::connect_as(&bench, setup, other).await;
        assert_eq!(reason(&other.call("a", arguments.clone()).await.result()), "INVALID");
    }
    let again = Client::connect_as(&bench, setup, identity().known_as("ann")).await;
    assert_ne!(again.call("a", arguments).await.result()["isError"], true);
}
cases!(resource_http_session resource_http_stateless; r14_a_receipt_is_for_one_principal);

/// As adapters that open a session for each call.
async fn r8_r14_a_client_that_calls_in_another_session_than_it_read_in_is_signed_receipts(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let session = || Client::connect(&bench, setup);
    let given = json!({"text": "hello"});
    let described = session().await.describe("echo").await.text_as_json();
    assert_eq!(receipt_of(&described["echo"]), None);
    assert_eq!(described["echo"]["inputSchema"]["required"], json!(["text"]));
    session().await.call("echo", given.clone()).await.refusal("TOOL_DESCRIPTION_REQUIRED");
    let reader = session().await;
    let entry = reader.describe("echo").await.text_as_json()["echo"].clone();
    let receipt = receipt_of(&entry).unwrap();
    let result = reader.call("echo", given.clone()).await.result();
    assert_eq!(result["structuredContent"]["given"], given, "its own session is marked as well");
    let caller = session().await;
    assert_eq!(reason(&caller.call("echo", given.clone()).await.result()), "MISSING");
    let signed = json!({"text": "hello", "disclosure_receipt": receipt});
    let result = caller.call("echo", signed.clone()).await.result();
    assert_eq!(result["structuredContent"]["given"], given);
    // What is signed is for this tool.
    assert_eq!(reason(&caller.call("failing", signed).await.result()), "INVALID");
}

async fn r8_a_client_that_calls_where_it_reads_is_not_signed_receipts(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let session = || Client::connect(&bench, setup);
    let call = async |client: &Client, tool| client.call(tool, json!({"text": "x"})).await.result();
    let reader = session().await;
    reader.describe("echo").await;
    assert_ne!(call(&reader, "echo").await["isError"], true);
    // Neither a call of a tool that was called where it was read, nor of one that was never read, says so.
    for tool in ["echo", "failing"] {
        reason(&call(&session().await, tool).await);
    }
    assert_eq!(receipt_of(&session().await.describe("echo").await.text_as_json()["echo"]), None);
    let bench = Bench::start(receipts("session", odd())).await;
    for _ in 0..2 {
        let entries = Client::connect(&bench, setup).await.describe("echo").await.text_as_json();
        assert_eq!(receipt_of(&entries["echo"]), None);
        call(&Client::connect(&bench, setup).await, "echo").await;
    }
}
cases!(
    resource_stdio_session resource_http_session;
    r8_r14_a_client_that_calls_in_another_session_than_it_read_in_is_signed_receipts,
    r8_a_client_that_calls_where_it_reads_is_not_signed_receipts,
);

async fn r14_signed_receipts_outlive_the_session(setup: Setup) {
    let (bench, first) = connect(receipts("signed", odd()), setup).await;
    assert!(first.introduction["instructions"].as_str().unwrap().contains("including disclosure_receipt"));
    let schema = first.describe("echo").await.text_as_json()["echo"]["inputSchema"].clone();
    assert_eq!(schema["required"], json!(["text", "disclosure_receipt"]));
    let receipt = schema["properties"]["disclosure_receipt"]["const"].clone();
    // The session is not marked: what a call has to bring does not depend on where the fetch was.
    let refused = first.call("echo", json!({"text": "x"})).await.result();
    assert_eq!(reason(&refused), "MISSING");
    let steps = refused["structuredContent"]["error"]["instructions"].to_string();
    assert!(steps.contains("again with the disclosure_receipt in the description's inputSchema"), "{steps}");
    let second = Client::connect(&bench, setup).await;
    for client in [&first, &second] {
        let result =
            client.call("echo", json!({"text": "hello", "disclosure_receipt": receipt})).await.result();
        assert_eq!(result["structuredContent"]["given"], json!({"text": "hello"}));
    }
    let forged = json!({"text": "x", "disclosure_receipt": "made up"});
    assert_eq!(reason(&second.call("echo", forged).await.result()), "INVALID");
    // By the letter of the source another session's fetch authorizes nothing, whatever a call contains.
    let (_bench, client) = connect(receipts("session", odd()), setup).await;
    let refused = client.call("echo", json!({"text": "x", "disclosure_receipt": receipt})).await;
    refused.refusal("TOOL_DESCRIPTION_REQUIRED");
}

cases!(resource_stdio_session resource_http_session; r14_signed_receipts_outlive_the_session);
