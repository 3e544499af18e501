//! `export`: what is served, as files that serve the same.

use std::{collections::BTreeMap, path::Path};

use kit::scenario::Scenario;
use serde_json::json;

use super::{ODD, configuration::configured, run, shown, start};
use crate::UPSTREAM;

/// Everything that a server of this source lists and answers, as it came over the wire.
pub(super) fn served(source: &[&str], calls: &[&str]) -> String {
    let mut gateway = start(&[&["serve", "--strategy", "full"], source].concat());
    gateway.initialize();
    for list in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        gateway.request(list, json!({}));
    }
    for tool in calls {
        gateway.call(tool, json!({"text": "same"}));
    }
    let ended = gateway.finish();
    ended.says(0, &[]);
    // The handshake is answered before upstreams of files have said anything, and they announce their lists.
    let answers = ended.stdout.lines().skip(1).filter(|line| !line.contains("/list_changed\""));
    answers.collect::<Vec<_>>().join("\n")
}

pub(super) fn files(directory: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

#[test]
fn serving_what_was_exported_changes_no_byte() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one.json"), directory.path().join("two.json"));
    Scenario::odd().write(&one);
    Scenario::named(["echo", "get", "no inputSchema here"]).write(&two);
    let out = directory.path().join("out");
    let config = out.join("disclosure.toml");
    for source in
        [vec!["--", UPSTREAM, shown(&one)], vec!["--name", "kit", "--", UPSTREAM, shown(&two)], vec![]]
    {
        for flags in [&[][..], &["--definitions"]] {
            let exported = run(&[&["export", "--out", shown(&out)], flags, &*source].concat());
            exported.says(0, &[]);
            assert!(exported.stdout.contains("mcp-disclosure serve --config "), "{}", exported.stdout);
            let again = served(&["--config", shown(&config)], &["echo"]);
            assert_eq!(again, served(&source, &["echo"]), "{source:?} {flags:?}");
            let checked = run(&["check", "--config", shown(&config)]);
            assert!(!checked.says(0, &[]).stdout.contains("drifted"), "{}", checked.stdout);
            std::fs::remove_dir_all(&out).unwrap();
        }
    }
}

#[test]
fn several_upstreams_and_what_is_said_of_them_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("scenario.json");
    Scenario::odd().write(&scenario);
    let (_configured, file) = configured(&format!(
        r#"
        [server]
        name = "costs $${{nothing}}"
        [upstreams.odd]
        command = "ODD"
        env = {{ A = "${{PATH}}" }}
        [upstreams.kit]
        command = {UPSTREAM:?}
        args = [{scenario:?}]
        [categories.mine]
        description = "Sorted by hand"
        tools = ["wait"]
        [pins]
        tools = ["kit/wait"]
        [[concerns]]
        name = "cost"
        values = {{ min = 0, max = 2.5 }}
        default = 1
        [tools."re*"]
        hidden = true
        [tools.wait]
        brief = "Waits"
        concerns = {{ cost = [0, 1] }}
        [resources."kit://doc"]
        hidden = true
        [strategy.info]
        tools = "entry-only"
        [serve]
        fallback = "info"
        "#
    ));
    let out = directory.path().join("out");
    let exported = out.join("disclosure.toml");
    run(&["export", "--config", shown(&file), "--out", shown(&out)]).says(0, &[]);
    let (before, after) = (["--config", shown(&file)], ["--config", shown(&exported)]);
    assert_eq!(served(&after, &["odd__echo", "kit__echo"]), served(&before, &["odd__echo", "kit__echo"]));
    let text = std::fs::read_to_string(&exported).unwrap();
    assert!(text.contains("A = \"${PATH}\""), "variables stay variables\n{text}");
    assert!(text.contains("name = \"costs $${nothing}\""), "{text}");
    let decided = "concerns = { cost = [0, 1] }\nmade_from = { definition = \"sha256:";
    assert!(text.contains(decided), "{text}");
    assert_eq!(files(&out).len(), 1, "no tool has a description of its own");
    // What was exported can be exported again, and is the same.
    let again = directory.path().join("again");
    run(&["export", "--config", shown(&exported), "--out", shown(&again)]).says(0, &[]);
    assert_eq!(files(&again), files(&out));
}

/// What a file can say that export has nothing to add to.
const KEPT: &str = r#"# Mine, with a comment.
[serve]   # not aligned
fallback = "info"

[limits]
message_bytes = 20_000_000

