//! `export` into a folder that was exported before, and what is said when upstreams' definitions have changed (U10).

use std::path::{Path, PathBuf};

use kit::{process::Ended, scenario::Scenario};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    export::{files, served},
    run, shown, start,
};
use crate::UPSTREAM;

/// An upstream whose tools can be replaced, and a folder to export into.
struct Project {
    directory: TempDir,
    scenario: PathBuf,
    out: PathBuf,
    config: PathBuf,
}

impl Project {
    /// With a first export of these tools.
    fn exported(tools: &[Value], flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (scenario, out) = (directory.path().join("scenario.json"), directory.path().join("out"));
        let project = Self { config: out.join("disclosure.toml"), directory, scenario, out };
        project.lists(tools);
        let source = ["--name", "kit", "--", UPSTREAM, shown(&project.scenario)];
        run(&[&["export", "--out", shown(&project.out)], flags, &source].concat()).says(0, &[]);
        project
    }

    /// From now on the upstream lists these tools.
    fn lists(&self, tools: &[Value]) {
        Scenario::with_tools(tools.iter().map(Value::to_string)).write(&self.scenario);
    }

    /// Exports again; the folder is its own source.
    fn again(&self, flags: &[&str]) -> Ended {
        run(&[&["export", "--out", shown(&self.out)], flags].concat())
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.config).unwrap()
    }

    /// Writes the configuration by hand.
    fn edit(&self, edit: impl FnOnce(String) -> String) {
        std::fs::write(&self.config, edit(self.text())).unwrap();
    }

    /// How `serve` ends after it listed its tools.
    fn served(&self) -> Ended {
        let mut gateway = start(&["serve", "--config", shown(&self.config)]);
        gateway.initialize();
        gateway.tools();
        gateway.finish()
    }

    /// The tools that `serve` lists.
    fn tools(&self) -> Vec<Value> {
        let mut gateway = start(&["serve", "--strategy", "full", "--config", shown(&self.config)]);
        gateway.initialize();
        let tools = gateway.tools();
        gateway.finish().says(0, &[]);
        tools
    }

    /// What `check` says of definitions that changed: the file, and the message.
    fn drifted(&self) -> Vec<(Option<String>, String)> {
        let ended = run(&["check", "--format", "json", "--config", shown(&self.config)]);
        let report: Value = serde_json::from_str(&ended.says(0, &[]).stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let drifted = findings.filter(|found| found["code"] == "drifted-definition");
        let text = |value: &Value| value.as_str().map(str::to_owned);
        drifted.map(|found| (text(&found["file"]), text(&found["message"]).unwrap())).collect()
    }
}

fn read(description: &str, parameter: &str, read_only: bool) -> Value {
    json!({
        "name": "read", "description": description,
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, parameter: {}}},
        "annotations": {"readOnlyHint": read_only},
    })
}

fn plain(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}})
}

fn member(path: &Path, key: &str) -> Value {
    serde_json::from_str::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap()[key].clone()
}

const CHANGES: &str = "changed: annotations, description; parameters added: tail; parameters removed: head";

#[test]
fn u10_drift_is_reported_by_check_serve_and_export_and_stops_nothing() {
    let (old, new) = (read("Reads a file.", "head", true), read("Reads, and deletes.", "tail", false));
    for (flags, place, description) in [
        (&[][..], "disclosure.toml:", "Reads, and deletes."),
        (&["--definitions"], "read.json", "Reads a file."),
    ] {
        let project = Project::exported(&[old.clone(), plain("same")], flags);
        assert_eq!(project.drifted(), []);
        project.lists(&[new.clone(), plain("same")]);
        let drifted = project.drifted();
        let [(file, message)] = drifted.as_slice() else { panic!("{drifted:#?}") };
        assert!(message.contains(CHANGES) && message.contains(place), "{message}");
        assert_eq!(file.is_some(), !flags.is_empty(), "the description file, where there is one");
        // Decisions let what is new through, and a whole definition does not.
        assert_eq!(project.tools()[0]["description"], description);
        let served = project.served();
        served.says(
            0,
            &["upstream's definition of 1 tool is not the recorded one: read (changed: annotations"],
        );
        assert_eq!(served.stderr.matches("not the recorded one").count(), 1, "{}", served.stderr);
        let before = files(&project.out);
        let again = project.again(&[]);
        again.says(0, &[]);
        assert!(
            again.stdout.contains(&format!("changed upstream (1): kit/read ({CHANGES})\n")),
            "{}",
            again.stdout
        );
        assert!(again.stdout.contains("nothing to write\n"), "{}", again.stdout);
        assert_eq!(files(&project.out), before, "a record is renewed only where that is said");
    }
}

