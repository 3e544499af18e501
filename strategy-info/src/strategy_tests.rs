//! `info` called directly, without a server.

use std::sync::Arc;

use mcp_disclosure_core::{
    About, Category, Effect, Era, Fault, RawObject, RawText, Refusal, Snapshot, Stack, ToolName, Unlimited,
    fixtures::{asked, file, upstream, view_of},
};

use super::*;
use crate::{answer::MOST_AT_ONCE, wording::INVOKE};

/// The view of tools as `(name, category)`; an empty string means no category.
fn view<'a>(tools: impl IntoIterator<Item = (&'a str, &'a str)>) -> View {
    let (mut listed, mut files) = (Vec::new(), Vec::new());
    for (name, category) in tools {
        let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
        listed.push(json!({
            "name": name, "description": format!("Does {name}. And more."), "inputSchema": schema,
            "annotations": {"destructiveHint": true}
        }));
        if !category.is_empty() {
            files.push(file(&json!({
                "name": name, "description": format!("Does {name}."), "inputSchema": schema,
                "category": category, "related": ["b", "unknown", "a"]
            })));
        }
    }
    let facts = RawObject::parse(r#"{"gpu_available":false,"name":"from facts"}"#).unwrap();
    let declared = |name: &str| Category { name: name.to_owned(), description: format!("About {name}.") };
    let (name, description) = ("N".to_owned(), "D".to_owned());
    let categories = vec![declared("one"), declared("empty")];
    let about = About { name, description, facts, categories, ..About::default() };
    view_of(Snapshot::build(&[upstream("up", listed)], &files).about_itself(about))
}

fn some() -> View {
    view([("a", "one"), ("b", "two"), ("one", "two"), ("c", "")])
}

fn info(tools: OtherTools) -> Info {
    Info::new(InfoConfig { tools, ..InfoConfig::default() })
}

fn decide(strategy: Info, view: &View, name: &str, arguments: Option<&str>) -> Decision {
    run(&Stack::of(vec![], Arc::new(strategy)).unwrap(), view, name, arguments)
}

fn run(strategy: &Stack, view: &View, name: &str, arguments: Option<&str>) -> Decision {
    let arguments = arguments.map(|text| RawText::parse(text.to_owned()).unwrap());
    let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments };
    let client = ClientTraits::plain(Era::Session);
    let (decision, effects) =
        asked(view, &client, &Unlimited, async |cx| strategy.before_call(cx, call).await);
    assert!(effects.iter().all(|effect| matches!(effect, Effect::Noted(_))));
    decision.unwrap()
}

/// The answer to a topic, and whether it is an error.
fn ask(view: &View, topic: impl Into<Value>) -> (Value, bool) {
    let topic: Value = topic.into();
    let arguments = json!({"topic": topic}).to_string();
    match decide(info(OtherTools::Stubs), view, INFO, Some(&arguments)) {
        Decision::Answer(ToolAnswer { content, is_error }) => (content, is_error),
        other => panic!("{other:?}"),
    }
}

fn description(view: &View) -> String {
    let own = info(OtherTools::Stubs).own(view, &ClientTraits::plain(Era::Session)).tools;
    let info = own.iter().find(|tool| tool.name() == INFO);
    info.unwrap().definition().string("description").unwrap()
}

#[test]
fn i1_b7_the_description_stays_short_and_has_no_list_of_nothing() {
    let names: Vec<String> = (0..2_000).map(|at| format!("tool_{at}")).collect();
    let text = description(&view(names.iter().map(|name| (name.as_str(), name.as_str()))));
    assert!(text.ends_with(" more categories") && text.len() <= 8_000, "{}", text.len());
    assert!(!description(&view([])).contains(" tools:"));
}

