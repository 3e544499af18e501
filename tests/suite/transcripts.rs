//! `compare --transcript`: one task under each strategy, step by step; in every format the same.

use std::fs;

use kit::process::{Ended, Process};
use serde_json::{Value, json};

use crate::{command_line::program, compare::keys};

/// Runs `compare --transcript` to its end.
#[track_caller]
fn transcript(arguments: &[&str]) -> Ended {
    let flags = ["compare", "--transcript"];
    Process::start(&mut program(&[&flags, arguments].concat())).finish()
}

/// The transcript as JSON.
#[track_caller]
fn played(arguments: &[&str]) -> Value {
    transcript(&[&["--format", "json"], arguments].concat()).json()
}

fn list<'a>(value: &'a Value, member: &str) -> &'a Vec<Value> {
    value[member].as_array().unwrap_or_else(|| panic!("{value} has no list {member}"))
}

/// The act of a strategy by a course.
#[track_caller]
fn act<'a>(played: &'a Value, strategy: &str, course: &str) -> &'a Value {
    let strategy = list(played, "strategies").iter().find(|played| played["name"] == strategy).unwrap();
    list(strategy, "acts").iter().find(|act| act["course"] == course).unwrap()
}

/// Who did what in an act.
fn deeds(act: &Value) -> Vec<String> {
    let deed =
        |step: &Value| format!("{} {}", step["speaker"].as_str().unwrap(), step["kind"].as_str().unwrap());
    list(act, "steps").iter().map(deed).collect()
}

/// The texts of the steps of this kind.
fn texts<'a>(act: &'a Value, kind: &str) -> Vec<&'a str> {
    let steps = list(act, "steps").iter().filter(|step| step["kind"] == kind);
    steps.map(|step| step["text"].as_str().unwrap()).collect()
}

/// The names of all members, and the values of those that have a few.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.push(name.clone());
            match name.as_str() {
                // What a member of a message or of the user's is named is not ours to document.
                "messages" | "arguments" | "answer" => {}
                "kind" | "speaker" | "course" | "ending" => found.push(value.as_str().unwrap().to_owned()),
                _ => names(value, found),
            }
        }),
        _ => {}
    }
}

#[test]
fn q1_the_json_has_the_documented_members() {
    let played = played(&[]);
    let (_, documented) = include_str!("../../docs/compare.md").split_once("## Transcripts").unwrap();
    let mut found = Vec::new();
    names(&played, &mut found);
    for name in found {
        assert!(documented.contains(&format!("`{name}`")), "docs/compare.md does not document {name}");
    }
    assert_eq!(keys(&played), ["source", "tools", "tokenizer", "task", "strategies", "notes"]);
    assert_eq!(played["task"]["calls"][0]["tool"], "symbolic_solve");
    let names: Vec<&Value> = list(&played, "strategies").iter().map(|strategy| &strategy["name"]).collect();
    assert_eq!(names, ["full", "resource", "describe", "info", "info(entry-only)", "search", "groups"]);
    let act_members =
        ["course", "ending", "errors", "start_tokens", "learning_tokens", "call_tokens", "steps"];
    let step_members =
        ["kind", "speaker", "call", "attempt", "says", "gist", "text", "tokens", "tokens_so_far", "messages"];
    for strategy in list(&played, "strategies") {
        assert_eq!(keys(strategy), ["name", "acts"]);
        for act in list(strategy, "acts") {
            assert_eq!(keys(act), act_members);
            list(act, "steps").iter().for_each(|step| assert_eq!(keys(step), step_members));
        }
    }
}

#[test]
fn q1_tokens_add_up_and_are_those_of_the_table() {
    let arguments = ["--use", "symbolic_solve"];
    let played = played(&arguments);
    for strategy in list(&played, "strategies") {
        for act in list(strategy, "acts") {
            let number = |value: &Value| value.as_u64().unwrap();
            let mut so_far = number(&act["start_tokens"]);
            if act["course"] == "workflow" {
                so_far = 0;
            }
            for step in list(act, "steps") {
                so_far += number(&step["tokens"]);
                assert_eq!(number(&step["tokens_so_far"]), so_far, "{step}");
            }
            let parts = ["start_tokens", "learning_tokens", "call_tokens"].map(|part| number(&act[part]));
            assert_eq!(parts.iter().sum::<u64>(), so_far, "{act}");
        }
    }
    let report = Process::start(&mut program(
        &[&["compare", "--format", "json", "--detail"], &arguments[..]].concat(),
    ));
    let report = report.finish().json();
    for strategy in list(&report, "strategies") {
        let workflow = act(&played, strategy["name"].as_str().unwrap(), "workflow");
        assert_eq!(workflow["start_tokens"], strategy["initial_tokens"]);
        assert_eq!(workflow["learning_tokens"], strategy["discovery_tokens"]);
    }
}

