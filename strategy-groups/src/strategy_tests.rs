//! `groups` called directly, without a server.

use std::{collections::HashSet, sync::Arc};

use mcp_disclosure_core::{
    Effects, Era, Marks, Memory, Noted, OwnGroup, Permits, Primitive, Principal, RawText, Receipts, Snapshot,
    ToolAnswer, ToolName, Unlimited, UpstreamLists, UpstreamName, index::MAX_BYTES,
};
use serde_json::{Value, value::to_raw_value};

use super::*;

const NAMES: [&str; 5] = ["issue", "label", "branch", "release", "comment"];
const VERBS: [&str; 4] = ["list", "open", "close", "edit"];

fn tool(name: &str) -> Value {
    let path = json!({"type": "string", "description": "Which one is meant, in a sentence that is long enough to cost something"});
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object", "properties": {"path": path}}})
}

fn upstream(name: &str, tools: &[Value]) -> UpstreamLists {
    let tools = tools.iter().map(|tool| to_raw_value(tool).unwrap()).collect();
    let instructions = Some(format!("Use {name} with care."));
    UpstreamLists { tools, instructions, ..UpstreamLists::empty(UpstreamName::parse(name).unwrap()) }
}

/// An upstream whose twenty tools are of five categories.
fn forge() -> UpstreamLists {
    let tools = NAMES.iter().flat_map(|noun| VERBS.iter().map(move |verb| tool(&format!("{verb}_{noun}"))));
    upstream("forge", &tools.collect::<Vec<_>>())
}

fn files() -> UpstreamLists {
    upstream("files", &["read_file", "write_file", "move_file", "stat_file"].map(tool))
}

fn tiny() -> UpstreamLists {
    let tool = json!({"name": "now", "inputSchema": {"type": "object"}});
    UpstreamLists { instructions: None, ..upstream("clock", &[tool]) }
}

/// An upstream with groups of its own: `a`, and in it `b`, which leads back to `a`; `c`, which is in no other and shares a tool;
/// has what is not served; and one that nothing leads to.
fn grouped() -> UpstreamLists {
    let group = |name: &str, is_top: bool, tools: &[&str], groups: &[&str]| OwnGroup {
        name: name.to_owned(),
        description: format!("About {name}"),
        is_top,
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..OwnGroup::default()
    };
    let groups = vec![
        group("a", true, &["one", "two"], &["b"]),
        group("c", true, &["two", "three", "gone"], &["unknown"]),
        group("b", false, &["four"], &["a", "b"]),
        group("lost", false, &["five"], &[]),
    ];
    UpstreamLists { groups, ..upstream("own", &["one", "two", "three", "four", "five", "six"].map(tool)) }
}

fn snapshot(upstreams: &[UpstreamLists]) -> Arc<Snapshot> {
    Arc::new(Snapshot::build(upstreams, &[]).unwrap().0)
}

fn view(upstreams: &[UpstreamLists]) -> View {
    View::of(snapshot(upstreams), &Principal::anonymous())
}

fn permitted_only(names: &[&str]) -> Principal {
    Principal::new("p", Permits::of_tools(names.iter().map(|name| format!("*/{name}"))))
}

fn native(era: Era) -> ClientTraits {
    ClientTraits { declared: true, ..ClientTraits::plain(era) }
}

fn bridged() -> ClientTraits {
    ClientTraits { bridge: true, ..ClientTraits::plain(Era::Session) }
}

fn strategy() -> GroupsStrategy {
    GroupsStrategy::new(GroupsConfig::default())
}

/// Polls a future that is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("nothing here waits"),
    }
}