#[test]
fn i3_i6_a_category_precedes_a_tool_of_its_name_and_both_have_an_exact_topic() {
    let one = json!({
        "category": "one", "description": "About one.", "tools": [{"name": "a", "brief": "Does a. [destructive]"}],
        "note": "A tool has the same name; its topic is tool:one"
    });
    assert_eq!(ask(&some(), "one"), (one.clone(), false));
    assert_eq!(ask(&some(), "category:one").0, one);
    let two = json!({"category": "two", "tools": [
        {"name": "b", "brief": "Does b. [destructive]"}, {"name": "one", "brief": "Does one. [destructive]", "topic": "tool:one"}
    ]});
    assert_eq!(ask(&some(), "two").0, two);
    assert_eq!(ask(&some(), "tool:one").0["tool"], "one");
    assert_eq!(ask(&some(), "tool:a").0, ask(&some(), "a").0);
    assert!(ask(&some(), "category:a").1 && ask(&some(), "tool:two").1);
    let odd = view([("overview", "tool:x"), ("category:y", "overview"), (" z ", "")]);
    for name in ["overview", "category:y", " z "] {
        assert_eq!(ask(&odd, format!("tool:{name}")).0["tool"], name);
    }
    assert_eq!(ask(&odd, " z ").0["tool"], " z ");
    assert_eq!(ask(&odd, "category:tool:x").0["tools"][0]["topic"], "tool:overview");
    assert_eq!(ask(&odd, "overview").0["categories"]["overview"]["topic"], "category:overview");
}

#[test]
fn i3_long_answers_are_paged() {
    let names: Vec<String> = (0..MOST_AT_ONCE * 2 + 1).map(|at| format!("tool_{at}")).collect();
    for (view, topic, member) in [
        (view(names.iter().map(|name| (name.as_str(), "many"))), "many", "tools"),
        (view(names.iter().map(|name| (name.as_str(), name.as_str()))), "overview", "categories"),
    ] {
        let (mut seen, mut next) = (0, Some(topic.to_owned()));
        while let Some(topic) = next {
            let (answer, failed) = ask(&view, &*topic);
            assert!(!failed, "{topic}");
            let part = &answer[member];
            seen += part.as_array().map_or_else(|| part.as_object().unwrap().len(), Vec::len);
            next = answer["next"].as_str().map(str::to_owned);
            let note = answer["note"].as_str().unwrap_or_default();
            assert!(next.as_ref().is_none_or(|next| note.contains(&format!("{next:?}"))), "{note}");
        }
        assert_eq!(seen, names.len());
        for nothing in ["#0", "#1000", "#-1", "#x", "#"] {
            assert!(ask(&view, format!("{topic}{nothing}")).1, "{nothing}");
        }
    }
}