#[test]
fn q1_each_mistake_leads_to_the_answer() {
    let played = played(&[]);
    for strategy in ["full", "resource", "describe", "info"] {
        for (course, refused) in
            [("too-early", strategy != "full"), ("wrong-argument", true), ("unknown-name", true)]
        {
            let act = act(&played, strategy, course);
            let expected = if refused { "recovered" } else { "answered" };
            assert_eq!(act["ending"], expected, "{strategy}, {course}: {act}");
            assert_eq!(deeds(act).iter().any(|deed| deed.ends_with(" refused")), refused, "{act}");
            assert_eq!(deeds(act).last().unwrap(), "upstream returned");
        }
    }
    // Where lists show parameters the upstream checks them, else the gateway does.
    assert!(deeds(act(&played, "full", "wrong-argument")).contains(&"upstream refused".to_owned()));
    assert!(deeds(act(&played, "describe", "wrong-argument")).contains(&"gateway refused".to_owned()));
    let early = act(&played, "resource", "too-early");
    let refused = list(early, "steps").iter().find(|step| step["kind"] == "refused").unwrap();
    assert!(refused["says"].as_str().unwrap().contains("TOOL_DESCRIPTION_REQUIRED"), "{refused}");
    assert!(refused["gist"].to_string().contains("describe_tools"), "{refused}");
}

#[test]
fn q1_a_task_of_ones_own_is_played_in_order_with_its_answers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("task.json");
    let task = json!({"request": "Two things.", "courses": ["workflow", "too-early"], "calls": [
        {"tool": "fft", "arguments": {"values": [1, 2]}, "answer": "first"},
        {"tool": "fft", "arguments": {"values": [3]}, "answer": {"second": true}},
    ]});
    fs::write(&file, task.to_string()).unwrap();
    let played = played(&["--strategies", "describe", "--task", file.to_str().unwrap()]);
    let workflow = act(&played, "describe", "workflow");
    assert_eq!(texts(workflow, "returned"), ["first", r#"{"second":true}"#]);
    // It is learned once, and the second call differs from the first.
    assert_eq!(deeds(workflow).iter().filter(|deed| *deed == "model asked").count(), 1);
    assert_eq!(list(workflow, "steps").last().unwrap()["call"], 2);
    let strategies = list(&played, "strategies");
    assert_eq!((strategies.len(), list(&strategies[0], "acts").len()), (1, 2));
}

#[test]
fn q1_a_task_that_cannot_be_played_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("task.json");
    let path = file.to_str().unwrap();
    for (text, code, expected) in [
        ("{", 64, "EOF while parsing an object at line 1"),
        (r#"{"calls": []}"#, 64, "'calls' is empty"),
        (r#"{"calls": [{"tool": "fft"}], "courses": []}"#, 64, "'courses' is empty"),
        ("{\"calls\": [{\"tool\": \"fft\",\n \"argument\": {}}]}", 64, "unknown field `argument`"),
        (r#"{"calls": [{"arguments": {}}]}"#, 64, "missing field `tool` at line 1"),
        (r#"{"calls": [{"tool": "fft"}], "host": "odd"}"#, 64, "unknown variant `odd`"),
        (r#"{"calls": [{"tool": "symbolic_solv"}]}"#, 2, "did you mean 'symbolic_solve'?"),
    ] {
        fs::write(&file, text).unwrap();
        transcript(&["--task", path]).says(code, &["--task", expected]);
    }
    let missing = folder.path().join("nowhere.json");
    transcript(&["--task", missing.to_str().unwrap()]).says(64, &["nowhere.json", "No such file"]);
    transcript(&["--use", "nothing_of_that_name"]).says(2, &["--use", "unknown tool 'nothing_of_that_name'"]);
}

#[test]
fn q1_every_format_has_the_same_steps() {
    let played = played(&[]);
    let text = transcript(&[]).says(0, &[]).stdout.clone();
    let markdown = transcript(&["--format", "markdown"]).says(0, &[]).stdout.clone();
    for strategy in list(&played, "strategies") {
        let name = strategy["name"].as_str().unwrap();
        assert!(text.contains(&format!("── {name} ─")) && markdown.contains(&format!("## {name}\n")));
        for step in list(&list(strategy, "acts")[0], "steps") {
            let (speaker, says) = (step["speaker"].as_str().unwrap(), step["says"].as_str().unwrap());
            // Long sentences are wrapped.
            let begins = says.split_at_checked(60).map_or(says, |(begins, _)| begins.trim_end());
            assert!(text.contains(&format!("{speaker:<10}{begins}")), "{says}");
            assert!(markdown.contains(&format!("**{speaker}** {says}")), "{says}");
        }
    }
}
