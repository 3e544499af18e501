//! Other people's strategies: they stack with ours, learn what clients declare, and what they do wrong is answered
//! for (F6, C11).

use kit::{
    Bench, Client, Identity, Setup,
    client::names_in,
    messages::{hello, request, stateless},
};
use mcp_disclosure_core::{
    ClientTraits, Context, DisclosureStrategy, EXTENSION, Fault, Lifecycle, Listing, Noted, Own, OwnTool,
    PlugIn, Primitive, Profile, RawObject, ReceiptKey, Registry, View, full::Config,
};
use mcp_disclosure_gateway::{
    Assembly, builtin,
    negotiation::{Strategies, StrategyOptions},
};
use serde_json::{Value, json};

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

/// A presenter that lists as every strategy does which says nothing of it.
#[derive(Debug)]
struct Plain;

static PLAIN: Profile = Profile::presenter("plain", "", "");

impl DisclosureStrategy for Plain {
    fn profile(&self) -> &Profile {
        &PLAIN
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
async fn gateway(registry: &Registry, pinned: &str) -> Bench {
    let options = StrategyOptions { pinned: Some(pinned.to_owned()), ..StrategyOptions::default() };
    let strategies = Strategies::build(registry, &options).unwrap();
    let (target, declared) = mcp_disclosure_server::demonstration().unwrap();
    let key = ReceiptKey::new(&[1; ReceiptKey::LEAST_BYTES]).unwrap();
    Bench::of(Assembly { upstreams: vec![target.into()], declared, ..Assembly::new(strategies, key) }).await
}

/// What a client over stdio is answered to each of these requests.
async fn answers<const N: usize>(gateway: &Bench, requests: [Value; N]) -> Vec<Value> {
    let client = Client::attach(gateway, Setup::named("full_stdio_session"), Identity::default());
    let mut answers = Vec::new();
    for request in requests {
        answers.push(client.send_message(request).await.answer());
    }
    answers
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
    let answered = answers(&gateway, [hello(offer(json!({}))), stateless_list(json!({}))]).await;
    assert!(answered.iter().all(|answer| answer["error"]["code"] == -32603), "{answered:?}");
}

#[tokio::test]
async fn f6_what_a_strategy_must_not_list_is_left_out() {
    let mut registry = Registry::new();
    registry.register(PlugIn::new(&ODD, |Config {}| Odd)).unwrap();
    let gateway = gateway(&registry, "odd").await;
    let answered = answers(&gateway, [stateless_list(json!({}))]).await;
    let names = names(&answered[0]);
    assert_eq!((names.len(), names.last().unwrap().as_str()), (12, "mine"), "{names:?}");
}

#[tokio::test]
async fn c11_filters_and_presenters_from_outside_stack_with_ours() {
    let mut registry = builtin();
    registry.register(PlugIn::new(&ONLY, |Config {}| Only)).unwrap();
    registry.register(PlugIn::new(&PLAIN, |Config {}| Plain)).unwrap();
    let list = request(3, "tools/list", json!({}));
    let approximate = json!({"only": "m", "concerns": {"precision": "approximate"}});
    for (pinned, settings, expected) in [
        ("only+info", json!({"only": "symbolic_s"}), vec!["symbolic_solve", "symbolic_simplify", "info"]),
        ("concerns+only+info", approximate.clone(), vec!["matrix_eigenvalues", "minimize", "info"]),
        // Concerns stand under what does not name them, too.
        ("only+plain", approximate, vec!["matrix_eigenvalues", "minimize"]),
        (
            "plain",
            json!({"concerns": {"precision": "exact"}, "only": "ignored"}),
            vec!["symbolic_solve", "symbolic_diff", "symbolic_integrate", "symbolic_simplify"],
        ),
    ] {
        let gateway = gateway(&registry, pinned).await;
        let answered = answers(&gateway, [hello(offer(settings.clone())), list.clone()]).await;
        assert_eq!(answered[0]["result"]["capabilities"]["extensions"][EXTENSION]["selected"], pinned);
        assert_eq!(names(&answered[1]), expected, "{pinned}");
        let answered = answers(&gateway, [stateless_list(settings)]).await;
        assert_eq!(names(&answered[0]), expected, "{pinned}");
    }
}
