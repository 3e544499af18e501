//! The strategy asked directly.

use futures::executor::block_on;
use mcp_disclosure_core::{
    About, Kind, Marks, Principal, Receipts, Registry, Settings, Snapshot, Unlimited, UpstreamLists,
    UpstreamName, Values,
};
use serde_json::value::to_raw_value;

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
    let mapped = |key: &str, name: &str, concerns: Value| {
        to_raw_value(&json!({key: name, "name": name, "inputSchema": {}, "_meta": {"concerns": concerns}}))
            .unwrap()
    };
    let all = |key: &str| {
        vec![
            mapped(key, "cheap", json!({"cost": "low", "delay": [5, 10]})),
            mapped(key, "dear", json!({"cost": "high"})),
            mapped(key, "any", json!({})),
        ]
    };
    let lists = UpstreamLists {
        tools: all("name"),
        resources: all("uri"),
        templates: all("uriTemplate"),
        prompts: all("name"),
        ..UpstreamLists::empty(UpstreamName::parse("kit").unwrap())
    };
    let snapshot = Snapshot::build(&[lists], &[]).unwrap().0.about_itself(about());
    View::of(snapshot.into(), &Principal::anonymous())
}

fn concerns(settings: Value) -> Concerns {
    Concerns::new(serde_json::from_value(settings).unwrap())
}

