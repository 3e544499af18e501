//! docs/transcripts.md: the workflows of the sources as transcripts, made by the program.

use std::{fs, path::Path};

use kit::process::Process;
use serde::Deserialize;

use crate::{UPSTREAM, command_line::program};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/transcripts.md");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/transcripts");

const HEAD: &str = "\
# Transcripts

What models see and do under the strategies, step by step, in the workflows of the [sources](sources.md). Each is the output
of `mcp-disclosure compare --transcript --task FILE --format markdown`, played over real connections; a test makes them
again and compares. [compare.md](compare.md#transcripts) explains task files and figures, and the command makes the same of
your own server and task.
";

/// A workflow of `workflows.json`: the folder of its task, its title, and the arguments of `compare`, in which `DATA` and `UPSTREAM`
/// stand for the folder of all tasks and the program that plays a server.
#[derive(Deserialize)]
struct Workflow {
    name: String,
    title: String,
    arguments: Vec<String>,
}

impl Workflow {
    /// The section of the page.
    fn section(&self) -> String {
        let folder = Path::new(DATA).join(&self.name);
        let mut command = program(&["compare", "--transcript", "--format", "markdown", "--task"]);
        command.arg(folder.join("task.json"));
        command
            .args(self.arguments.iter().map(|text| text.replace("DATA", DATA).replace("UPSTREAM", UPSTREAM)));
        let ended = Process::start(&mut command).finish();
        let transcript: String = ended
            .says(0, &[])
            .stdout
            .lines()
            .map(|line| if line.starts_with("##") { format!("#{line}\n") } else { format!("{line}\n") })
            .collect();
        let intro = fs::read_to_string(folder.join("intro.md")).unwrap();
        let link = format!("../tests/data/transcripts/{}/task.json", self.name);
        format!("\n## {}\n\n{intro}\n[Task file]({link})\n\n{transcript}", self.title)
    }
}

/// Run with `UPDATE_TRANSCRIPTS=1` to make the page again.
#[test]
fn q1_the_workflows_of_the_sources_are_as_documented_and_come_to_their_answers() {
    let mut page = HEAD.to_owned();
    let workflows: Vec<Workflow> =
        serde_json::from_str(include_str!("../data/transcripts/workflows.json")).unwrap();
    for workflow in workflows {
        let section = workflow.section();
        // Whatever the strategies' texts are.
        assert!(section.contains("; answered") && !section.contains("not answered"), "{section}");
        page.push_str(&section);
    }
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        fs::write(DOCS, &page).unwrap();
    }
    let written = fs::read_to_string(DOCS).unwrap_or_default();
    let differs = written.lines().zip(page.lines()).find(|(written, made)| written != made);
    assert!(
        written == page,
        "docs/transcripts.md is old: run this test with UPDATE_TRANSCRIPTS=1. First: {differs:?}"
    );
}