#[test]
fn u10_the_warning_names_a_few_tools_and_counts_the_rest() {
    let project = Project::exported(&["a", "b", "c", "d", "e"].map(plain), &[]);
    let changed = |name| json!({"name": name, "description": "Other.", "inputSchema": {"type": "object"}});
    project.lists(&["a", "b", "c", "d", "e"].map(changed));
    let served = project.served();
    served.says(
        0,
        &[
            "of 5 tools",
            "a (changed: description), b (changed: description), c (changed: description), and 2 more;",
        ],
    );
}

#[test]
fn u10_drift_while_serving_is_said_once_for_each_change() {
    let project = Project::exported(&[plain("one"), plain("two")], &[]);
    let mut scenario = Scenario::read(&project.scenario);
    let stage = |tools: &[Value]| {
        let tools: Vec<Value> = tools.to_vec();
        serde_json::from_value(json!({"tools": tools, "prompts": []})).unwrap()
    };
    let other = json!({"name": "one", "description": "Other.", "inputSchema": {"type": "object"}});
    scenario.stages = vec![
        stage(&[other.clone(), plain("two")]),
        stage(&[other, plain("two"), plain("three")]),
        stage(&[plain("one"), plain("two")]),
    ];
    scenario.write(&project.scenario);
    let mut gateway = start(&["serve", "--strategy", "full", "--config", shown(&project.config)]);
    gateway.initialize();
    for stage in 0..3 {
        gateway.request("resources/read", json!({"uri": format!("kit://control/stage/{stage}")}));
        gateway.notified("notifications/resources/list_changed", stage + 1);
    }
    let ended = gateway.finish();
    ended.says(0, &["of 1 tool is not the recorded one: one (changed: description)"]);
    assert_eq!(ended.stderr.matches("not the recorded one").count(), 1, "{}", ended.stderr);
}

#[test]
fn u10_what_a_person_wrote_stays_byte_for_byte_and_what_is_new_is_added() {
    let project = Project::exported(&[plain("kept"), plain("gone")], &[]);
    project.edit(|text| {
        let text = text
            .replace("[tools.\"kit/kept\"]", "[ tools . \"kit/kept\" ]  # mine\nbrief   = 'Keeps.' # why");
        text + "\n# More by hand.\n[tools.\"secret_*\"]\nhidden = true\n\n# The end."
    });
    let by_hand = project.text();
    project.lists(&[plain("kept"), plain("added"), plain("secret_one")]);
    let ended = project.again(&[]);
    ended.says(0, &[]);
    for line in ["new (1): kit/added\n", "not listed any more (1): kit/gone\n", "written: disclosure.toml\n"]
    {
        assert!(ended.stdout.contains(line), "{line}\n{}", ended.stdout);
    }
    let merged = project.text();
    assert!(merged.starts_with(&by_hand), "{merged}");
    let added = &merged[by_hand.len()..];
    let expected =
        "\n\n[tools.\"kit/added\"]\n# derived brief: \"Does added.\"\nmade_from = { definition = \"sha256:";
    assert!(added.starts_with(expected) && added.lines().count() == 5, "{added}");
    let names: Vec<Value> = project.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["kept", "added"], "what is hidden stays hidden");
    assert!(project.again(&[]).stdout.contains("nothing to write"), "twice is the same as once");
    assert_eq!(project.text(), merged);
}

