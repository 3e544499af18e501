//! `compare --transcript`: one task under each strategy, step by step.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use mcp_disclosure_compare::{
    Error, Format, Subject,
    transcript::{self, Assignment, Look, Play, Transcript},
};
use mcp_disclosure_gateway::{Problem, upstream::UpstreamConfig};
use tracing::subscriber::NoSubscriber;

use super::{
    CompareArguments,
    arguments::Use,
    contestants::Contestants,
    message,
    scripted::Script,
    stage::{self, Stage},
    write,
};
use crate::{
    cli::{Program, check::is_coloured, print, print_styled, runtime_for_one, source::Source},
    config::Transport,
    failure::Failure,
};

/// The width where there is no terminal.
const WIDTH: u16 = 100;

/// How a transcript is shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Transcript")]
pub struct TranscriptArguments {
    /// Show one task under each strategy, step by step: what the model sees, asks, calls and gets
    #[arg(long, conflicts_with_all = ["script", "fail_over", "detail", "omit_input_schema"])]
    pub transcript: bool,

    /// The task: a JSON file of calls, in order, with their answers; docs/compare.md describes it
    #[arg(long, value_name = "FILE", requires = "transcript", conflicts_with = "used")]
    pub task: Option<PathBuf>,

    /// The width of the transcript, in characters [default: the terminal's, or 100]
    #[arg(long, value_name = "COLUMNS", requires = "transcript", value_parser = clap::value_parser!(u16).range(40..=1000))]
    pub width: Option<u16>,

    /// Show texts completely, instead of what matters in them
    #[arg(long, requires = "transcript")]
    pub full: bool,
}

/// Shows one task under each strategy.
///
/// # Errors
/// Like `serve`, for the source and the strategies; what is wrong with the task.
pub(super) fn show(program: &Program, arguments: CompareArguments) -> Result<(), Failure> {
    let (format, out, shown) = (arguments.format, arguments.out.clone(), arguments.transcript.clone());
    let transcript = runtime_for_one()?.block_on(run(program, arguments))?;
    let coloured = out.is_none() && is_coloured();
    let look = Look { width: usize::from(shown.width.unwrap_or_else(width)), full: shown.full, coloured };
    let text = match format {
        Format::Table => transcript::terminal(&transcript, look),
        Format::Markdown => transcript::markdown(&transcript, 2, shown.full),
        Format::Json => transcript::json(&transcript),
        Format::Html => transcript::page(&transcript),
    };
    match (out, format) {
        (Some(path), _) => write(&path, &text),
        // Its texts are escaped already, and its colours are not.
        (None, Format::Table) => print_styled(&text),
        (None, _) => print(&text),
    }
}

async fn run(program: &Program, arguments: CompareArguments) -> Result<Transcript, Failure> {
    let file = arguments.transcript.task.as_ref();
    let given = file.map(|path| read(path)).transpose()?;
    let source = arguments.source.resolve(program.own.as_ref())?;
    source.warn();
    let declared = source.read().map_err(Failure::Configuration)?.declared;
    let settings = (arguments.settings, source.settings.clone());
    let mut contestants = Contestants::build(&program.registry, &arguments.strategies, settings)?;
    let real = Stage::real(&source, declared.clone(), &contestants).await?;
    let read = real.read().await;
    contestants.examine(real.gateway());
    let disclosing = stage::disclosing(real.gateway());
    real.close().await;
    let (subject, stand_ins) = read?;
    let flag = if given.is_some() { "--task" } else { "--use" };
    let task = match (given, arguments.used) {
        (Some(task), _) => task,
        (None, Use::Names(names)) => {
            Assignment::using(&subject, &names).map_err(|error| message(error, flag))?
        }
        (None, Use::Count(_)) => usual(program, &source, &subject)?,
    };
    // Warnings about stand-ins repeat those about the source.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let script = Script::of(&task);
    let behind = Behind { source: &source, declared: &declared, upstreams: script.given_to(stand_ins) };
    let play = Play { subject: &subject, assignment: task, tokenizer: arguments.tokenizer };
    let played = behind.play(play, &mut contestants, script.reached(), arguments.transport).await?;
    let mut transcript = played.map_err(|error| message(error, flag))?;
    transcript.notes = contestants.notes().into_iter().chain(disclosing).collect();
    Ok(transcript)
}

/// What is behind the gateways on which a task is played.
pub(in crate::cli) struct Behind<'a> {
    /// The source.
    pub(in crate::cli) source: &'a Source,
    /// What its files declare.
    pub(in crate::cli) declared: &'a mcp_disclosure_gateway::catalogue::Declared,
    /// The upstreams, or what stands in for them.
    pub(in crate::cli) upstreams: Vec<UpstreamConfig>,
}

impl Behind<'_> {
    /// Plays a task under each strategy; `reached` is the number of calls that have reached the upstreams.
    ///
    /// # Errors
    /// If a gateway cannot be started; within, why the task could not be played.
    pub(in crate::cli) async fn play(
        self,
        play: Play<'_>,
        contestants: &mut Contestants<'_>,
        reached: Arc<dyn Fn() -> u64 + Send + Sync>,
        transport: Transport,
    ) -> Result<Result<Transcript, Error>, Failure> {
        let Self { source, declared, upstreams } = self;
        let stages = Stage::stand_ins(source, declared, upstreams, contestants, transport).await?;
        let asked = contestants.asked();
        let lessons = contestants.lessons();
        let shown = stages.iter().filter(|stage| asked.iter().any(|name| name == stage.name()));
        let set: Vec<transcript::Stage> = shown
            .map(|stage| transcript::Stage {
                strategy: stage.name().to_owned(),
                links: stage.links(),
                lesson: lessons.get(stage.name()).copied(),
                reached: Arc::clone(&reached),
            })
            .collect();
        let played = play.run(&set).await;
        for stage in &stages {
            stage.close().await;
        }
        Ok(played)
    }
}

/// The task of the demonstration, or else of the first tool of the sample.
///
/// # Errors
/// [`Failure::Configuration`] if there is no tool.
pub(super) fn usual(program: &Program, source: &Source, subject: &Subject) -> Result<Assignment, Failure> {
    let own = program.own.as_ref().map(|(target, _)| target);
    let is_own = source.upstreams().iter().all(|upstream| Some(&upstream.target) == own);
    if let Some(task) = crate::own_task().filter(|_| is_own) {
        let is_there = |name: &str| subject.tools.iter().any(|tool| tool.name == name);
        if task.calls.iter().all(|call| is_there(&call.tool)) {
            return Ok(task);
        }
    }
    let task = Assignment::sample(subject);
    if task.calls.is_empty() {
        let problem = Problem::new("there is no tool to play a task with").hint("name another source");
        return Err(Failure::Configuration(vec![problem]));
    }
    Ok(task)
}

fn read(path: &std::path::Path) -> Result<Assignment, Failure> {
    let problem = |message: String| {
        let hint = r#"a task is {"calls": [{"tool": "NAME", "arguments": {}, "answer": "TEXT"}]}; docs/compare.md has the rest"#;
        Failure::Configuration(vec![Problem::new(format!("--task {}: {message}", path.display())).hint(hint)])
    };
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    Assignment::parse(&text).map_err(problem)
}

/// The width of the terminal on stdout, if it is one and says so.
pub(in crate::cli) fn width() -> u16 {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout())
        && size.ws_col >= 40
    {
        return size.ws_col;
    }
    WIDTH
}
