//! Valid files, and the problems reported for invalid ones.

use std::path::Path;

use clap::CommandFactory;
use mcp_disclosure_core::About;
use mcp_disclosure_gateway::upstream::{EndpointKind, Target};
use serde_json::json;

use super::{super::upstreams, *};
use crate::cli::Arguments;

fn wrong(text: &str) -> Vec<String> {
    let problems = DisclosureFile::parse("d.toml", text).and_then(|file| file.declare(&About::default()));
    problems.unwrap_err().iter().map(ToString::to_string).collect()
}

/// Asserts that these problems are reported, and no others.
#[track_caller]
fn says(text: &str, expected: &[&str]) {
    let messages = wrong(text);
    for part in expected {
        assert!(messages.iter().any(|message| message.contains(part)), "{part}\n{messages:#?}");
    }
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
}

#[test]
fn sections_are_read_in_the_order_in_which_they_are_written() {
    let file = DisclosureFile::parse(
        "d.toml",
        r#"
        [server]
        facts = { gpu_available = false, since = 2026-01-01, cores = 8 }
        [upstreams.zeta]
        command = "zeta"
        [upstreams.alpha]
        url = "https://example.com/mcp"
        [categories.files]
        description = "Reading and writing"
        tools = ["read_*", "write"]
        [tools."read.all"]
        brief = "Reads all"
        [tools."*_secret"]
        hidden = true
        [strategy.describe]
        long_briefs = "shorten"
        "#,
    )
    .unwrap();
    let names: Vec<_> = file.upstreams.0.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(names, ["zeta", "alpha"]);
    assert_eq!(file.strategy["describe"], json!({"long_briefs": "shorten"}));
    let (about, rules) = file.declare(&About::default()).unwrap();
    assert_eq!(about.facts.text(), r#"{"gpu_available":false,"since":"2026-01-01","cores":8}"#);
    let patterns: Vec<_> = rules.tools.iter().map(|rule| rule.pattern.text()).collect();
    assert_eq!(patterns, ["read.all", "*_secret", "read_*", "write"]);
}

#[test]
fn every_problem_is_reported_with_its_place() {
    says(
        r#"
zzz = "red"
tool_description = "x"
[server]
nmae = "x"
version = 2
[serve]
bridge = "sometimes"
listen = "8848"
[categories.a]
tools = "all"
[upstreams.u]
comand = "x"
[upstreams]
v = "npx"
[[tools]]
name = "x"
[strategy]
info = true
[[concerns]]
values = 7
[profiles.p.limits]
calls_per_minute = 0
[upstreams.w]
on_change = true
"#,
        &[
            "d.toml:2:1: unknown key zzz (hint: known keys: tool_descriptions, demo, server,",
            "d.toml:3:1: unknown key tool_description (hint: did you mean 'tool_descriptions'?)",
            "d.toml:5:1: unknown key server.nmae (hint: did you mean 'name'?)",
            "d.toml:6:11: server.version: expected a text, not 2",
            "d.toml:8:10: serve.bridge: 'sometimes' is none of auto, always, never",
            "d.toml:9:10: serve.listen: '8848': invalid socket address",
            "d.toml:11:9: categories.a.tools: expected a list, not a text (hint: docs/reference.md",
            "d.toml:13:1: unknown key upstreams.u.comand (hint: did you mean 'command'?)",
            "d.toml:15:5: upstreams.v must be a table, not of type string (hint: its keys are written below [upstreams.NAME])",
            "tools must be a table, not of type array",
            "d.toml:19:8: strategy.info must be a table, not of type boolean",
            "d.toml:21:10: concerns[0].values: values must be a list of strings",
            "d.toml:23:20: profiles.p.limits: expected a whole number from 1 to 4294967295, not 0 (hint: docs/reference.md",
            "d.toml:25:13: upstreams.w.on_change: expected a text (hint: docs/reference.md",
        ],
    );
}

#[test]
fn syntax_errors_are_reported_with_their_place() {
    let messages = wrong("[server]\nname = \"a\nversion = = 2\n");
    assert!(messages.len() >= 2, "{messages:#?}");
    assert!(messages[0].starts_with("d.toml:2:"), "{messages:#?}");
    let messages = wrong("[server]\nname = \"a\"\nname = \"b\"\n");
    assert!(messages[0].starts_with("d.toml:3:1: duplicate key"), "{messages:#?}");
    assert!(wrong("\u{feff}demo = 3")[0].starts_with("d.toml:1:8: demo"), "as editors count");
}

#[test]
fn inconsistent_sections_are_reported() {
    says(
        r#"
[[concerns]]
name = "cost"
values = ["low", "high"]
[[concerns]]
name = "cost"
values = ["low"]
[[concerns]]
name = "up"
values = { min = 2, max = 1 }
[[concerns]]
name = "none"
[tools.t]
brief = " "
category = "one"
concerns = { cots = "low", cost = "huge", none = 1 }
[tools.u]
category = ""
[tools."t*"]
brief = "All"
[categories.two]
tools = ["t", "t*", "u"]
"#,
        &[
            "d.toml:5:1: concern 'cost' is declared twice",
            "d.toml:8:1: concern 'up': min ",
            "d.toml:11:1: concern 'none' has no values",
            "d.toml:13:8: tools.\"t\": brief is empty",
            "tools.\"t\": unknown concern 'cots' (hint: did you mean 'cost'?)",
            "tools.\"t\": \"huge\" is not a value of concern 'cost' (hint: its values are low, high)",
            "tools.\"u\": category is empty",
            "tools.\"t*\": a pattern cannot have a brief",
            "tool 't' is in two categories, 'one' and 'two'",
        ],
    );
}

#[test]
fn variables_are_substituted_everywhere_except_in_upstreams() {
    let path = std::env::var("PATH").unwrap();
    let file =
        DisclosureFile::parse("d.toml", "[server]\nname = \"${PATH}\"\nversion = \"$${PATH}\"").unwrap();
    assert_eq!(file.server.name, Some(path));
    assert_eq!(file.server.version.as_deref(), Some("${PATH}"));
    let messages = wrong("[server]\nname = \"${NO_SUCH_VARIABLE_HERE}\"");
    assert!(
        messages[0].starts_with("d.toml:2:8: the environment variable NO_SUCH_VARIABLE_HERE is not set"),
        "{messages:?}"
    );
}

#[test]
fn u6_the_type_of_an_upstream_chooses_its_transport() {
    for (written, kind) in [
        ("", EndpointKind::Detect),
        ("type = \"http\"", EndpointKind::Streamable),
        ("type = \"sse\"", EndpointKind::Sse),
    ] {
        let text = format!("[upstreams.a]\nurl = \"https://example.com/mcp\"\n{written}");
        let file = DisclosureFile::parse("d.toml", &text).unwrap();
        let named = upstreams(&file, Path::new("")).unwrap();
        let Target::Url(endpoint) = &named[0].target else { panic!("{named:?}") };
        assert_eq!(endpoint.kind, kind, "{written}");
    }
}

#[test]
fn w4_no_flag_of_serve_is_missing_anywhere() {
    let schema: Value = serde_json::from_str(include_str!("../../../docs/disclosure.schema.json")).unwrap();
    let reference = include_str!("../../../docs/reference.md");
    let mut program = Arguments::command();
    let mut completions = Vec::new();
    clap_complete::generate(clap_complete::Shell::Bash, &mut program, "x", &mut completions);
    let completions = String::from_utf8(completions).unwrap();
    let serve = program.find_subcommand_mut("serve").unwrap();
    let help = serve.render_long_help().to_string();
    let (mut keys, mut alone) = (0, Vec::new());
    for flag in serve.get_arguments().filter(|flag| !flag.is_positional()) {
        let name = flag.get_long().unwrap();
        assert!(help.contains(&format!("--{name}")) && completions.contains(&format!("--{name} ")), "{name}");
        let key = name.replace('-', "_");
        // No flag has a table for a value: what is said of it tells whether there is such a key.
        let said = wrong(&format!("[serve]\n{key} = {{}}\n"));
        let is_key = !said[0].contains("unknown key");
        assert!(said[0].starts_with(if is_key { "d.toml:2:" } else { "d.toml:2:1: " }), "{said:?}");
        assert_eq!(schema["$defs"]["Serve"]["properties"][&key].is_object(), is_key, "{key}");
        assert!(!is_key || reference.contains(&format!("| `{key}` |")), "{key}");
        keys += usize::from(is_key);
        alone.extend((!is_key).then_some(name));
    }
    assert_eq!(alone, ["config", "mcp-config", "upstream-url", "principal", "help"]);
    let known = schema["$defs"]["Serve"]["properties"].as_object().unwrap();
    assert_eq!(known.len(), keys, "the schema has no others");
}

#[test]
fn every_key_of_the_file_is_known_to_the_reader() {
    let schema = serde_json::to_value(schemars::schema_for!(DisclosureFile)).unwrap();
    let mut keys: Vec<_> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut known: Vec<&str> = SECTIONS.iter().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    known.sort_unstable();
    assert_eq!(keys, known);
}

#[test]
fn the_documented_examples_are_read() {
    let page = include_str!("../../../docs/configuration.md");
    let schema: Value = serde_json::from_str(include_str!("../../../docs/disclosure.schema.json")).unwrap();
    let validator = jsonschema::options().build(&schema).unwrap();
    let fits = |text: &str| validator.is_valid(&toml::from_str::<Value>(text).unwrap());
    let blocks = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let blocks: Vec<&str> = blocks.collect();
    assert!(blocks.len() > 4);
    for block in blocks {
        DisclosureFile::parse("d.toml", block).unwrap().declare(&About::default()).unwrap();
        assert!(fits(block), "{block}");
    }
    assert!(fits("serve.fallback = \"full\"\ntools.x.hidden = true"));
    assert!(!fits("serve.fallbak = \"full\""));
    assert!(!fits("tools.x.hidden = \"yes\""));
}

#[test]
fn a_list_under_allow_is_what_may_be_read_and_a_table_is_about_a_resource_p3() {
    let read =
        |text: &str| DisclosureFile::parse("d.toml", text).unwrap().declare(&About::default()).unwrap().1;
    let rules =
        read("[resources]\nallow = [\"kit://*\", \"a/kit://b\"]\n[resources.\"kit://x\"]\nhidden = true\n");
    let allowed = rules.allowed_resources.unwrap();
    let texts: Vec<&str> = allowed.iter().map(|rule| rule.pattern.text()).collect();
    assert_eq!((texts, &*allowed[0].place), (vec!["kit://*", "a/kit://b"], "d.toml:2:9: resources.allow"));
    assert_eq!(rules.resources.len(), 1);
    assert_eq!(read("resources.allow = []\n").allowed_resources, Some(vec![]));
    let rules = read("[resources.allow]\nhidden = true\n");
    assert_eq!((rules.resources[0].pattern.text(), rules.allowed_resources), ("allow", None));
    for (text, message) in [
        ("[resources]\nallow = true\n", "d.toml:2:9: resources.allow: "),
        ("[resources]\nallow = [1]\n", "d.toml:2:9: resources.allow: "),
        ("[resources]\nalow = [\"x\"]\n", "d.toml:2:8: resources.alow must be a table"),
    ] {
        let messages = wrong(text);
        assert!(messages[0].starts_with(message), "{messages:?}");
    }
}