#[test]
fn u10_records_are_renewed_for_what_is_accepted_alone() {
    let project = Project::exported(&[read("Old.", "head", true), plain("other")], &[]);
    let before = project.text();
    project.lists(&[
        read("New.", "head", true),
        json!({"name": "other", "description": "Too.", "inputSchema": {"type": "object"}}),
    ]);
    project
        .again(&["--accept-drift=kit/raed"])
        .says(64, &["--accept-drift: no tool is called 'kit/raed' (hint: did you mean 'kit/read'?)"]);
    assert_eq!(project.text(), before);
    let ended = project.again(&["--accept-drift=read"]);
    assert!(
        ended.says(0, &[]).stdout.contains("recorded anew (1): kit/read (changed: description)\n"),
        "{}",
        ended.stdout
    );
    assert!(
        ended.stdout.contains("changed upstream (1): kit/other (changed: description)\n"),
        "{}",
        ended.stdout
    );
    assert_eq!(project.drifted().len(), 1);
    let changed = before.lines().zip(project.text().lines()).filter(|(old, new)| old != new).count();
    assert_eq!(changed, 2, "the record, and the derived brief above it\n{}", project.text());
    project.again(&["--accept-drift"]).says(0, &[]);
    assert_eq!(project.drifted(), []);
}

#[test]
fn u10_an_accepted_definition_replaces_what_nobody_edited() {
    let project = Project::exported(&[read("Old.", "head", true)], &["--definitions"]);
    let file = project.out.join("read.json");
    let by_hand = std::fs::read_to_string(&file).unwrap();
    let by_hand = by_hand.replace("\"Old.\"", "\"By hand.\"").replacen('{', "{\n\t\"note\" :  1,", 1);
    std::fs::write(&file, &by_hand).unwrap();
    project.lists(&[read("New.", "tail", true)]);
    project.again(&["--accept-drift"]).says(0, &["unknown members are ignored"]);
    assert_eq!(member(&file, "description"), "By hand.");
    assert_eq!(member(&file, "inputSchema")["properties"], json!({"path": {"type": "string"}, "tail": {}}));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("{\n\t\"note\" :  1,\n  \"name\": \"read\",\n  \"description\": \"By hand.\",\n"),
        "{text}"
    );
    assert_eq!(project.drifted(), []);
    assert_eq!(project.tools()[0]["description"], "By hand.");
}

#[test]
fn u10_description_files_hold_what_was_decided_and_the_rest_follows_the_upstream() {
    let directory = tempfile::tempdir().unwrap();
    let (written, out) = (directory.path().join("written"), directory.path().join("out"));
    let scenario = directory.path().join("scenario.json");
    Scenario::with_tools([plain("echo").to_string(), plain("other").to_string()]).write(&scenario);
    std::fs::create_dir(&written).unwrap();
    let mut described = plain("echo");
    described["examples"] = json!([{"input": {"text": "x"}}]);
    described["brief"] = json!("Says it again");
    std::fs::write(written.join("echo.json"), described.to_string()).unwrap();
    let source = ["--tool-descriptions", shown(&written), "--name", "kit", "--", UPSTREAM, shown(&scenario)];
    run(&[&["export", "--out", shown(&out)], &source[..]].concat()).says(0, &[]);
    let config = out.join("disclosure.toml");
    assert_eq!(served(&["--config", shown(&config)], &["echo"]), served(&source, &["echo"]));
    let file = out.join("echo.json");
    let object: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "brief", "examples", "made_from"]);
    // A folder of files that a person wrote is merged into, too.
    let ended = run(&["export", "--out", shown(&written), "--name", "kit", "--", UPSTREAM, shown(&scenario)]);
    assert!(ended.says(0, &[]).stdout.contains("new (2): kit/echo, kit/other\n"), "{}", ended.stdout);
    let text = std::fs::read_to_string(written.join("echo.json")).unwrap();
    let kept = described.to_string();
    assert!(text.starts_with(&format!("{}, \"made_from\": ", &kept[..kept.len() - 1])), "{text}");
    let config = written.join("disclosure.toml");
    assert_eq!(served(&["--config", shown(&config)], &["echo"]), served(&source, &["echo"]));
}

