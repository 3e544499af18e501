//! `export`: what is served, as files that serve the same.

use std::{collections::BTreeMap, path::Path};

use kit::{messages::tool, scenario::Scenario};
use serde_json::json;

use super::{ODD, configured, opened, played, run, scratch, shown};
use crate::UPSTREAM;

/// Everything that a server of this source lists and answers, as it came over the wire.
pub(super) fn served(source: &[&str], calls: &[&str]) -> String {
    let mut gateway = opened(&[&["serve", "--strategy", "full"], source].concat());
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
            run(&[&["export", "--out", shown(&out)], flags, &*source].concat())
                .prints(0, &["mcp-disclosure serve --config "]);
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
    let (directory, scenario) = played(&Scenario::odd());
    let (_configured, file) = configured(&format!(
        r#"
        [server]
        name = "costs $${{nothing}}"
        [upstreams.odd]
        command = "ODD"
        env = {{ A = "${{PATH}}" }}
        prefix = "odd_"
        rename = {{ wait = "pause" }}
        request_timeout = 0.5
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
    assert_eq!(served(&after, &["odd_echo", "echo"]), served(&before, &["odd_echo", "echo"]));
    let text = std::fs::read_to_string(&exported).unwrap();
    assert!(text.contains("A = \"${PATH}\""), "variables stay variables\n{text}");
    for written in
        ["name = \"costs $${nothing}\"", "prefix = \"odd_\"", "wait = \"pause\"", "request_timeout = 0.5\n"]
    {
        assert!(text.contains(written), "{written}\n{text}");
    }
    assert_eq!(files(&out).len(), 2, "the configuration and the lock: no tool has a description of its own");
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
    assert_eq!(exported, moved);
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

#[test]
fn the_demonstration_is_written_down() {
    let (_directory, out) = scratch("out");
    run(&["export", "--out", shown(&out)]).says(0, &[]);
    let files = files(&out);
    assert_eq!(files.len(), 12, "nothing is reviewed of what the program has of its own");
    insta::assert_snapshot!("export_demonstration", files["disclosure.toml"]);
    insta::assert_snapshot!("export_convolve", files["convolve.json"]);
}

#[test]
fn nothing_is_replaced_unless_that_is_said_and_nothing_is_half_written() {
    let (directory, out) = scratch("out");
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
}

#[test]
fn tools_that_no_file_can_describe_are_reported_and_served_all_the_same() {
    let long = "n".repeat(260);
    let named = |name: &str| tool(name, "Does.").to_string();
    let mut tools: Vec<String> =
        ["a/b", "..", ".", "dots.in.it", "spaces and é", "wild*", &long].map(named).into();
    tools.push(r#"{"name": "mute",  "inputSchema": {"type": "object"}}"#.to_owned());
    tools.push(r#"{"name": "bare", "description": "Has no schema."}"#.to_owned());
    tools.push(r#"{"description": "Spaced \u00e9" , "name": "spaced", "inputSchema": { "type" : "object", "x": [1.0, 1E2] } }"#.to_owned());
    let (directory, scenario) = played(&Scenario::with_tools(tools));
    let source = ["--", UPSTREAM, &*scenario];
    let out = directory.path().join("out");
    run(&[&["export", "--definitions", "--out", shown(&out)], &source[..]].concat()).says(
        0,
        &[
            "tool 'a/b' has no description file: its name is no file name",
            "its name is too long for a file name",
            "tool '..' has no description file: a file of its name is hidden, and not read",
        ],
    );
    let names: Vec<String> = files(&out).into_keys().filter(|name| name.ends_with(".json")).collect();
    assert_eq!(
        names,
        ["bare.json", "dots.in.it.json", "mute.json", "spaced.json", "spaces and é.json", "wild*.json"]
    );
    let config = out.join("disclosure.toml");
    assert_eq!(served(&["--config", shown(&config)], &["a/b"]), served(&source, &["a/b"]));
}
