//! Calls: what the strategy demands is done, and results come as they are.

use std::time::Duration;

use kit::{Bench, Options, Scenario, Setup, eventually};
use mcp_disclosure_client::{CallError, Channel, Error, Host, Preferences, RawObject};
use serde_json::json;

use super::{calls_forwarded, given, host, journal, link, preferences, quiet, value};
use crate::{UPSTREAM, info::entry_only, named, odd};

async fn calls_do_what_the_strategy_demands_first(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let host = host(&bench, setup).await;
    for text in ["one", "two"] {
        assert_eq!(given(&host.call("echo", &json!({"text": text})).await.unwrap()), json!({"text": text}));
    }
    let forwarded = calls_forwarded(&host).await;
    assert_eq!(forwarded.iter().map(|call| &call["arguments"]["text"]).collect::<Vec<_>>(), ["one", "two"]);
    assert!(forwarded.iter().all(|call| call["arguments"].as_object().unwrap().len() == 1));
}

async fn results_come_as_the_server_wrote_them(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let host = host(&bench, setup).await;
    let result = host.call("rich", &json!({})).await.unwrap();
    let sent = RawObject::parse(Scenario::odd().answers["tools/call rich"].get()).unwrap();
    for (member, text) in sent.object("result").unwrap().iter() {
        assert_eq!(result.member(member), Some(text), "{member}");
    }
    // A number beyond what floating point holds goes there and back.
    let arguments = RawObject::parse(r#"{"big":12345678901234567890123,"f":1.0}"#).unwrap();
    let echoed = host.call("garbage", &arguments).await.unwrap();
    let echoed = echoed.object("structuredContent").unwrap();
    assert_eq!(echoed.member("given"), Some(arguments.text()));
}

async fn tools_that_fail_and_servers_that_refuse_are_distinguished(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let host = host(&bench, setup).await;
    let failed = host.call("failing", &json!({})).await.unwrap();
    assert_eq!((failed.member("isError"), failed.member("x-odd")), (Some("true"), Some("1")));
    let refused = host.call("refusing", &json!({})).await;
    let Err(Error::NoResult { method, error: CallError::Answered(error) }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((&*method, error.code(), &*error.message()), ("tools/call", -32042, "Not like that é"));
    assert_eq!(value(&error.data().unwrap())["elicitations"], json!([{"x": 1.0}]));
    let unknown = host.call("unknown", &json!({})).await;
    let is_unknown_tool = match &unknown {
        Ok(result) => result.member("isError") == Some("true"),
        Err(Error::NoResult { error: CallError::Answered(error), .. }) => error.code() == -32602,
        Err(_) => false,
    };
    assert!(is_unknown_tool, "{unknown:?}");
}

async fn who_gives_up_is_not_waited_for(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let short = Preferences { request_timeout: Duration::from_secs(1), ..preferences(setup) };
    let hasty = Host::connect(link(&bench, setup), short).await.unwrap();
    // One that is as patient as others looks at what the upstream was sent.
    let host = host(&bench, setup).await;
    let cancelled = async |count: usize| {
        eventually("the cancellation", async || {
            let journal = journal(&host).await;
            let cancellations =
                journal.iter().filter(|message| message["method"] == "notifications/cancelled");
            (cancellations.count() == count).then_some(())
        })
        .await;
    };
    let timed_out = hasty.call("slow", &json!({})).await;
    let error = timed_out.unwrap_err();
    assert!(matches!(error, Error::NoResult { error: CallError::TimedOut { .. }, .. }), "{error:?}");
    cancelled(1).await;
    let calling = tokio::spawn(async move { hasty.call("slow", &json!({})).await });
    eventually("the call", async || (calls_forwarded(&host).await.len() == 2).then_some(())).await;
    calling.abort();
    cancelled(2).await;
}

async fn what_passes_is_counted_and_shown(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let seen = std::sync::Arc::new(std::sync::Mutex::new(0));
    let counting = std::sync::Arc::clone(&seen);
    let watching = Preferences {
        listens: false,
        observer: Some(std::sync::Arc::new(move |passage| {
            *counting.lock().unwrap() += passage.text.len() as u64;
        })),
        ..preferences(setup)
    };
    let host = Host::connect(link(&bench, setup), watching).await.unwrap();
    let connected = host.traffic();
    assert_eq!(connected.round_trips, 1);
    host.list().await.unwrap();
    let listed = host.traffic();
    assert_eq!(listed.round_trips, 2);
    let [sent, received] =
        [listed.sent_bytes - connected.sent_bytes, listed.received_bytes - connected.received_bytes];
    // Under `groups` nothing is listed that could be long.
    assert!(received > sent || setup.strategy == "groups");
    host.call("echo", &json!({"text": "x"})).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), host.traffic().bytes());
}