[auth]
tokens = [{ name = "ci", file = 'ci.token' },   { name = "env", env = "PATH" }] # kept
[[principals]]
name = "ci"
token = "ci"
tools = ["odd/echo"]
[profiles.small]
tools = ['odd/*']
[pins]
tools = [ "odd/wait" ]
[resources]
allow = ["kit://*"]

[upstreams.odd]
command = "ODD"
[tools."odd/echo"]
brief = "Says it again"
"#;

#[test]
fn u10_what_is_read_is_kept_byte_for_byte() {
    let (directory, file) = configured(KEPT);
    std::fs::write(directory.path().join("ci.token"), "0123456789abcdef0123456789abcdef").unwrap();
    let out = directory.path().join("out");
    let config = out.join("disclosure.toml");
    run(&["export", "--config", shown(&file), "--out", shown(&out)]).says(0, &[]);
    let (source, exported) =
        (std::fs::read_to_string(&file).unwrap(), std::fs::read_to_string(&config).unwrap());
    // The path was relative to the folder of the file.
    let token = directory.path().join("ci.token");
    let moved = source.replace("'ci.token'", &format!("{:?}", shown(&token)));
    assert!(exported.starts_with(&moved), "{exported}");
    assert!(exported[moved.len()..].starts_with("made_from = {"), "{}", &exported[moved.len()..]);
    // In place, with and without --replace.
    for flags in [&[][..], &["--replace"]] {
        run(&[&["export", "--out", shown(&out)], flags].concat()).says(0, &[]);
        assert_eq!(std::fs::read_to_string(&config).unwrap(), exported, "{flags:?}");
    }
    // What no export adds to a file that is there is refused.
    let other = directory.path().join("other");
    run(&["export", "--out", shown(&other), "--", ODD]).says(0, &[]);
    let before = files(&other);
    for flags in [&[][..], &["--replace"]] {
        let refused = run(&[&["export", "--config", shown(&file), "--out", shown(&other)], flags].concat());
        refused.says(
            64,
            &["disclosure.toml: 'auth' is not in", "'limits'", "'principals'", "'resources.allow'"],
        );
        assert_eq!(files(&other), before);
    }
}

/// What export itself wrote about tools, and nothing else.
#[test]
fn u10_replacing_writes_records_anew_and_keeps_decisions() {
    let directory = tempfile::tempdir().unwrap();
    let (scenario, out) = (directory.path().join("scenario.json"), directory.path().join("out"));
    let config = out.join("disclosure.toml");
    Scenario::named(["kept", "gone", "left"]).write(&scenario);
    run(&["export", "--out", shown(&out), "--name", "kit", "--", UPSTREAM, shown(&scenario)]).says(0, &[]);
    let text = std::fs::read_to_string(&config).unwrap();
    let left = "\n[tools.\"kit/left\"]\n";
    let by_hand = text.replace(left, &format!("{left}brief = 'Was left.'\n")) + "\n[limits] # mine\n";
    std::fs::write(&config, &by_hand).unwrap();
    Scenario::named(["kept", "new"]).write(&scenario);
    let ended = run(&["export", "--replace", "--out", shown(&out)]);
    assert!(ended.says(0, &[]).stdout.contains("not listed any more (1): kit/left\n"), "{}", ended.stdout);
    let replaced = std::fs::read_to_string(&config).unwrap();
    let gone = by_hand.find("\n[tools.\"kit/gone\"]").unwrap();
    let kept = format!("{}{}", &by_hand[..gone], &by_hand[by_hand.find(left).unwrap()..]);
    assert!(replaced.starts_with(&kept), "{replaced}");
    assert!(replaced[kept.len()..].starts_with("\n[tools.\"kit/new\"]"), "{replaced}");
}

#[test]
fn the_demonstration_is_written_down() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    run(&["export", "--out", shown(&out)]).says(0, &[]);
    let files = files(&out);
    assert_eq!(files.len(), 12);
    insta::assert_snapshot!("export_demonstration", files["disclosure.toml"]);
    insta::assert_snapshot!("export_convolve", files["convolve.json"]);
}