fn with_context<T>(view: &View, client: &ClientTraits, act: impl FnOnce(&Context<'_>) -> T) -> T {
    let (marks, effects) = (Marks::default(), Effects::default());
    act(&Context {
        view,
        client,
        noted: Noted::new(&Memory::EMPTY, NAME),
        receipts: Receipts::Marks(&marks),
        session: "test",
        fetches: &Unlimited,
        effects: &effects,
    })
}

fn request_of(
    strategy: &GroupsStrategy,
    view: &View,
    client: &ClientTraits,
    method: &str,
    params: &Value,
) -> Result<Option<Value>, Fault> {
    let params = to_raw_value(params).unwrap();
    let answer = with_context(view, client, |cx| now(strategy.request(cx, method, &params)))?;
    Ok(answer.map(|answer| serde_json::from_str(answer.text()).unwrap()))
}

fn request(view: &View, method: &str, params: &Value) -> Result<Value, Fault> {
    Ok(request_of(&strategy(), view, &native(Era::Session), method, params)?.unwrap())
}

fn get(view: &View, name: &str) -> Value {
    request(view, "groups/get", &json!({"name": name})).unwrap()
}

fn names(of: &Value) -> Vec<&str> {
    of.as_array().map(|all| all.iter().map(|one| one["name"].as_str().unwrap()).collect()).unwrap_or_default()
}

fn listed(view: &View, client: &ClientTraits) -> Vec<String> {
    let listing = strategy().list(view, client);
    listing.tools.iter().map(|tool| tool.string("name").unwrap()).collect()
}

/// Every group that can be reached from the top, with its contents.
fn reachable(view: &View) -> Vec<(String, Value)> {
    let top = request(view, "groups/list", &json!({})).unwrap();
    let mut next: Vec<String> = names(&top["groups"]).into_iter().map(str::to_owned).collect();
    let mut found: Vec<(String, Value)> = Vec::new();
    while let Some(name) = next.pop() {
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let contents = get(view, &name);
        next.extend(names(&contents["contents"]["groups"]).into_iter().map(str::to_owned));
        found.push((name, contents));
    }
    found
}

fn cases() -> Vec<View> {
    let all = [forge(), files(), tiny(), grouped()];
    let mut cases: Vec<View> = all.iter().map(|one| view(std::slice::from_ref(one))).collect();
    cases.push(view(&all));
    cases.push(view(&[]));
    let some = permitted_only(&["list_issue", "one", "read_file"]);
    cases.push(View::of(snapshot(&all), &some));
    cases
}

#[test]
fn g4_g8_g9_groups_are_listed_without_definitions_and_every_name_resolves() {
    for view in cases() {
        let top = request(&view, "groups/list", &json!({})).unwrap();
        for group in top["groups"].as_array().unwrap() {
            let members: HashSet<&str> = group.as_object().unwrap().keys().map(String::as_str).collect();
            assert!(members.is_subset(&["name", "title", "description", "_meta"].into()), "{group}");
            assert!(!group["description"].as_str().unwrap().trim().is_empty());
        }
        for (name, contents) in reachable(&view) {
            assert!(contents["instructions"].is_string() || contents["contents"].is_object(), "{name}");
        }
    }
}

#[test]
fn g6_every_tool_is_at_the_top_or_in_groups_and_g7_the_same_everywhere() {
    for view in cases() {
        let top = listed(&view, &native(Era::Session));
        let mut definitions: std::collections::HashMap<String, Value> = std::collections::HashMap::new();
        for (_, contents) in reachable(&view) {
            for tool in contents["contents"]["tools"].as_array().into_iter().flatten() {
                let name = tool["name"].as_str().unwrap();
                assert!(!top.iter().any(|listed| listed == name), "{name} is listed twice");
                assert_eq!(definitions.entry(name.to_owned()).or_insert_with(|| tool.clone()), tool);
            }
        }
        let all = listed(&view, &ClientTraits::plain(Era::Session));
        assert_eq!(top.len() + definitions.len(), all.len());
        assert!(all.iter().all(|name| top.contains(name) || definitions.contains_key(name)));
    }
}

#[test]
fn g5_definitions_are_those_of_full_to_the_byte() {
    let view = view(&[forge(), grouped()]);
    let full: Vec<RawObject> = mcp_disclosure_core::Full.list(&view, &native(Era::Session)).tools;
    let params = to_raw_value(&json!({"name": "forge-issue"})).unwrap();
    let answer =
        with_context(&view, &native(Era::Session), |cx| now(strategy().request(cx, "groups/get", &params)));
    let contents = answer.unwrap().unwrap().object("contents").unwrap();
    let tools: Vec<RawObject> = serde_json::from_str(contents.member("tools").unwrap()).unwrap();
    assert_eq!(tools.len(), 4);
    assert!(tools.iter().all(|tool| full.contains(tool)));
}

#[test]
fn g8_upstreams_and_their_categories_are_nested_one_level() {
    let view = view(&[forge(), files(), tiny()]);
    let top = request(&view, "groups/list", &json!({})).unwrap();
    assert_eq!(names(&top["groups"]), ["forge", "files"]);
    let forge = get(&view, "forge");
    let expected = ["forge-issue", "forge-label", "forge-branch", "forge-release", "forge-comment"];
    assert_eq!(names(&forge["contents"]["groups"]), expected);
    assert_eq!(forge["instructions"], "Use forge with care.");
    assert_eq!(names(&get(&view, "files")["contents"]["tools"]).len(), 4);
    // One tool of a few bytes costs less than its group.
    assert_eq!(listed(&view, &native(Era::Session)), ["now"]);
}

#[test]
fn g8_the_categories_of_one_upstream_are_not_nested_and_its_instructions_stay() {
    let view = view(&[forge()]);
    let top = request(&view, "groups/list", &json!({})).unwrap();
    assert_eq!(names(&top["groups"]).len(), 5);
    let listing = strategy().list(&view, &native(Era::Session));
    assert_eq!(listing.instructions.as_deref(), Some("Use forge with care."));
}

#[test]
fn g8_an_upstreams_own_groups_are_under_its_name_and_circles_end() {
    let alone = view(&[grouped()]);
    let top = request(&alone, "groups/list", &json!({})).unwrap();
    assert_eq!(names(&top["groups"]), ["own-a", "own-c"]);
    assert_eq!(top["groups"][0]["description"], "About a");
    assert_eq!(listed(&alone, &native(Era::Session)), ["five", "six"]);
    let beside = view(&[grouped(), files()]);
    assert_eq!(names(&get(&beside, "own")["contents"]["groups"]), ["own-a", "own-c"]);
    assert_eq!(names(&get(&beside, "own")["contents"]["tools"]), ["five", "six"]);
    for view in [alone, beside] {
        assert_eq!(names(&get(&view, "own-a")["contents"]["groups"]), ["own-b"]);
        assert_eq!(names(&get(&view, "own-b")["contents"]["tools"]), ["four"]);
        assert!(get(&view, "own-b")["contents"]["groups"].is_null());
        assert!(request(&view, "groups/get", &json!({"name": "own-lost"})).is_err());
    }
}

#[test]
fn g10_g16_what_is_hidden_is_unknown_and_its_parent_does_not_show_it() {
    let lists = [forge(), files(), grouped()];
    let some = permitted_only(&["list_issue", "three"]);
    let permitted = View::of(snapshot(&lists), &some);
    let narrowed = view(&lists).narrow(|primitive| match primitive {
        Primitive::Tool(tool) => ["list_issue", "three"].contains(&tool.key().as_str()),
        Primitive::Entry(..) => true,
    });
    for view in [permitted, narrowed] {
        let shown: HashSet<String> = reachable(&view).into_iter().map(|(name, _)| name).collect();
        assert!(
            shown.iter().all(|name| !["forge-label", "files", "own-a", "own-b"].contains(&name.as_str())),
            "{shown:?}"
        );
        for (_, contents) in reachable(&view) {
            assert!(names(&contents["contents"]["groups"]).iter().all(|name| shown.contains(*name)));
        }
        let error = |name: &str| request(&view, "groups/get", &json!({"name": name})).unwrap_err();
        let answered = |name: &str| match error(name) {
            Fault::NotFound { message, data } => {
                (message, data["name"] == name, data.as_object().unwrap().len())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(answered("forge-label"), answered("never-there"));
        assert_eq!(answered("own-b"), ("Group not found".to_owned(), true, 1));
    }
}

#[test]
fn g3_names_stay_when_other_upstreams_come_and_go() {
    let (one, all) = (view(&[forge()]), view(&[tiny(), grouped(), files(), forge()]));
    let of = |view: &View| -> HashSet<String> { reachable(view).into_iter().map(|(name, _)| name).collect() };
    assert!(of(&one).is_subset(&of(&all)), "{:?} {:?}", of(&one), of(&all));
}

#[test]
fn g11_answers_are_equal_and_carry_hints_without_sessions() {
    let view = view(&[forge(), files()]);
    for (method, params) in [("groups/list", json!({})), ("groups/get", json!({"name": "files"}))] {
        let ask = |era| request_of(&strategy(), &view, &native(era), method, &params).unwrap().unwrap();
        assert_eq!(ask(Era::Session), ask(Era::Session));
        let hinted = ask(Era::Stateless);
        assert_eq!((&hinted["resultType"], &hinted["cacheScope"]), (&json!("complete"), &json!("private")));
        assert!(hinted["ttlMs"].is_u64());
        assert!(ask(Era::Session)["ttlMs"].is_null());
    }
}

#[test]
fn g2_g13_without_the_extension_there_are_no_groups_and_the_list_is_flat() {
    let view = view(&[forge(), grouped()]);
    let plain = ClientTraits::plain(Era::Stateless);
    for method in ["groups/list", "groups/get"] {
        let answer = request_of(&strategy(), &view, &plain, method, &json!({"name": "forge"}));
        assert_eq!(answer, Ok(None));
    }
    let full = mcp_disclosure_core::Full.list(&view, &plain);
    assert_eq!(strategy().list(&view, &plain), full);
    assert!(strategy().own_tools(&view, &plain).is_empty());
    assert_eq!(strategy().announced(&view, &plain), None);
}

#[test]
fn g15_only_the_groups_at_the_top_are_announced() {
    let digest = |lists: &[UpstreamLists]| strategy().announced(&view(lists), &native(Era::Session)).unwrap();
    let mut changed = files();
    let schema = json!({"type": "object", "description": "another one that is as long as the old one and a little longer, so that its group stays"});
    changed.tools[0] =
        to_raw_value(&json!({"name": "read_file", "description": "Does read_file.", "inputSchema": schema}))
            .unwrap();
    assert_eq!(digest(&[forge(), files()]), digest(&[forge(), files()]));
    assert_eq!(digest(&[forge(), files()]), digest(&[forge(), changed]));
    assert_ne!(digest(&[forge(), files()]), digest(&[forge()]));
}

#[test]
fn g17_the_pages_are_the_list_and_foreign_cursors_are_refused() {
    let view = view(&[forge()]);
    let paged = GroupsStrategy::new(GroupsConfig { page: 2.try_into().unwrap(), ..GroupsConfig::default() });
    let ask = |params: &Value| request_of(&paged, &view, &native(Era::Session), "groups/list", params);
    let (mut seen, mut params, mut cursors) = (Vec::new(), json!({}), Vec::new());
    loop {
        let page = ask(&params).unwrap().unwrap();
        seen.extend(page["groups"].as_array().unwrap().clone());
        let Some(cursor) = page.get("nextCursor") else { break };
        cursors.push(cursor.clone());
        params = json!({"cursor": cursor});
    }
    assert_eq!(json!(seen), request(&view, "groups/list", &json!({})).unwrap()["groups"]);
    assert_eq!(cursors.len(), 2);
    let other = self::view(&[forge(), files()]);
    let foreign = request_of(&paged, &other, &native(Era::Session), "groups/list", &params);
    let wrong = |result| matches!(result, Err(Fault::InvalidParams(_)));
    assert!(wrong(foreign));
    for cursor in [json!("2"), json!(2), json!(""), json!("-"), json!("0-x"), json!("99999999999999999999-1")]
    {
        assert!(wrong(ask(&json!({"cursor": cursor}))), "{cursor}");
    }
}

#[test]
fn parameters_that_are_none_are_refused() {
    let view = view(&[forge()]);
    for (method, params) in [
        ("groups/get", json!({})),
        ("groups/get", json!({"name": 7})),
        ("groups/get", json!([])),
        ("groups/list", json!(7)),
    ] {
        assert!(matches!(request(&view, method, &params), Err(Fault::InvalidParams(_))), "{params}");
    }
}

fn decide(
    view: &View,
    client: &ClientTraits,
    config: GroupsConfig,
    name: &str,
    arguments: &Value,
) -> Decision {
    let arguments = Some(RawText::parse(arguments.to_string()).unwrap());
    let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments };
    with_context(view, client, |cx| now(GroupsStrategy::new(config).before_call(cx, call)).unwrap())
}

fn shown(view: &View, arguments: &Value) -> ToolAnswer {
    match decide(view, &bridged(), GroupsConfig::default(), GET, arguments) {
        Decision::Answer(answer) => answer,
        other => panic!("{arguments}: {other:?}"),
    }
}

#[test]
fn b7_the_bridge_says_what_is_behind_within_its_room() {
    let many: Vec<UpstreamLists> = (0..60)
        .map(|at| {
            let tools: Vec<Value> = (0..4).map(|of| tool(&format!("t{at}_{of}"))).collect();
            upstream(&format!("server-number-{at}"), &tools)
        })
        .collect();
    for (lists, named) in
        [(vec![forge(), files()], vec!["forge-issue (4)", "files (4)"]), (many, vec!["server-number-0"])]
    {
        let view = view(&lists);
        let tools = strategy().own_tools(&view, &bridged());
        let description = tools[0].definition().string("description").unwrap();
        assert!(description.len() <= MAX_BYTES, "{}", description.len());
        assert!(named.iter().all(|named| description.contains(named)), "{description}");
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
fn a_large_group_is_shown_as_far_as_it_fits_and_a_named_tool_always() {
    let view = view(&[forge(), files()]);
    let config = || GroupsConfig { answer_bytes: 400, ..GroupsConfig::default() };
    for (name, first) in [("forge-issue", "list_issue"), ("edit_issue", "edit_issue")] {
        let Decision::Answer(answer) = decide(&view, &bridged(), config(), GET, &json!({"name": name}))
        else {
            panic!()
        };
        let tools = answer.content["tools"].as_array().unwrap();
        assert_eq!((tools.len(), &tools[0]["name"]), (4, &json!(first)));
        let with_schema = tools.iter().filter(|tool| tool["inputSchema"].is_object()).count();
        assert!((1..4).contains(&with_schema), "{answer:?}");
        assert!(answer.content["note"].as_str().unwrap().contains("get_group"));
    }
}

#[test]
fn an_answer_about_a_huge_group_is_bounded_and_leads_to_every_tool() {
    let many: Vec<String> = (0..300).map(|at| format!("tool_{at}")).collect();
    let group = |name: &str, is_top: bool| OwnGroup { name: name.to_owned(), is_top, ..OwnGroup::default() };
    let entry = |key: &str, name: String| to_raw_value(&json!({key: name, "name": name})).unwrap();
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
    let prompts = prompts.into_iter().map(|name| entry("name", name)).collect();
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
    lists.tools.push(to_raw_value(&reading).unwrap());
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

#[test]
fn operators_write_instructions_by_group() {
    let view = view(&[forge(), files()]);
    let instructions = [("forge-issue".to_owned(), "Search first.".to_owned())].into();
    let strategy = GroupsStrategy::new(GroupsConfig { instructions, ..GroupsConfig::default() });
    let ask =
        |name| request_of(&strategy, &view, &native(Era::Session), "groups/get", &json!({"name": name}));
    assert_eq!(ask("forge-issue").unwrap().unwrap()["instructions"], "Search first.");
    assert_eq!(ask("files").unwrap().unwrap()["instructions"], "Use files with care.");
}

#[test]
fn g10_an_operators_text_is_for_one_group_wherever_another_has_its_name() {
    let lists = [upstream("git-hub", &[tool("a")]), upstream("git_hub", &[tool("b")]), files()];
    let instructions = [("git-hub".to_owned(), "For the first.".to_owned())].into();
    let strategy =
        GroupsStrategy::new(GroupsConfig { instructions, inline_bytes: 0, ..GroupsConfig::default() });
    let texts = |principal: &Principal| -> Vec<String> {
        let view = View::of(snapshot(&lists), principal);
        let groups = strategy.groups(&view);
        let of =
            |group: &Group| format!("{}: {}", group.name, group.instructions.as_deref().unwrap_or_default());
        groups.top().map(of).collect()
    };
    let all = texts(&Principal::anonymous());
    assert_eq!(all[0], "git-hub: For the first.");
    assert!(all[1].starts_with("git-hub-") && all[1].ends_with("Use git_hub with care."), "{all:?}");
    let second = texts(&permitted_only(&["b", "read_file", "stat_file"]));
    assert_eq!(second[0], "git-hub: Use git_hub with care.");
    assert_eq!(texts(&permitted_only(&["a", "read_file", "stat_file"]))[0], all[0]);
}

#[test]
fn g10_what_an_upstream_says_of_a_group_is_for_callers_who_have_all_of_it() {
    let own = |name: &str, tools: &[&str], groups: &[&str], is_top: bool| OwnGroup {
        name: name.to_owned(),
        title: Some(format!("Title of {name}")),
        description: format!("About {name} and secret"),
        instructions: Some(format!("{name}: secret first")),
        meta: Some(RawObject::parse(r#"{"secret":1}"#).unwrap()),
        tools: tools.iter().map(|name| (*name).to_owned()).collect(),
        groups: groups.iter().map(|name| (*name).to_owned()).collect(),
        is_top,
        ..OwnGroup::default()
    };
    let groups = vec![
        own("mixed", &["one", "secret"], &[], true),
        own("parent", &["two"], &["nested"], true),
        // A circle, which is whole where all of it is.
        own("nested", &["secret", "three"], &["parent"], false),
        own("whole", &["one"], &[], true),
        own("text", &[], &[], true),
    ];
    let lists = UpstreamLists { groups, ..upstream("own", &["one", "two", "three", "secret"].map(tool)) };
    let said = |principal: &Principal| -> Vec<String> {
        let view = View::of(snapshot(std::slice::from_ref(&lists)), principal);
        let found = reachable(&view);
        let has = |name: &str, contents: &Value| {
            let groups = Groups::of(&view, &GroupsConfig::default());
            let group = groups.named(name).unwrap();
            let parts = [contents["instructions"].to_string(), group.object().text().to_owned()];
            let said = parts.map(|part| part.contains("secret"));
            assert_eq!(said[0], said[1], "{name}");
            said[0]
        };
        let mut said: Vec<String> = found
            .iter()
            .filter(|(name, contents)| has(name, contents))
            .map(|(name, _)| name.clone())
            .collect();
        said.sort();
        said
    };
    assert_eq!(
        said(&Principal::anonymous()),
        ["own-mixed", "own-nested", "own-parent", "own-text", "own-whole"]
    );
    assert_eq!(said(&permitted_only(&["one", "two", "three"])), ["own-whole"]);
    let view = View::of(snapshot(std::slice::from_ref(&lists)), &permitted_only(&["one", "two", "three"]));
    let top = request(&view, "groups/list", &json!({})).unwrap();
    assert_eq!(top["groups"][0]["description"], "Title of mixed. 1 tool.");
    assert_eq!(names(&top["groups"]), ["own-mixed", "own-parent", "own-whole"]);
}

#[test]
fn categories_are_where_their_own_upstream_is() {
    let group = OwnGroup {
        name: "help".to_owned(),
        is_top: true,
        prompts: vec!["ask".to_owned()],
        ..OwnGroup::default()
    };
    let prompts = vec![to_raw_value(&json!({"name": "ask"})).unwrap()];
    let forge = UpstreamLists { name: UpstreamName::parse("github").unwrap(), ..forge() };
    let view = view(&[UpstreamLists { prompts, groups: vec![group], ..upstream("git", &[]) }, forge]);
    let groups = strategy().groups(&view);
    let names: Vec<&str> = groups.top().map(|group| group.name.as_str()).collect();
    assert_eq!(names[..2], ["git-help", "github-issue"]);
}

/// The fixture of the working group's suite.
fn fixture(callable: bool, groups: &[&str], description: &str) -> UpstreamLists {
    let of = |name: &str, groups: &[&str], callable: bool, schema: Value| {
        json!({"name": name, "description": format!("Read {name}"), "inputSchema": schema, "annotations": {"readOnlyHint": true},
            "_meta": {"experimental/deterministic-groups": {"groups": groups, "callable": callable}}})
    };
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let mut first = schema.clone();
    if !description.is_empty() {
        first["description"] = json!(description);
    }
    let tools = [
        of("list_tables", groups, callable, first),
        of("cluster_health", &["operations"], true, schema.clone()),
        of("server_version", &["query", "operations"], true, schema),
    ];
    upstream("database", &tools)
}

fn deterministic(text: &str) -> GroupsStrategy {
    let directory = [("query", text), ("operations", "Inspect cluster health")];
    let directory = directory.map(|(id, text)| (id.to_owned(), text.to_owned())).into();
    GroupsStrategy::new(GroupsConfig { deterministic: true, directory, ..GroupsConfig::default() })
}

fn ask_directory(view: &View, method: &str, params: &Value) -> Result<Value, Fault> {
    let strategy = deterministic("Inspect tables");
    Ok(request_of(&strategy, view, &bridged(), &format!("experimental/groups/{method}"), params)?.unwrap())
}

fn expand(view: &View, id: &str, revision: &Value) -> Result<Value, Fault> {
    ask_directory(view, "expand", &json!({"id": id, "revision": revision}))
}

fn revision(view: &View) -> Value {
    ask_directory(view, "list", &json!({})).unwrap()["revision"].clone()
}

fn rejected<T: std::fmt::Debug>(result: Result<T, Fault>) -> Value {
    match result {
        Err(Fault::Rejected { data, .. }) => data,
        other => panic!("{other:?}"),
    }
}

#[test]
fn m7_groups_are_entries_of_the_manifest_at_one_revision() {
    let view = view(&[fixture(true, &["query"], "")]);
    let list = ask_directory(&view, "list", &Value::Null).unwrap();
    assert_eq!(
        list["groups"],
        json!([{"id": "query", "description": "Inspect tables", "count": 2}, {"id": "operations", "description": "Inspect cluster health", "count": 2}])
    );
    let query = expand(&view, "query", &list["revision"]).unwrap();
    assert_eq!(
        (names(&query["entries"]), &query["revision"]),
        (vec!["list_tables", "server_version"], &list["revision"])
    );
    assert_eq!(
        query["entries"][0]["digest"],
        "sha256:02e0d498f95e751ba16ca721fe09d02bdc76567516d6992386527b90f307749e"
    );
    assert_eq!(query["entries"][0]["size"], 251);
    let operations = expand(&view, "operations", &list["revision"]).unwrap();
    assert_eq!(query["entries"][1], operations["entries"][1]);
    assert!(
        deterministic("").lists_completely(&view, &bridged())
            && !strategy().lists_completely(&view, &bridged())
    );
    assert!(deterministic("").own_tools(&view, &bridged()).is_empty());
}

#[test]
fn m7_a_revision_ends_with_whatever_the_caller_sees() {
    let all = view(&[fixture(true, &["query"], "")]);
    let old = revision(&all);
    for (lists, left) in [
        (fixture(true, &["operations"], ""), vec!["server_version"]),
        (fixture(true, &["query"], "Updated"), vec!["list_tables", "server_version"]),
        (fixture(false, &["query"], ""), vec!["list_tables", "server_version"]),
    ] {
        let changed = view(&[lists]);
        assert_eq!(rejected(expand(&changed, "query", &old)), json!({"reason": "staleView"}));
        let fresh = expand(&changed, "query", &revision(&changed)).unwrap();
        assert_eq!(names(&fresh["entries"]), left);
    }
    let other = View::of(snapshot(&[fixture(true, &["query"], "")]), &permitted_only(&["list_tables"]));
    assert_ne!(revision(&other), old);
    assert_eq!(rejected(expand(&other, "query", &old)), json!({"reason": "staleView"}));
    let reworded = request_of(
        &deterministic("Other"),
        &view(&[fixture(true, &["query"], "")]),
        &bridged(),
        "experimental/groups/list",
        &json!({}),
    );
    assert_ne!(reworded.unwrap().unwrap()["revision"], old);
}

#[test]
fn m7_hidden_groups_are_unknown_groups() {
    let view = View::of(snapshot(&[fixture(true, &["query"], "")]), &permitted_only(&["list_tables"]));
    let list = ask_directory(&view, "list", &json!({})).unwrap();
    assert_eq!((list["groups"].as_array().unwrap().len(), &list["groups"][0]["count"]), (1, &json!(1)));
    let (hidden, missing) =
        (expand(&view, "operations", &list["revision"]), expand(&view, "missing", &list["revision"]));
    assert_eq!(hidden, missing);
    assert_eq!(rejected(hidden), json!({"reason": "unknownGroup"}));
}

#[test]
fn m7_what_is_unavailable_does_not_run_and_what_is_revoked_is_unknown() {
    let view = View::of(
        snapshot(&[fixture(false, &["query"], "")]),
        &permitted_only(&["list_tables", "server_version"]),
    );
    let decide = |name: &str| {
        let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments: None };
        with_context(&view, &bridged(), |cx| now(deterministic("").before_call(cx, call)))
    };
    assert!(matches!(decide("list_tables"), Ok(Decision::Refuse(_))));
    assert!(matches!(decide("server_version"), Ok(Decision::Forward(_))));
    assert_eq!(rejected(decide("cluster_health")), json!({"unknownNames": ["cluster_health"]}));
}

#[test]
fn m7_what_a_filter_leaves_out_is_unavailable_all_the_same_and_its_own_tools_are_its_own() {
    let all = view(&[fixture(false, &["query"], "")]);
    let unlisted = all.narrow(|primitive| match primitive {
        Primitive::Tool(tool) => *tool.key().as_str() != *"list_tables",
        Primitive::Entry(..) => true,
    });
    let unlisted = unlisted.reserving(["choose_concerns".to_owned()]);
    let decide = |name: &str| {
        let call = ToolCall { name: ToolName::parse(name).unwrap(), arguments: None };
        with_context(&unlisted, &bridged(), |cx| now(deterministic("").before_call(cx, call)))
    };
    assert!(unlisted.tools().all(|tool| **tool.name() != *"list_tables"));
    assert!(matches!(decide("list_tables"), Ok(Decision::Refuse(_))));
    assert!(matches!(decide("choose_concerns"), Ok(Decision::Forward(_))));
    assert_eq!(rejected(decide("unheard_of")), json!({"unknownNames": ["unheard_of"]}));
}

#[test]
fn m7_the_directory_is_made_beside_the_workers_and_once() {
    let view = view(&[fixture(true, &["query"], "")]);
    let preparation = |method: &str| {
        with_context(&view, &bridged(), |cx| deterministic("Inspect tables").request_preparation(cx, method))
    };
    assert!(preparation("groups/list").is_none());
    let prepare = preparation("experimental/groups/list").expect("nothing is made yet");
    prepare(&view);
    assert!(preparation("experimental/groups/list").is_none());
    let list = ask_directory(&view, "list", &Value::Null).unwrap();
    assert_eq!(list["groups"][0]["description"], "Inspect tables");
}
