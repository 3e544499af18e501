//! A client's trace context, of a gateway that exports none of its own (O3).

use kit::Setup;
use serde_json::json;

use crate::connected;

async fn o3_the_clients_trace_context_is_relayed_as_it_is(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let arguments = client.learn("echo", json!({"text": "t"})).await;
    // Nothing of it is read, so it need not be well-formed.
    for parent in ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "NOT-A-PARENT"] {
        let meta = json!({"traceparent": parent, "tracestate": "a=1,b=2", "baggage": "user=7"});
        let params = json!({"name": "echo", "arguments": arguments, "_meta": meta});
        client.request("tools/call", params).await.result();
        let forwarded = client.calls_forwarded().await;
        let received = &forwarded.last().unwrap()["_meta"];
        for member in ["traceparent", "tracestate", "baggage"] {
            assert_eq!(received[member], meta[member]);
        }
    }
}
each_way_in!(o3_the_clients_trace_context_is_relayed_as_it_is);
