//! Other people's strategies: they stack with ours, learn what clients declare, and what they do wrong is answered
//! for (F6, C11).

use std::{io::Cursor, sync::Arc, time::Duration};

use kit::{
    client::names_in,
    messages::{hello, request, stateless},
};
use mcp_disclosure_core::{
    ClientTraits, Context, DisclosureStrategy, EXTENSION, Fault, Lifecycle, Listing, Noted, Own, OwnTool,
    PlugIn, Primitive, Profile, RawObject, ReceiptKey, Registry, View, full::Config,
};
use mcp_disclosure_gateway::{
    builtin,
    dispatch::{Assembly, Gateway},
    front::stdio::Stdio,
    negotiation::{Strategies, StrategyOptions},
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, duplex};

/// A strategy that cannot list.
#[derive(Debug)]
struct Broken;

static BROKEN: Profile = Profile::presenter("broken", "", "");

impl DisclosureStrategy for Broken {
    fn profile(&self) -> &Profile {
        &BROKEN
    }

    fn list(&self, _view: &View, _client: &ClientTraits) -> Listing {
        panic!("a custom strategy's fault")
    }
}

/// A presenter that shows names only.
#[derive(Debug)]
struct Names;

static NAMES: Profile = Profile::presenter("names", "", "");

impl DisclosureStrategy for Names {
    fn profile(&self) -> &Profile {
        &NAMES
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        let tools = view.tools().map(|tool| tool.minimal().with_value("description", "")).collect();
        Listing { tools, ..Listing::without_tools(view) }
    }
}

/// A presenter that lists what is there twice, and what is not.
#[derive(Debug)]
struct Odd;

static ODD: Profile = Profile::presenter("odd", "", "");

impl DisclosureStrategy for Odd {
    fn profile(&self) -> &Profile {
        &ODD
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        let complete = Listing::complete(view);
        let invented = [RawObject::empty(), RawObject::empty().with_value("name", "invented")];
        let tools = complete.tools.iter().chain(&complete.tools).chain(&invented).cloned().collect();
        Listing { tools, ..complete }
    }

    fn own(&self, _view: &View, _client: &ClientTraits) -> Own {
        let own = |name, schema| OwnTool::new(name, "", &schema);
        vec![own("mine", json!({})), own("mine", json!({})), own("closed", json!("nothing"))].into()
    }
}

/// A filter that leaves what the client's offer names as `only`, a beginning of names.
#[derive(Debug)]
struct Only;

static ONLY: Profile = Profile::filter("only", "", "");

impl DisclosureStrategy for Only {
    fn profile(&self) -> &Profile {
        &ONLY
    }

    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        let said = match event {
            Lifecycle::Opened(settings) => settings.string("only"),
            _ => None,
        };
        cx.remember(said.into_iter().map(|only| ("only".to_owned(), only.into())).collect());
        Ok(())
    }

    fn narrow(&self, view: View, noted: Noted<'_>) -> View {
        let Some(only) = noted.get("only").and_then(|only| only.as_str()) else { return view };
        view.narrow(|primitive| match primitive {
            Primitive::Tool(tool) => tool.key().starts_with(only),
            Primitive::Entry(..) => true,
        })
    }
}

/// A gateway before the demonstration.
async fn gateway(registry: &Registry, pinned: &str) -> Arc<Gateway> {
    let options = StrategyOptions { pinned: Some(pinned.to_owned()), ..StrategyOptions::default() };
    let strategies = Strategies::build(registry, &options).unwrap();
    let (target, declared) = mcp_disclosure_server::demonstration().unwrap();
    let key = ReceiptKey::new(&[1; ReceiptKey::LEAST_BYTES]).unwrap();
    let assembly = Assembly { upstreams: vec![target.into()], declared, ..Assembly::new(strategies, key) };
    Gateway::start(assembly).await.unwrap().gateway
}

/// What a client over stdio is answered who says all this at once, in the order of the answers.
async fn answers(gateway: &Arc<Gateway>, messages: &[Value]) -> Vec<Value> {
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let (ours, mut theirs) = duplex(1 << 20);
    let served = Stdio::new(Cursor::new(lines), ours, gateway.limits()).serve(gateway);
    tokio::time::timeout(Duration::from_secs(15), served).await.unwrap().unwrap();
    let mut answered = String::new();
    theirs.read_to_string(&mut answered).await.unwrap();
    answered.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn offer(settings: Value) -> Value {
    json!({"extensions": {EXTENSION: settings}})
}

fn stateless_list(settings: Value) -> Value {
    request(2, "tools/list", json!({"_meta": stateless(offer(settings))}))
}

/// The names that a list's result has.
fn names(answer: &Value) -> Vec<String> {
    names_in(answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")))
}

#[tokio::test]
async fn f6_a_strategy_that_panics_is_answered_for_in_the_handshake_too() {
    let mut registry = Registry::new();
    registry.register(PlugIn::new(&BROKEN, |Config {}| Broken)).unwrap();
    let gateway = gateway(&registry, "broken").await;
    let answered = answers(&gateway, &[hello(offer(json!({}))), stateless_list(json!({}))]).await;
    assert_eq!(answered.len(), 2, "{answered:?}");
    assert!(answered.iter().all(|answer| answer["error"]["code"] == -32603), "{answered:?}");
}

#[tokio::test]
async fn f6_what_a_strategy_must_not_list_is_left_out() {
    let mut registry = Registry::new();
    registry.register(PlugIn::new(&ODD, |Config {}| Odd)).unwrap();
    let gateway = gateway(&registry, "odd").await;
    let answered = answers(&gateway, &[stateless_list(json!({}))]).await;
    let names = names(&answered[0]);
    assert_eq!((names.len(), names.last().unwrap().as_str()), (12, "mine"), "{names:?}");
}

#[tokio::test]
async fn c11_filters_and_presenters_from_outside_stack_with_ours() {
    let mut registry = builtin();
    registry.register(PlugIn::new(&ONLY, |Config {}| Only)).unwrap();
    registry.register(PlugIn::new(&NAMES, |Config {}| Names)).unwrap();
    let list = request(3, "tools/list", json!({}));
    let approximate = json!({"only": "m", "concerns": {"precision": "approximate"}});
    for (pinned, settings, expected) in [
        ("only+info", json!({"only": "symbolic_s"}), vec!["symbolic_solve", "symbolic_simplify", "info"]),
        ("concerns+only+info", approximate.clone(), vec!["matrix_eigenvalues", "minimize", "info"]),
        // Concerns stand under what does not name them, too.
        ("only+names", approximate, vec!["matrix_eigenvalues", "minimize"]),
        (
            "names",
            json!({"concerns": {"precision": "exact"}, "only": "ignored"}),
            vec!["symbolic_solve", "symbolic_diff", "symbolic_integrate", "symbolic_simplify"],
        ),
    ] {
        let gateway = gateway(&registry, pinned).await;
        let answered = answers(&gateway, &[hello(offer(settings.clone())), list.clone()]).await;
        assert_eq!(answered[0]["result"]["capabilities"]["extensions"][EXTENSION]["selected"], pinned);
        assert_eq!(names(&answered[1]), expected, "{pinned}");
        let answered = answers(&gateway, &[stateless_list(settings)]).await;
        assert_eq!(names(&answered[0]), expected, "{pinned}");
    }
}