#[test]
fn categories_are_proposed_from_upstreams_names_and_annotations() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("scenario.json");
    let names = [
        "tab_open",
        "tab_close",
        "tab_list",
        "get_text",
        "get_url",
        "get_title",
        "click",
        "drag",
        "type_text",
    ];
    let tools = names.map(|name| {
        let annotations = json!({"readOnlyHint": name.starts_with("get")});
        json!({"name": format!("page_{name}"), "description": "Does.", "inputSchema": {"type": "object"}, "annotations": annotations}).to_string()
    });
    Scenario::with_tools(tools).write(&scenario);
    let out = directory.path().join("out");
    run(&["export", "--out", shown(&out), "--name", "page", "--", UPSTREAM, shown(&scenario)]).says(0, &[]);
    let text = std::fs::read_to_string(out.join("disclosure.toml")).unwrap();
    let categories = &text[text.find("[categories.").unwrap()..text.find("\n# Decisions").unwrap()];
    insta::assert_snapshot!("export_categories", categories);
}

#[test]
fn nothing_is_replaced_unless_that_is_said_and_nothing_is_half_written() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let export = ["export", "--out", shown(&out)];
    run(&export).says(0, &[]);
    let first = files(&out);
    // What cannot be read is refused before anything is written, also by what would replace it: it is the source, too.
    std::fs::write(out.join("fft.json"), "mine").unwrap();
    let before = files(&out);
    for flags in [&[][..], &["--replace"]] {
        run(&[&export[..], flags].concat()).says(64, &["fft.json: expected value at line 1 column 1"]);
        assert_eq!(files(&out), before);
    }
    std::fs::remove_file(out.join("disclosure.toml")).unwrap();
    std::fs::write(out.join("other.json"), "{}").unwrap();
    let before = files(&out);
    run(&[&export[..], &["--replace"]].concat())
        .says(64, &["other.json: is no file of this export (hint: remove it, or leave --replace out"]);
    assert_eq!(files(&out), before);
    std::fs::remove_file(out.join("other.json")).unwrap();
    run(&[&export[..], &["--replace"]].concat()).says(0, &[]);
    assert_eq!(files(&out), first);
    let none = directory.path().join("none");
    run(&["export", "--out", shown(&none), "--", "/no/such/program"]).says(1, &["/no/such/program"]);
    let (_configured, file) =
        configured("[upstreams.gone]\ncommand = \"/no/such/program\"\n[upstreams.odd]\ncommand = \"ODD\"\n");
    run(&["export", "--out", shown(&none), "--config", shown(&file)]).says(1, &["/no/such/program"]);
    assert!(!none.exists());
    run(&["export", "--out", shown(&out.join("fft.json"))]).says(64, &["fft.json: Not a directory"]);
    run(&["export"]).says(2, &["--out <DIR>"]);
}

#[test]
fn tools_that_no_file_can_describe_are_reported_and_served_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = directory.path().join("scenario.json");
    let long = "n".repeat(260);
    let named = |name: &str| {
        json!({"name": name, "description": "Does.", "inputSchema": {"type": "object"}}).to_string()
    };
    let mut tools: Vec<String> =
        ["a/b", "..", ".", "dots.in.it", "spaces and é", "wild*", &long].map(named).into();
    tools.push(r#"{"name": "mute",  "inputSchema": {"type": "object"}}"#.to_owned());
    tools.push(r#"{"name": "bare", "description": "Has no schema."}"#.to_owned());
    tools.push(r#"{"description": "Spaced \u00e9" , "name": "spaced", "inputSchema": { "type" : "object", "x": [1.0, 1E2] } }"#.to_owned());
    Scenario::with_tools(tools).write(&scenario);
    let source = ["--", UPSTREAM, shown(&scenario)];
    let out = directory.path().join("out");
    run(&[&["export", "--definitions", "--out", shown(&out)], &source[..]].concat()).says(
        0,
        &["tool 'a/b' is not written down: its name is no file name", "its name is too long for a file name"],
    );
    let names: Vec<String> = files(&out).into_keys().filter(|name| name.ends_with(".json")).collect();
    assert_eq!(
        names,
        [
            "...json",
            "..json",
            "bare.json",
            "dots.in.it.json",
            "mute.json",
            "spaced.json",
            "spaces and é.json",
            "wild*.json"
        ]
    );
    let config = out.join("disclosure.toml");
    assert_eq!(served(&["--config", shown(&config)], &["a/b"]), served(&source, &["a/b"]));
    run(&[&["export", "--replace", "--out", shown(&out.join("sections"))], &source[..]].concat())
        .says(0, &["tool 'wild*' is not written down: its name would be read as a pattern"]);
    let config = out.join("sections/disclosure.toml");
    assert_eq!(served(&["--config", shown(&config)], &["a/b"]), served(&source, &["a/b"]));
}
