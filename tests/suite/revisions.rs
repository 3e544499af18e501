//! HTTP upstreams of each revision that has Streamable HTTP (U7): what they are sent is what their revision demands, and
//! all that they offer reaches clients of both eras.

use axum::http::Method;
use kit::{
    Client, Options, Setup,
    client::names_in,
    eventually,
    revision::{Revision, RevisionServer},
    setup::Era,
};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::json;

use crate::{
    questions::{askable, converse},
    with_progress,
};

const ERAS: [Era; 2] = [Era::Session, Era::Stateless];

/// A client of this era uses everything that a server of this revision offers.
async fn everything(server: &RevisionServer, revision: Revision, era: Era) {
    let setup = Setup { era, ..Setup::named("full_http_session") };
    let options = Options::alone("old", Target::url(server.url().parse().unwrap()));
    let (bench, client) = askable(setup, options.own()).await;
    let mut tools = vec!["progress", "echo"];
    tools.extend(revision.has_elicitation().then_some("ask"));
    assert_eq!(client.tool_names().await, tools, "{era:?}");
    assert_eq!(names_in(&client.list("resources").await), ["doc"]);
    assert_eq!(names_in(&client.list("resourceTemplates").await), ["any"]);
    assert_eq!(names_in(&client.list("prompts").await), ["greet"]);
    let read = client.read("revision://doc").await.result();
    assert_eq!(read["contents"][0]["text"], revision.name());
    client.request("prompts/get", json!({"name": "greet"})).await.result();
    let steps = vec![json!(1), json!(2), json!(3)];
    assert_eq!(with_progress(&client, "progress").await, (steps, json!("progress")), "{era:?}");
    if revision.has_elicitation() {
        let (result, questions) = converse(&client, "ask").await;
        assert_eq!(questions.len(), 1, "{era:?}");
        assert_eq!(questions[0]["params"]["message"], "What is your name?");
        assert_eq!(result["content"][0]["text"], "accept Ada", "{era:?}");
    }
    follows_its_list(server, &client).await;
    bench.gateway.close().await;
    assert_eq!(server.faults(), [""; 0], "{revision:?}");
}

/// How many sessions were opened, and how many ended.
fn sessions(server: &RevisionServer) -> (usize, usize) {
    let received = server.received();
    let opened = received.iter().filter(|one| one.rpc_method() == "notifications/initialized").count();
    (opened, received.iter().filter(|one| one.method == Method::DELETE).count())
}

/// A tool that is announced on the stream of unasked messages is listed.
async fn follows_its_list(server: &RevisionServer, client: &Client) {
    eventually("a listener", async || (server.listeners() > 0).then_some(())).await;
    server.add_tool();
    eventually("the added tool", async || {
        client.tool_names().await.contains(&"added_0".to_owned()).then_some(())
    })
    .await;
}

/// The server may refuse a missing or other version or session id, and an incomplete header or `_meta`.
#[tokio::test]
async fn u7_all_that_it_offers_reaches_clients_of_both_eras() {
    for revision in Revision::ALL {
        for era in ERAS {
            let server = RevisionServer::start(revision).await;
            everything(&server, revision, era).await;
            let (opened, ended) = sessions(&server);
            assert_eq!(opened > 0, revision.has_sessions());
            assert_eq!(opened, ended, "each session is ended");
            if revision.has_sessions() {
                // The revision is in the header without a session's id, too.
                let server = RevisionServer::start_without_session_id(revision).await;
                everything(&server, revision, era).await;
            }
        }
    }
}
