//! `export` into a folder that was exported before, and what is said when upstreams' definitions have changed (U10).

use std::path::PathBuf;

use kit::{messages::tool, process::Ended, scenario::Scenario};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    configured,
    export::{files, served},
    opened, played, playing, run, serve, shown,
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

    fn locked(&self) -> String {
        std::fs::read_to_string(self.out.join("disclosure.lock")).unwrap()
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
        let mut gateway = opened(&["serve", "--config", shown(&self.config)]);
        gateway.tools();
        gateway.finish()
    }

    /// The tools that `serve` lists.
    fn tools(&self) -> Vec<Value> {
        let mut gateway = serve(&self.config, &[]);
        let tools = gateway.tools();
        gateway.finish().says(0, &[]);
        tools
    }

    /// What `check` says of definitions that changed: the file, and the message.
    fn drifted(&self) -> Vec<(Option<String>, String)> {
        let report = run(&["check", "--format", "json", "--config", shown(&self.config)]).json();
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
    tool(name, &format!("Does {name}."))
}

#[test]
fn u10_drift_is_reported_by_check_serve_and_export_and_stops_nothing() {
    let (old, new) = (read("Reads a file.", "head", true), read("Reads, and deletes.", "tail", false));
    let changes = "changed: annotations, description, inputSchema (sha256:";
    for (flags, description) in [(&[][..], "Reads, and deletes."), (&["--definitions"], "Reads a file.")] {
        let project = Project::exported(&[old.clone(), plain("same")], flags);
        assert_eq!(project.drifted(), []);
        project.lists(&[new.clone(), plain("same")]);
        let drifted = project.drifted();
        let [(file, message)] = drifted.as_slice() else { panic!("{drifted:#?}") };
        assert!(message.contains(changes), "{message}");
        assert_eq!(file.is_some(), !flags.is_empty(), "the description file, where there is one");
        // Decisions let what is new through, and a whole definition does not.
        assert_eq!(project.tools()[0]["description"], description);
        let served = project.served();
        served.says(
            0,
            &["upstream 'kit': tool 'read' changed: annotations, description, inputSchema (sha256:"],
        );
        assert_eq!(served.stderr.matches("upstream 'kit': tool '").count(), 1, "{}", served.stderr);
        let before = files(&project.out);
        let changed = format!("changed upstream (1):\n  kit/read {changes}");
        project.again(&[]).prints(0, &[&changed, "nothing to write\n"]);
        assert_eq!(files(&project.out), before, "a record is renewed only where that is said");
    }
}

#[test]
fn u10_what_a_person_wrote_stays_byte_for_byte_and_records_are_renewed() {
    let project = Project::exported(&[plain("kept"), plain("gone")], &[]);
    project.edit(|text| {
        text + "[ tools . \"kit/kept\" ]  # mine\nbrief   = 'Keeps.' # why\n\n# More by hand.\n[tools.\"secret_*\"]\nhidden = true\n[tools.\"kit/gone\"]\nbrief = 'Was.'\n\n# The end."
    });
    let (by_hand, locked) = (project.text(), project.locked());
    project.lists(&[plain("kept"), plain("added"), plain("secret_one")]);
    let lines = ["new (1): kit/added\n", "not listed any more (1): kit/gone\n", "written: disclosure.lock\n"];
    project.again(&[]).prints(0, &lines);
    assert_eq!(project.text(), by_hand);
    // What a diff shows: a line for each tool that is new.
    let now = project.locked();
    let added: Vec<&str> = now.lines().filter(|line| !locked.lines().any(|old| old == *line)).collect();
    assert!(added.len() == 2 && added[0].starts_with("kit/added sha256:"), "{added:?}");
    assert!(locked.lines().all(|line| now.lines().any(|new| new == line)), "{now}");
    let names: Vec<Value> = project.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["kept", "added"], "what is hidden stays hidden");
    assert!(project.again(&[]).stdout.contains("nothing to write"), "twice is the same as once");
    assert_eq!(project.locked(), now);
    // Replacing writes anew what export itself wrote about tools, and nothing else.
    project.again(&["--replace"]).prints(0, &["not listed any more (1): kit/gone\n"]);
    assert_eq!(project.text(), by_hand);
    let replaced = project.locked();
    assert!(replaced.contains("\nkit/kept ") && !replaced.contains("\nkit/gone "), "{replaced}");
}

/// Many tools make a short file.
#[test]
fn u10_only_what_differs_from_what_is_served_anyhow_is_written() {
    let tools: Vec<Value> = (0..669).map(|number| plain(&format!("tool_{number:03}"))).collect();
    let project = Project::exported(&tools, &[]);
    let text = project.text();
    assert!(text.lines().count() < 25 && !text.contains("tool_0"), "{text}");
    assert_eq!(project.locked().lines().count(), 2 + 1 + 669);
    assert_eq!(files(&project.out).len(), 2);
}

