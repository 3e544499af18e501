//! `describe` called directly, without a server (docs/CONTRACT.md B4, B5, D1, D3).

use mcp_disclosure_core::{
    Effect, Era, Fault, Note, RawText, Snapshot, Unlimited,
    fixtures::{self, asked, upstream, view_of, view_with},
};
use serde_json::{Value, json};

use super::*;

const LONG: &str =
    "This tool allows you to look something up in a place that takes long to name. Then it ends.";

fn describe(long_briefs: LongBriefs) -> Describe {
    Describe::new(DescribeConfig { long_briefs, ..DescribeConfig::default() })
}

fn native() -> ClientTraits {
    ClientTraits::plain(Era::Session)
}

fn bridged() -> ClientTraits {
    ClientTraits { bridge: true, ..native() }
}

fn ask(view: &View, method: &str, params: &Value) -> Result<Option<RawObject>, Fault> {
    let params = RawObject::parse(params.to_string()).unwrap();
    let describe = describe(LongBriefs::Reject);
    // Nothing is authorized here.
    let (answer, effects) =
        asked(view, &native(), &Unlimited, async |cx| describe.request(cx, method, &params).await);
    assert!(effects.iter().all(|effect| matches!(effect, Effect::Noted(_))));
    answer
}

fn call(view: &View, name: &str, arguments: &Value) -> Decision {
    let (call, describe) = (fixtures::call(name, arguments), describe(LongBriefs::Reject));
    let (decision, effects) =
        asked(view, &bridged(), &Unlimited, async |cx| describe.before_call(cx, call).await);
    assert!(effects.iter().all(|effect| matches!(effect, Effect::Noted(_))));
    decision.unwrap()
}

fn bridge(view: &View, arguments: &Value) -> (Value, bool) {
    match call(view, "describe_tools", arguments) {
        Decision::Answer(answer) => (answer.content, answer.is_error),
        other => panic!("{other:?}"),
    }
}

#[test]
fn d1_b4_long_briefs_are_objected_to_with_their_length() {
    let sixty = "\u{1F600}".repeat(30);
    let objections = |long_briefs, description: &str, brief: Option<&str>| {
        let tool = json!({"name": "t", "description": description, "inputSchema": {}});
        let described = brief.map(|brief| {
            let mut described = tool.clone();
            described["brief"] = brief.into();
            fixtures::file(&described)
        });
        let view = view_of(Snapshot::build(&[upstream("u", [tool])], &Vec::from_iter(described)));
        describe(long_briefs)
            .objections(&view)
            .into_iter()
            .map(|objection| objection.message)
            .collect::<Vec<_>>()
    };
    for (description, brief, what) in [
        (&*sixty, None, ""),
        (&format!("\n  {sixty}\n"), None, ""),
        (&format!("{sixty}!"), None, "description"),
        (LONG, Some("Brief enough."), ""),
        ("Short.", Some(&*"b".repeat(61)), "brief"),
    ] {
        let said = format!("tool 't': {what} has 61 characters (UTF-16 code units), limit 60");
        let said = if what.is_empty() { vec![] } else { vec![said] };
        assert_eq!(objections(LongBriefs::Reject, description, brief), said, "{description}");
        let written = if what == "brief" { said } else { vec![] };
        assert_eq!(objections(LongBriefs::default(), description, brief), written, "{description}");
        assert_eq!(objections(LongBriefs::Shorten, description, brief), [""; 0], "{description}");
    }
}

#[test]
fn b5_lists_keep_what_a_model_or_a_host_must_know() {
    let tool = |name: &str, title: &str, annotations: Value| json!({"name": name, "title": title, "description": "Does it.", "annotations": annotations});
    let view = view_with([
        tool(
            "drop_table",
            "Drop Table",
            json!({"title": "x", "destructiveHint": true, "openWorldHint": true}),
        ),
        tool("write", "Write a file", json!({"readOnlyHint": false, "destructiveHint": false})),
        tool("read", "read", json!({"readOnlyHint": true, "destructiveHint": false})),
        json!({"name": "bare", "annotations": 7}),
    ]);
    let listed = |client: ClientTraits| -> Vec<String> {
        let client = ClientTraits { omit_input_schema: true, ..client };
        let tools = describe(LongBriefs::Shorten).list(&view, &client).tools;
        tools.iter().map(|tool| tool.text().to_owned()).collect()
    };
    let expected = [
        r#"{"name":"drop_table","description":"Does it.","annotations":{"destructiveHint":true}}"#,
        r#"{"name":"write","title":"Write a file","description":"Does it.","annotations":{"readOnlyHint":false,"destructiveHint":false}}"#,
        r#"{"name":"read","description":"Does it."}"#,
        r#"{"name":"bare","description":"Bare"}"#,
    ];
    assert_eq!(listed(native()), expected);
    let shortest = listed(ClientTraits { shortest: true, ..native() });
    assert_eq!(
        shortest[..2],
        ["drop_table", "write"].map(|name| format!(r#"{{"name":"{name}","description":"Does it."}}"#))
    );
}

#[test]
fn d3_definitions_are_the_tool_objects_themselves() {
    let odd =
        r#"{"name":"odd" , "x-n":[1.0,1E2,123456789012345678901234567890],"inputSchema":{"type":"object"}}"#;
    let deep = format!(r#"{{"name":"deep","inputSchema":{}1{}}}"#, r#"{"not":"#.repeat(500), "}".repeat(500));
    let mut lists = upstream("u", []);
    lists.tools = [odd, &deep].map(|tool| RawText::parse(tool.to_owned()).unwrap()).into();
    let view = fixtures::view(&[lists]);
    let described = |params| ask(&view, "tools/describe", &params).unwrap().unwrap().text().to_owned();
    assert_eq!(described(json!({"name": "odd"})), odd);
    assert_eq!(described(json!({"name": "deep"})), deep);
    assert_eq!(described(json!({"names": ["deep", "odd"]})), format!(r#"{{"tools":[{deep},{odd}]}}"#));
    assert_eq!(described(json!({"names": []})), r#"{"tools":[]}"#);
    let unknown = ask(&view, "tools/describe", &json!({"names": ["odd", "Odd"]}));
    assert_eq!(unknown, Err(Fault::InvalidParams("Unknown tool: Odd".to_owned())));
    assert_eq!(ask(&view, "tools/other", &json!({})), Ok(None));
    let (content, failed) = bridge(&view, &json!({"names": ["odd", "deep"]}));
    assert_eq!((content["odd"]["name"].as_str(), failed), (Some("odd"), false));
    assert!(content["deep"]["error"].as_str().unwrap().contains("too deep"));
}

#[test]
fn o1_a_request_for_several_tools_is_one_that_delivered_descriptions() {
    let view = view_with([json!({"name": "a"}), json!({"name": "b"})]);
    let describe = describe(LongBriefs::Reject);
    let params = RawObject::parse(r#"{"names": ["a", "b"]}"#).unwrap();
    let by_method = async |cx: &Context<'_>| describe.request(cx, METHOD, &params).await.is_ok();
    let call = fixtures::call("describe_tools", &json!({"names": ["a", "b"]}));
    let by_bridge = async |cx: &Context<'_>| describe.before_call(cx, call).await.is_ok();
    for (is_answered, effects) in
        [asked(&view, &native(), &Unlimited, by_method), asked(&view, &bridged(), &Unlimited, by_bridge)]
    {
        assert!(is_answered);
        assert_eq!(effects, [Effect::Noted(Note::Delivered)]);
    }
}
