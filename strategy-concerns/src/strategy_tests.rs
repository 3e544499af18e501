//! `concerns` called directly, without a server.

use futures::executor::block_on;
use mcp_disclosure_core::{
    About, Effect, Effects, Marks, Memory, PlugIn, Principal, Receipts, Registry, Settings, Snapshot,
    Unlimited, UpstreamLists, UpstreamName, Values,
};
use serde_json::{Value, json, value::to_raw_value};

use super::*;

fn about() -> About {
    let levels = Values::Listed(vec![json!("low"), json!("high")]);
    let range = Values::Range { min: 0.into(), max: 10.into() };
    let concerns = vec![
        Concern::new("cost", "What it costs", levels, Some(json!("low"))).unwrap(),
        Concern::new("delay", "Seconds", range, None).unwrap(),
    ];
    About { concerns, ..About::default() }
}

fn view() -> View {
    let tool = |name: &str, concerns: Value| {
        let tool = json!({"name": name, "inputSchema": {}, "_meta": {"concerns": concerns}});
        to_raw_value(&tool).unwrap().into()
    };
    let mut lists = UpstreamLists::empty(UpstreamName::parse("kit").unwrap());
    lists.tools = vec![
        tool("cheap", json!({"cost": "low"})),
        tool("dear", json!({"cost": "high"})),
        tool("any", json!({})),
    ];
    let snapshot = Snapshot::build(&[lists], &[]).about_itself(about());
    View::of(snapshot.into(), &Principal::anonymous())
}

fn concerns(settings: Value) -> Concerns {
    Concerns::new(serde_json::from_value(settings).unwrap())
}

/// Calls `ask` with a context of this memory. Returns the answer and the memory after it.
fn with<T>(memory: &Memory, era: Era, ask: impl FnOnce(&Context<'_>) -> T) -> (T, Memory) {
    let (view, client, marks) = (view(), ClientTraits::plain(era), Marks::default());
    let effects = Effects::default();
    let answer = ask(&Context {
        view: &view,
        client: &client,
        noted: Noted::new(memory, NAME),
        receipts: Receipts::Marks(&marks),
        session: "test",
        services: &Unlimited,
        effects: &effects,
    });
    let remembered = effects.into_vec().into_iter().fold(memory.clone(), |memory, effect| match effect {
        Effect::Remember { strategy, changes } => memory.with(&strategy, changes),
        Effect::Native => memory,
        other => panic!("{other:?}"),
    });
    (answer, remembered)
}

#[test]
fn c2_c6_concerns_are_listed_and_updated() {
    let strategy = concerns(json!({"unset": "default", "on_invalid_value": "clamp"}));
    let ask = |memory: &Memory, era, method: &str, params: Value| {
        let params = RawObject::parse(params.to_string()).unwrap();
        with(memory, era, |cx| block_on(strategy.request(cx, method, &params)))
    };
    let text = |answer: RawObject| serde_json::from_str::<Value>(answer.text()).unwrap();
    let answer =
        |(answer, memory): (Result<Option<RawObject>, Fault>, Memory)| (answer.unwrap().map(text), memory);
    for era in [Era::Session, Era::Stateless] {
        let declared = answer(ask(&Memory::EMPTY, era, "listConcerns", json!({}))).0.unwrap();
        assert_eq!(declared["concerns"][0]["name"], "cost");
        assert_eq!(declared["concerns"][1]["values"], json!({"min": 0, "max": 10}));
    }
    let update = json!({"concerns": {"delay": 99, "mood": 1}});
    let stateless = answer(ask(&Memory::EMPTY, Era::Stateless, "updateConcerns", update.clone()));
    assert_eq!(stateless, (None, Memory::EMPTY));
    let (updated, memory) = answer(ask(&Memory::EMPTY, Era::Session, "updateConcerns", update));
    let updated = updated.unwrap();
    assert_eq!(updated["concerns"], json!({"cost": "low", "delay": 10}));
    assert_eq!(updated["warnings"].as_array().unwrap().len(), 2);
    let dear = json!({"concerns": {"cost": "high"}});
    let (updated, memory) = answer(ask(&memory, Era::Session, "updateConcerns", dear));
    assert_eq!(updated.unwrap()["concerns"], json!({"cost": "high", "delay": 10}));
    let back = json!({"concerns": {"cost": null, "delay": null}});
    let (updated, none) = answer(ask(&memory, Era::Session, "updateConcerns", back));
    assert_eq!(updated.unwrap()["concerns"], json!({}));
    assert!(none.is_empty());
    for wrong in [json!({}), json!({"concerns": 7})] {
        let (refused, after) = ask(&memory, Era::Session, "updateConcerns", wrong);
        assert!(refused.is_err() && after == memory);
    }
}

#[test]
fn c11_it_filters_under_every_strategy_and_keeps_its_name() {
    let mut registry = Registry::new();
    registry.register(PlugIn::new(&PROFILE, Concerns::new).everywhere()).unwrap();
    let settings = Settings::new();
    let builder = registry.builder(&settings);
    let build = |name: &str| builder.build(name).unwrap();
    assert_eq!(build("full").profile().name, "full");
    for name in ["concerns", "concerns+full"] {
        assert_eq!(build(name).profile().name, "concerns+full");
    }
    assert!(builder.build("concerns+concerns+full").is_err());
    let memory = Memory::EMPTY.with(NAME, Notes::from([("cost".to_owned(), json!("low"))]));
    let client = ClientTraits::plain(Era::Session);
    for name in ["full", "concerns"] {
        let strategy = build(name);
        let view = strategy.narrow(view(), &memory);
        assert_eq!(strategy.list(&view, &client).tools.len(), 2);
        let advertisement = strategy.own(&view, &client).advertisement;
        assert_eq!(
            advertisement.experimental.object("concerns").unwrap().member("concerns"),
            advertisement.settings.member("concerns")
        );
        assert!(advertisement.capabilities.member("concerns").unwrap().starts_with(r#"[{"name":"cost""#));
    }
}