fn with<T>(memory: &Memory, era: Era, ask: impl FnOnce(&Context<'_>) -> T) -> T {
    let (view, client, marks) = (view(), ClientTraits::plain(era), Marks::default());
    ask(&Context {
        view: &view,
        client: &client,
        memory,
        receipts: Receipts::Marks(&marks),
        session: "test",
        fetches: &Unlimited,
    })
}

fn remembered<T>(memory: &Memory, outcome: &Outcome<T>) -> Memory {
    outcome.effects.iter().fold(memory.clone(), |memory, effect| match effect {
        Effect::Remember { strategy, changes } => memory.with(strategy, changes.clone()),
        other => panic!("{other:?}"),
    })
}

/// What is listed of each kind after a host chose.
fn listed(strategy: &Concerns, chosen: Value) -> [Vec<String>; 4] {
    let chosen = RawObject::parse(json!({"concerns": chosen}).to_string()).unwrap();
    let memory = with(&Memory::EMPTY, Era::Session, |cx| {
        let outcome = strategy.lifecycle(cx, &Lifecycle::Opened(&chosen));
        outcome.answer.as_ref().unwrap();
        remembered(&Memory::EMPTY, &outcome)
    });
    let view = strategy.narrow(view(), &ClientTraits::plain(Era::Session), &memory);
    let entries = |kind| view.entries(kind).map(|entry| entry.key().to_owned()).collect();
    [
        view.tools().map(|tool| tool.name().to_string()).collect(),
        entries(Kind::Resources),
        entries(Kind::Templates),
        entries(Kind::Prompts),
    ]
}

#[test]
fn c4_c5_c8_what_is_mapped_to_another_value_is_not_listed() {
    let strategy = concerns(json!({}));
    for (chosen, expected) in [
        (json!({}), vec!["cheap", "dear", "any"]),
        (json!({"cost": "low"}), vec!["cheap", "any"]),
        (json!({"cost": "high"}), vec!["dear", "any"]),
        (json!({"delay": 7}), vec!["cheap", "dear", "any"]),
        (json!({"delay": 1}), vec!["dear", "any"]),
        (json!({"delay": 7, "cost": "high"}), vec!["dear", "any"]),
        (json!({"delay": 1, "cost": "low"}), vec!["any"]),
        (json!({"mood": "good"}), vec!["cheap", "dear", "any"]),
    ] {
        for of_kind in listed(&strategy, chosen.clone()) {
            assert_eq!(of_kind, expected, "{chosen}");
        }
    }
}

#[test]
fn c12_what_was_not_chosen_takes_its_default_once_anything_was() {
    let strategy = concerns(json!({"unset": "default"}));
    assert_eq!(listed(&strategy, json!({}))[0], ["cheap", "dear", "any"]);
    assert_eq!(listed(&strategy, json!({"delay": 7}))[0], ["cheap", "any"]);
    assert_eq!(listed(&strategy, json!({"delay": 7, "cost": "high"}))[0], ["dear", "any"]);
}

#[test]
fn c3_c7_what_comes_in_initialized_is_never_an_error() {
    let strategy = concerns(json!({}));
    let said = RawObject::parse(r#"{"concerns":{"cost":"huge","delay":3}}"#).unwrap();
    with(&Memory::EMPTY, Era::Session, |cx| {
        assert!(strategy.lifecycle(cx, &Lifecycle::Opened(&said)).answer.is_err());
        let outcome = strategy.lifecycle(cx, &Lifecycle::Initialized(&said));
        assert_eq!(outcome.answer, Ok(()));
        let memory = remembered(&Memory::EMPTY, &outcome);
        assert_eq!(memory.of(NAME), Some(&Notes::from([("delay".to_owned(), json!(3))])));
    });
}

#[test]
fn c2_c6_concerns_are_listed_and_updated() {
    let strategy = concerns(json!({"unset": "default", "on_invalid_value": "clamp"}));
    let ask = |memory: &Memory, era, method: &str, params: Value| {
        let params = to_raw_value(&params).unwrap();
        with(memory, era, |cx| block_on(strategy.request(cx, method, &params)))
    };
    let answer = |outcome: &Outcome<Option<RawObject>>| {
        let answer = outcome.answer.as_ref().unwrap().as_ref();
        answer.map(|answer| serde_json::from_str::<Value>(answer.text()).unwrap())
    };
    for era in [Era::Session, Era::Stateless] {
        let declared = answer(&ask(&Memory::EMPTY, era, "listConcerns", json!({}))).unwrap();
        assert_eq!(declared["concerns"][0]["name"], "cost");
        assert_eq!(declared["concerns"][1]["values"], json!({"min": 0, "max": 10}));
    }
    let update = json!({"concerns": {"delay": 99, "mood": 1}});
    assert_eq!(answer(&ask(&Memory::EMPTY, Era::Stateless, "updateConcerns", update.clone())), None);
    let first = ask(&Memory::EMPTY, Era::Session, "updateConcerns", update);
    let told = answer(&first).unwrap();
    assert_eq!(told["concerns"], json!({"cost": "low", "delay": 10}));
    assert_eq!(told["warnings"].as_array().unwrap().len(), 2);
    let memory = remembered(&Memory::EMPTY, &first);
    let second = ask(&memory, Era::Session, "updateConcerns", json!({"concerns": {"cost": "high"}}));
    assert_eq!(answer(&second).unwrap()["concerns"], json!({"cost": "high", "delay": 10}));
    let memory = remembered(&memory, &second);
    let back =
        ask(&memory, Era::Session, "updateConcerns", json!({"concerns": {"cost": null, "delay": null}}));
    assert_eq!(answer(&back).unwrap()["concerns"], json!({}));
    assert!(remembered(&memory, &back).is_empty());
    for wrong in [json!({}), json!({"concerns": 7}), json!([])] {
        let refused = ask(&memory, Era::Session, "updateConcerns", wrong);
        assert!(refused.answer.is_err() && refused.effects.is_empty());
    }
}

#[test]
fn c11_it_stands_under_every_strategy_and_keeps_its_name() {
    let mut registry = Registry::new();
    registry.register_everywhere(Concerns::new).unwrap();
    let build = |name: &str| registry.build(name, &Settings::new()).unwrap();
    assert_eq!(build("full").profile().name, "full");
    for name in ["concerns", "concerns+full"] {
        assert_eq!(build(name).profile().name, "concerns+full");
    }
    assert!(registry.build("concerns+concerns+full", &Settings::new()).is_err());
    let memory = Memory::EMPTY.with(NAME, Notes::from([("cost".to_owned(), json!("low"))]));
    let client = ClientTraits::plain(Era::Session);
    for name in ["full", "concerns"] {
        let strategy = build(name);
        let view = strategy.narrow(view(), &client, &memory);
        assert_eq!(strategy.list(&view, &client).tools.len(), 2);
        let mut advertisement = Advertisement::default();
        strategy.advertise(&view, &mut advertisement);
        assert_eq!(
            advertisement.experimental.object("concerns").unwrap().member("concerns"),
            advertisement.settings.member("concerns")
        );
        assert!(advertisement.capabilities.member("concerns").unwrap().starts_with(r#"[{"name":"cost""#));
    }
}
