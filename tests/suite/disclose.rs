//! A gateway around one's own handler, in the words of an embedding program.

use std::{future::ready, time::Duration};

use kit::handlers::Panicking;
use mcp_disclosure_core::{DisclosureStrategy, Error as Registering, PlugIn, Profile, full};
use mcp_disclosure_gateway::{Disclosure, Error, disclose, negotiation::StrategyOptions};
use serde_json::json;
use tokio::net::TcpListener;

fn handler() -> Disclosure {
    disclose(Panicking)
}

/// `full` under a name of its own.
#[derive(Debug)]
struct Search;

static SEARCH: Profile = Profile::presenter("own", "", "");

impl DisclosureStrategy for Search {
    fn profile(&self) -> &Profile {
        &SEARCH
    }
}

fn search(_: full::Config) -> Search {
    Search
}

#[test]
fn a_strategy_that_is_unknown_or_set_wrong_is_an_error_with_all_its_problems() {
    let Err(Error::Configuration(problems)) = handler().strategy("nope").assembly() else { panic!() };
    assert!(problems.to_string().contains("unknown strategy 'nope', expected one of: full"), "{problems}");
    let settings = [("describe".to_owned(), json!({"odd": 1}))].into();
    let options = StrategyOptions { settings, ..StrategyOptions::default() };
    let error = handler().strategies(options).assembly().unwrap_err();
    assert!(std::error::Error::source(&error).is_none() && error.to_string().contains("odd"), "{error}");
}

#[test]
fn a_registered_strategy_serves_and_a_name_that_is_taken_does_not() {
    let assembly = handler().register(PlugIn::new(&SEARCH, search)).strategy("own").assembly().unwrap();
    assert!(assembly.strategies.offered().contains(&"own".to_owned()));
    let twice = handler().register(PlugIn::new(&SEARCH, search)).register(PlugIn::new(&SEARCH, search));
    let taken = twice.assembly().unwrap_err();
    assert!(matches!(taken, Error::Registration(Registering::DuplicateStrategy { .. })), "{taken}");
}

#[tokio::test]
async fn it_serves_until_it_is_stopped_and_an_address_in_use_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let Err(Error::Listen { address: shown, .. }) = handler().serve_http(address).await else { panic!() };
    assert_eq!(shown, address.to_string());
    let served = handler().until(ready(())).serve_on(listener);
    tokio::time::timeout(Duration::from_secs(15), served).await.unwrap().unwrap();
}
