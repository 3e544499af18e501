//! `get_group`, and the tools that call tools.

use mcp_disclosure_core::Executors;

use super::*;
use crate::wording::{CALL, CALL_READ_ONLY};

fn decide(
    view: &View,
    client: &ClientTraits,
    config: GroupsConfig,
    name: &str,
    arguments: &Value,
) -> Decision {
    let (call, strategy) = (fixtures::call(name, arguments), GroupsStrategy::new(config));
    asked(view, client, &Unlimited, async |cx| strategy.before_call(cx, call).await).0.unwrap()
}

pub(super) fn shown(view: &View, arguments: &Value) -> ToolAnswer {
    match decide(view, &bridged(), GroupsConfig::default(), GET, arguments) {
        Decision::Answer(answer) => answer,
        other => panic!("{arguments}: {other:?}"),
    }
}

#[test]
fn the_bridge_shows_groups_by_any_name_that_models_write() {
    let view = view(&[forge(), files(), grouped()]);
    for name in ["forge-issue", "Forge issue", "forge issue", "forge_issue", " forge-issue "] {
        let answer = shown(&view, &json!({"name": name}));
        assert_eq!((answer.is_error, &answer.content["group"]), (false, &json!("forge-issue")), "{name}");
        assert_eq!(answer.content["tools"].as_array().unwrap().len(), 4);
        assert!(answer.content["tools"][0]["inputSchema"].is_object());
    }
    assert_eq!(names(&shown(&view, &json!({"name": "forge"})).content["groups"]).len(), 5);
    let of_tool = shown(&view, &json!({"name": "close_label"})).content;
    assert_eq!(
        (&of_tool["group"], &of_tool["tools"][0]["name"]),
        (&json!("forge-label"), &json!("close_label"))
    );
    let unknown = shown(&view, &json!({"name": "forge-isue"}));
    assert_eq!((unknown.is_error, &unknown.content["suggestions"]), (true, &json!(["forge-issue"])));
    assert_eq!(names(&shown(&view, &json!({})).content["groups"]), ["forge", "files", "own"]);
    let wrong = decide(&view, &bridged(), GroupsConfig::default(), GET, &json!({"name": 7}));
    assert!(matches!(wrong, Decision::Refuse(_)));
}

#[test]
fn an_answer_about_a_huge_group_is_bounded_and_leads_to_every_tool() {
    let many: Vec<String> = (0..300).map(|at| format!("tool_{at}")).collect();
    let group = |name: &str, is_top: bool| OwnGroup { name: name.to_owned(), is_top, ..OwnGroup::default() };
    let prompts: Vec<String> = (0..300).map(|at| format!("prompt_{at}")).collect();
    let nested: Vec<OwnGroup> = (0..300)
        .map(|at| OwnGroup { tools: vec!["shared".to_owned()], ..group(&format!("nested-{at}"), false) })
        .collect();
    let huge = OwnGroup {
        tools: many.clone(),
        prompts: prompts.clone(),
        groups: nested.iter().map(|group| group.name.clone()).collect(),
        ..group("huge", true)
    };
    let groups = [vec![huge], nested].concat();
    let mut tools: Vec<Value> = many.iter().map(|name| tool(name)).collect();
    tools.push(tool("shared"));
    let prompts = prompts.iter().map(|name| raw(&json!({"name": name}))).collect();
    let view = view(&[UpstreamLists { groups, prompts, ..upstream("own", &tools) }]);
    let (mut asked, mut seen) = ("own-huge".to_owned(), HashSet::new());
    for _request in 0..300 {
        let config = GroupsConfig { answer_bytes: 2_000, ..GroupsConfig::default() };
        let decision = decide(&view, &bridged(), config, GET, &json!({"name": asked}));
        let Decision::Answer(answer) = decision else { panic!("{decision:?}") };
        assert!(answer.content.to_string().len() < 6_000, "{}", answer.content);
        let note = answer.content["note"].as_str().unwrap();
        for said in ["with the name of the last one", "prompts/list", "More groups"] {
            assert!(note.contains(said), "{note}");
        }
        let shown = names(&answer.content["tools"]);
        let count = seen.len();
        seen.extend(shown.iter().map(|name| (*name).to_owned()));
        if seen.len() == many.len() {
            return;
        }
        assert!(seen.len() > count, "no further tool after {asked}");
        asked = shown.last().unwrap().to_string();
    }
    panic!("{} tools are shown", seen.len());
}

#[test]
fn g12_the_executor_calls_every_tool_and_readers_only_what_reads() {
    let mut lists = files();
    let reading =
        json!({"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    lists.tools.push(raw(&reading));
    let view = view(&[lists, forge()]);
    let split = || GroupsConfig { executors: Executors::ByEffect, ..GroupsConfig::default() };
    let call = |caller: &str, tool: &str| {
        decide(&view, &bridged(), split(), caller, &json!({"tool": tool, "path": "x"}))
    };
    for (caller, tool, forwards) in [
        (CALL, "read_file", true),
        (CALL, "look", true),
        (CALL_READ_ONLY, "look", true),
        (CALL_READ_ONLY, "read_file", false),
        (CALL, "unknown", false),
        (CALL, CALL, false),
    ] {
        match call(caller, tool) {
            Decision::Forward(inner) => assert!(forwards && *inner.name == *tool, "{caller} {tool}"),
            Decision::Refuse(_) => assert!(!forwards, "{caller} {tool}"),
            other => panic!("{other:?}"),
        }
    }
    // To a host that knows groups, these are names like any other.
    assert!(matches!(decide(&view, &native(Era::Session), split(), CALL, &json!({})), Decision::Forward(_)));
}