#[test]
fn b10_several_topics_are_answered_under_their_names() {
    let view = view([("a", "one"), ("b", "two"), ("x,y", "two"), ("c", "")]);
    let asked = |topic: Value| ask(&view, topic);
    let both = json!({"topics": {"a": ask(&view, "a").0, "two": ask(&view, "two").0}});
    for topic in [json!("a,two"), json!(" a , two,a,"), json!(["a", "two"]), json!(r#"["a","two"]"#)] {
        assert_eq!(asked(topic.clone()), (both.clone(), false), "{topic}");
    }
    // Names with commas are exact, alone and among others; one topic is answered as ever.
    for topic in [json!("x,y"), json!(["x,y"]), json!(r#"["x,y"]"#)] {
        assert_eq!(asked(topic).0["tool"], "x,y");
    }
    let names =
        |topic: Value| asked(topic).0["topics"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(json!("b,x,y,c")), ["b", "x,y", "c"]);
    assert_eq!(names(json!("x,y,category:one")), ["x,y", "category:one"]);
    // A bad one is an error of its own; nothing but bad ones is an error.
    let (some, failed) = asked(json!("a,zzz"));
    assert_eq!((&some["topics"]["a"]["tool"], failed), (&json!("a"), false));
    assert_eq!(some["topics"]["zzz"]["error"], "Unknown topic: zzz");
    assert!(asked(json!("yyy,zzz")).1 && asked(json!(["zzz"])).1);
    assert_eq!(asked(json!([])), ask(&view, "overview"));
    // Their number is bounded.
    let most = InfoConfig::default().most_topics;
    let many = |count: usize| (0..count).map(|at| format!("t{at}")).collect::<Vec<_>>();
    assert_eq!(names(json!(many(most).join(","))).len(), most);
    for too_many in [json!(many(most + 1).join(",")), json!(many(1_000)), json!(many(100_000).join(","))] {
        let arguments = json!({"topic": too_many}).to_string();
        let decision = decide(info(OtherTools::Stubs), &view, INFO, Some(&arguments));
        let Decision::Refuse(refusal) = decision else { panic!("{decision:?}") };
        let expected = refusal.content["error"]["problems"][0]["expected"].as_str().unwrap();
        assert!(expected.contains("at most 16 topics") && expected.contains("most_topics"), "{expected}");
    }
}

#[test]
fn i4_a_tool_is_described_with_what_a_list_does_not_show() {
    let (content, _) = ask(&some(), "a");
    assert_eq!((&content["related"], content.get("annotations")), (&json!(["b", "a"]), None));
    let entry_only = decide(info(OtherTools::EntryOnly), &some(), INFO, Some(r#"{"topic":"a"}"#));
    let Decision::Answer(answer) = entry_only else { panic!("{entry_only:?}") };
    assert_eq!(answer.content["annotations"], json!({"destructiveHint": true}));
}

#[test]
fn i5_unknown_topics_are_answered_with_the_nearest_tools_and_their_briefs() {
    let view = view([("browser_take_screenshot", ""), ("browser_click", ""), ("two", "one"), ("one", "two")]);
    for (topic, first) in [
        ("screenshot", Some("browser_take_screenshot")),
        ("take a screenshot", Some("browser_take_screenshot")),
        ("Browser_Clik", Some("browser_click")),
        ("zzzz", None),
        ("tool:", None),
        ("\u{202e}\u{0}ü\u{1f600}", None),
        (&"x".repeat(1 << 20), None),
    ] {
        let (answer, failed) = ask(&view, topic);
        assert!(failed);
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with("Unknown topic: ") && error.chars().count() <= 140, "{error}");
        let suggestions = answer["suggestions"].as_array();
        let found = suggestions.map(|tools| tools[0]["name"].as_str().unwrap());
        assert_eq!(found, first, "{topic:.20}: {answer}");
        assert_eq!(answer.get("note").is_some(), first.is_none(), "{answer}");
        for tool in suggestions.into_iter().flatten() {
            assert!(
                tool["brief"].as_str().unwrap().starts_with("Does ")
                    && !ask(&view, tool["name"].as_str().unwrap()).1
            );
        }
    }
    assert_eq!(ask(&view, "category:onee").0["categories"], json!(["one"]));
}

/// Refuses every call except of `b`.
#[derive(Debug)]
struct OnlyB;

static ONLY_B: Profile = Profile::filter("only-b", "", "");

#[async_trait]
impl DisclosureStrategy for OnlyB {
    fn profile(&self) -> &Profile {
        &ONLY_B
    }

    async fn before_call(&self, _cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        Ok(match call.name.as_str() {
            "b" => Decision::Forward(call),
            _ => Decision::Refuse(Refusal { code: "NO", content: json!({}) }),
        })
    }
}

#[test]
fn a_filter_decides_on_the_inner_call_of_invoke() {
    let stack = Stack::of(vec![Arc::new(OnlyB)], Arc::new(info(OtherTools::EntryOnly))).unwrap();
    let run = |tool: &str| run(&stack, &some(), INVOKE, Some(&json!({"tool": tool}).to_string()));
    assert!(matches!(run("b"), Decision::Forward(call) if *call.name == *"b"));
    assert!(matches!(run("a"), Decision::Refuse(refusal) if refusal.code == "NO"));
}