#[test]
fn u10_description_files_of_the_source_are_kept_to_the_byte() {
    let directory = tempfile::tempdir().unwrap();
    let (written, out) = (directory.path().join("written"), directory.path().join("out"));
    let (_played, scenario) = played(&Scenario::named(["echo", "other"]));
    std::fs::create_dir(&written).unwrap();
    // What it leaves out is as the upstream has it.
    let by_hand = "{ \"name\":\"echo\",\t\"brief\": \"Says it again\",\r\n \"examples\": [{\"input\": {\"text\": \"x\"}}], \"mine\": 1 }";
    std::fs::write(written.join("echo.json"), by_hand).unwrap();
    let source = ["--tool-descriptions", shown(&written), "--name", "kit", "--", UPSTREAM, &scenario];
    run(&[&["export", "--out", shown(&out)], &source[..]].concat()).says(0, &[]);
    let config = out.join("disclosure.toml");
    assert_eq!(served(&["--config", shown(&config)], &["echo"]), served(&source, &["echo"]));
    assert_eq!(std::fs::read_to_string(out.join("echo.json")).unwrap(), by_hand);
    // A folder of files that a person wrote is merged into, too.
    run(&["export", "--out", shown(&written), "--name", "kit", "--", UPSTREAM, &scenario])
        .prints(0, &["new (2): kit/echo, kit/other\n"]);
    assert_eq!(std::fs::read_to_string(written.join("echo.json")).unwrap(), by_hand);
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
    let (_played, second) = played(&Scenario::named(["echo", "third"]));
    let (_source, source) = configured(&format!(
        "[upstreams.off]\ncommand = \"/no/such/program\"\n{}{}[tools.delete_all]\nhidden = false\n\
         [tools.\"more/third\"]\nbrief = \"Thirds\"\n[[concerns]]\nname = \"cost\"\nvalues = [1]\n",
        playing("kit", shown(&project.scenario)),
        playing("more", &second)
    ));
    project.again(&["--config", shown(&source)]).prints(0, &["new (2): more/echo, more/third\n"]);
    let merged = project.text();
    assert!(merged.starts_with(&by_hand), "{merged}");
    for added in
        ["\n[upstreams.more]\n", "\n[[concerns]]\n", "\n[tools.\"more/third\"]\nbrief = \"Thirds\"\n"]
    {
        assert!(merged[by_hand.len()..].contains(added), "{added}\n{merged}");
    }
    let names: Vec<Value> = project.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(
        names,
        ["kit__echo", "more__echo", "third"],
        "a name does not bring back what a pattern hides"
    );
    project.again(&["--config", shown(&source)]).prints(0, &["nothing to write"]);
    let (_other, other) = configured(&playing("kit", &second));
    project
        .again(&["--config", shown(&other)])
        .prints(0, &["upstreams as they were (1): kit\n", "another command"]);
}

#[test]
fn u10_what_a_folder_holds_is_not_accepted_by_an_export_whose_source_does_not_hold_it() {
    let project = Project::exported(&[plain("echo")], &[]);
    project.edit(|text| text.replace("[upstreams.kit]", "[upstreams.kit]\non_change = \"hold\""));
    let (by_hand, locked) = (project.text(), project.locked());
    project.lists(&[plain("echo"), plain("new")]);
    let hosts = project.directory.path().join("mcp.json");
    let source = json!({"mcpServers": {"kit": {"command": UPSTREAM, "args": [project.scenario]}}});
    std::fs::write(&hosts, source.to_string()).unwrap();
    for flags in [&[][..], &["--replace"], &["--definitions"]] {
        project
            .again(&[&["--mcp-config", shown(&hosts)], flags].concat())
            .prints(0, &["new and held (1): kit/new\n"]);
        assert_eq!(project.locked(), locked, "{flags:?}");
    }
    assert_eq!(project.text().replace("tool_descriptions = \"tools\"\n", ""), by_hand);
}

#[test]
fn u10_a_folder_that_cannot_be_merged_into_stays_as_it_is() {
    let project = Project::exported(&[plain("echo")], &[]);
    let (good, elsewhere) = (project.text(), project.directory.path().join("elsewhere"));
    std::fs::create_dir(&elsewhere).unwrap();
    for (by_hand, expected) in [
        (good.replace("command =", "command oops ="), "disclosure.toml:"),
        (format!("tool_descriptions = \"../elsewhere\"\n{good}"), "leads out of the folder"),
    ] {
        project.edit(|_| by_hand);
        let before = files(&project.out);
        project.again(&["--definitions"]).says(64, &[expected]);
        assert_eq!(files(&project.out), before);
    }
    let lock = project.out.join("disclosure.lock");
    let locked = project.locked();
    std::fs::write(&lock, locked.replace("sha256:", "md5:")).unwrap();
    project
        .again(&[])
        .says(64, &["disclosure.lock:4:1: a digest is 'sha256:' and 64 hexadecimal digits, not 'md5:"]);
    std::fs::write(&lock, locked).unwrap();
    // Without whole definitions nothing has to be written there.
    std::fs::write(elsewhere.join("echo.json"), plain("echo").to_string()).unwrap();
    project.again(&[]).says(0, &[]);
}
