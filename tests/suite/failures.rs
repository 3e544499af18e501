//! Upstreams that hang or panic: every request is answered, and the rest goes on (F6).

use std::time::Duration;

use kit::{Options, Scenario, Setup, eventually, handlers::Panicking, scenario::control};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::json;

use crate::{Described, connect, odd, several};

/// Another upstream beside the odd one.
fn two() -> Options {
    several([("kit", Scenario::odd()), ("other", Scenario::named(["alive"]))])
}

async fn f6_a_handler_that_panics_is_answered_for(setup: Setup) {
    let handlers = vec![("shaky", Target::handler(Panicking))];
    let (_bench, client) = connect(Options { handlers, ..odd() }, setup).await;
    for _ in 0..2 {
        assert_eq!(client.learn_and_call("panic", json!({})).await.code(), -32603);
    }
    client.learn_and_call("rich", json!({})).await.result();
}

async fn f6_an_upstream_that_hangs_while_it_lists_delays_no_other(setup: Setup) {
    let files = Described::by([]);
    let (_bench, client) = connect(files.before(two()), setup).await;
    client.read(&control("hang")).await.result();
    eventually("listing at the upstream", async || {
        let lists = client.journal().await.into_iter().filter(|message| message["method"] == "tools/list");
        (lists.count() > 3).then_some(())
    })
    .await;
    files.write(&json!({"name": "alive", "description": "Anew.", "inputSchema": {"type": "object"}}));
    let anew = eventually("the new description", async || {
        (client.tools().await.last().unwrap()["description"] == "Anew.").then_some(())
    });
    tokio::time::timeout(Duration::from_secs(20), anew).await.unwrap();
}
cases!(full_stdio_session; f6_an_upstream_that_hangs_while_it_lists_delays_no_other);

under_full!(f6_a_handler_that_panics_is_answered_for);