async fn arguments_that_are_headers_too_are_sent_as_such(setup: Setup) {
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    let schema = json!({"type": "object", "properties": {"region": region}, "required": ["region"]});
    let tool = json!({"name": "a", "description": "Does a.", "inputSchema": schema});
    let bench = Bench::start(Options::new(UPSTREAM, Scenario::with_tools([tool.to_string()]))).await;
    let host = host(&bench, setup).await;
    host.list().await.unwrap();
    let arguments = json!({"region": "Österreich"});
    assert_eq!(given(&host.call("a", &arguments).await.unwrap()), arguments);
}
everywhere!(calls_do_what_the_strategy_demands_first);
each_strategy!(
    results_come_as_the_server_wrote_them,
    tools_that_fail_and_servers_that_refuse_are_distinguished,
    what_passes_is_counted_and_shown,
);
each_way_in!(who_gives_up_is_not_waited_for);

// Which arguments are headers is in the schema, which comes by the strategy; only these requests have such headers.
cases!(
    full_http_stateless resource_http_stateless describe_http_stateless info_http_stateless search_http_stateless
    groups_http_stateless full_stdio_session;
    arguments_that_are_headers_too_are_sent_as_such,
);

async fn r14_an_expired_receipt_is_renewed(setup: Setup) {
    // Handles count whole seconds.
    let bench = Bench::start(Options { receipt_lifetime: Duration::from_secs(1), ..named(["a"]) }).await;
    let host = host(&bench, setup).await;
    let first = host.describe(&["a"]).await.unwrap().remove(0);
    assert!(first.receipt().is_some());
    eventually("another receipt", async || {
        assert_eq!(given(&host.call("a", &json!({})).await.unwrap()), json!({}));
        (host.describe(&["a"]).await.unwrap()[0].receipt() != first.receipt()).then_some(())
    })
    .await;
}
cases!(resource_stdio_stateless resource_http_stateless; r14_an_expired_receipt_is_renewed);

async fn i4_i5_i7_tools_are_explained_by_info_and_called_by_invoke_where_that_is_all_there_is(setup: Setup) {
    let bench = Bench::start(entry_only(odd())).await;
    let host = quiet(&bench, setup).await;
    assert_eq!(*host.channel(), Channel::InfoTool);
    let arguments = RawObject::parse(r#"{"text":"t","filters":{"n":1.0}}"#).unwrap();
    let before = host.traffic();
    let result = host.call("echo", &arguments).await.unwrap();
    assert_eq!(given(&result), value(&arguments));
    // The list, once, to see that there is nothing else.
    assert_eq!(host.traffic().round_trips - before.round_trips, 2);
    // What takes the name of a tool takes that of any other, ours included.
    host.call("info", &json!({"topic": "echo"})).await.unwrap();
    let wrong = host.call("echo", &json!({"text": 1})).await.unwrap();
    assert_eq!(value(&wrong)["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");
    let echo = host.describe(&["echo"]).await.unwrap().remove(0);
    assert!(echo.input_schema().is_none());
    assert_eq!(value(echo.object())["parameters"]["limit"]["maximum"], 5);
    let Err(Error::UnknownTool { name, available }) = host.describe(&["ehco"]).await else { panic!() };
    assert!(name == "ehco" && available.contains(&"echo".to_owned()), "{available:?}");
    let names: Vec<_> = calls_forwarded(&host).await.into_iter().map(|call| call["name"].clone()).collect();
    assert_eq!(names, ["echo"]);
}
under_info!(i4_i5_i7_tools_are_explained_by_info_and_called_by_invoke_where_that_is_all_there_is);
