//! What differs between the channels that definitions come by, each before the real gateway.

use kit::{Bench, Scenario, Setup};
use mcp_disclosure_client::{CallError, Channel, Error, RawObject};
use serde_json::json;

use super::{calls_forwarded, entry_only, given, quiet, value};
use crate::odd;

/// The definitions that the upstream sent, by name.
fn sent(name: &str) -> RawObject {
    let tools = Scenario::odd().tools.into_iter().map(|tool| RawObject::parse(tool.get()).unwrap());
    tools.into_iter().find(|tool| tool.string("name").as_deref() == Some(name)).unwrap()
}

async fn d3_d6_definitions_come_whole_in_order_and_in_one_request(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let host = quiet(&bench, setup).await;
    assert_eq!(*host.channel(), Channel::Method);
    let wanted = ["odd ü,?&%", "echo", "odd ü,?&%"];
    let before = host.traffic();
    let definitions = host.describe(&wanted).await.unwrap();
    assert_eq!(host.traffic().round_trips - before.round_trips, 1);
    for (definition, name) in definitions.iter().zip(wanted) {
        assert_eq!((definition.name(), definition.object()), (name, &sent(name)));
        assert!(definition.receipt().is_none());
    }
    // A request with an unknown name delivered nothing; what was known before still is.
    let refused = host.describe(&["echo", "rich", "Echo"]).await;
    assert!(matches!(&refused, Err(Error::UnknownTool { name, .. }) if name == "Echo"), "{refused:?}");
    let known = host.traffic();
    host.describe(&["echo"]).await.unwrap();
    assert_eq!(host.traffic().round_trips - known.round_trips, 0);
    // Nothing has to be described before a call.
    host.call("rich", &json!({})).await.unwrap();
    assert_eq!(host.traffic().round_trips - known.round_trips, 1);
}
under_describe!(d3_d6_definitions_come_whole_in_order_and_in_one_request);

async fn i4_i5_tools_are_explained_with_stubs_and_without(setup: Setup) {
    for (options, listed) in [(odd(), Scenario::odd().tools.len() + 1), (entry_only(odd()), 2)] {
        let bench = Bench::start(options).await;
        let host = quiet(&bench, setup).await;
        assert_eq!((host.channel(), host.list().await.unwrap().len()), (&Channel::InfoTool, listed));
        let before = host.traffic();
        let echo = host.describe(&["echo"]).await.unwrap().remove(0);
        assert_eq!(host.traffic().round_trips - before.round_trips, 1);
        assert!(echo.input_schema().is_none());
        assert_eq!(value(echo.object())["parameters"]["limit"]["maximum"], 5);
        let Err(Error::UnknownTool { name, available }) = host.describe(&["ehco"]).await else { panic!() };
        assert_eq!(name, "ehco");
        assert!(available.contains(&"echo".to_owned()), "{available:?}");
    }
}

async fn i7_calls_go_through_invoke_where_that_is_all_there_is(setup: Setup) {
    let bench = Bench::start(entry_only(odd())).await;
    let host = quiet(&bench, setup).await;
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
    let failed = host.call("failing", &json!({})).await.unwrap();
    assert_eq!((failed.member("isError"), failed.member("x-odd")), (Some("true"), Some("1")));
    let refused = host.call("refusing", &json!({})).await;
    assert!(
        matches!(&refused, Err(Error::NoResult { error: CallError::Answered(error), .. }) if error.code() == -32042),
        "{refused:?}"
    );
    let names: Vec<_> = calls_forwarded(&host).await.into_iter().map(|call| call["name"].clone()).collect();
    assert_eq!(names, ["echo", "failing", "refusing"]);
}
under_info!(
    i4_i5_tools_are_explained_with_stubs_and_without,
    i7_calls_go_through_invoke_where_that_is_all_there_is,
);