#[test]
fn u10_a_source_adds_to_a_folder_and_takes_nothing_away() {
    let project = Project::exported(&[plain("echo"), plain("delete_all")], &[]);
    project.edit(|text| {
        text.replace(
            "[upstreams.kit]",
            "[upstreams.off]\ncommand = \"/no/such/program\"\ndisabled = true\n\n[upstreams.kit]",
        ) + "\n[tools.\"delete_*\"]\nhidden = true\n"
    });
    let by_hand = project.text();
    let second = project.directory.path().join("second.json");
    Scenario::with_tools([plain("echo").to_string(), plain("third").to_string()]).write(&second);
    let source = project.directory.path().join("source.toml");
    let text = format!(
        "[upstreams.off]\ncommand = \"/no/such/program\"\n[upstreams.kit]\ncommand = {UPSTREAM:?}\nargs = [{:?}]\n\
         [upstreams.more]\ncommand = {UPSTREAM:?}\nargs = [{second:?}]\n[tools.delete_all]\nhidden = false\n\
         [tools.\"more/third\"]\nbrief = \"Thirds\"\n[[concerns]]\nname = \"cost\"\nvalues = [1]\n",
        project.scenario
    );
    std::fs::write(&source, text).unwrap();
    let ended = project.again(&["--config", shown(&source)]);
    assert!(ended.says(0, &[]).stdout.contains("new (2): more/echo, more/third\n"), "{}", ended.stdout);
    let merged = project.text();
    assert!(merged.starts_with(&by_hand), "{merged}");
    for added in [
        "\n[upstreams.more]\n",
        "\n[categories.more]\n",
        "\n[[concerns]]\n",
        "\n[tools.\"more/third\"]\nbrief = \"Thirds\"\n",
    ] {
        assert!(merged[by_hand.len()..].contains(added), "{added}\n{merged}");
    }
    let names: Vec<Value> = project.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(
        names,
        ["kit__echo", "more__echo", "third"],
        "a name does not bring back what a pattern hides"
    );
    assert!(project.again(&["--config", shown(&source)]).stdout.contains("nothing to write"));
}

#[test]
fn u10_a_folder_that_cannot_be_merged_into_stays_as_it_is() {
    let project = Project::exported(&[plain("echo")], &[]);
    let (good, elsewhere) = (project.text(), project.directory.path().join("elsewhere"));
    std::fs::create_dir(&elsewhere).unwrap();
    for (by_hand, expected) in [
        (good.replace("made_from = {", "made_from = { oops"), "disclosure.toml:"),
        (good.replace("sha256:", "md5:"), "a digest is 'sha256:' and 64 hexadecimal digits, not 'md5:"),
        (
            good.replace("\"kit/echo\"]", "\"kit/ech*\"]"),
            "made_from records one definition, and a pattern has several",
        ),
        (
            good.replace("tool_descriptions = \".\"", "tool_descriptions = \"../elsewhere\""),
            "leads out of the folder",
        ),
    ] {
        project.edit(|_| by_hand);
        let before = files(&project.out);
        project.again(&["--definitions"]).says(64, &[expected]);
        assert_eq!(files(&project.out), before);
    }
    // Without whole definitions nothing has to be written there.
    std::fs::write(elsewhere.join("echo.json"), plain("echo").to_string()).unwrap();
    project.again(&[]).says(0, &[]);
}

#[test]
fn u10_odd_names_and_texts_are_recorded() {
    let odd = json!({
        "name": "odd \"name\" é", "description": "Deletes\u{7f} \u{1b}[1m all\n# or \"\"\" nothing.",
        "inputSchema": {"type": "object", "properties": {"a\nb": {}, "\u{7f}": {}, "\"": {}, "${HOME}": {}, "": {}}},
    });
    let project = Project::exported(&[odd.clone(), plain("other")], &[]);
    assert_eq!(project.tools()[0], odd);
    assert_eq!(project.drifted(), []);
    assert!(project.again(&[]).says(0, &[]).stdout.contains("nothing to write"));
    let mut changed = odd;
    changed["inputSchema"]["properties"]["a\nb"] = json!({"type": "string"});
    project.lists(&[changed, plain("other")]);
    assert!(project.drifted()[0].1.contains("parameters changed: a\nb"));
    project.again(&["--accept-drift"]).says(0, &[]);
    assert_eq!(project.drifted(), []);
}

#[test]
fn u10_what_contradicts_what_is_there_is_refused_with_its_place() {
    let project = Project::exported(&[plain("echo")], &[]);
    let before = files(&project.out);
    let source = project.directory.path().join("source.toml");
    let text = format!(
        "[upstreams.kit]\ncommand = {UPSTREAM:?}\nargs = [{:?}]\n[categories.other]\ntools = [\"kit/echo\"]\n",
        project.scenario
    );
    std::fs::write(&source, text).unwrap();
    project
        .again(&["--config", shown(&source)])
        .says(64, &["disclosure.toml:", "tool 'kit/echo' is in two categories", "keep it in one"]);
    assert_eq!(files(&project.out), before);
}
