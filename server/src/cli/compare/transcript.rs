//! `compare --transcript`: one task under each strategy, step by step.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use mcp_disclosure_compare::{
    Error, Format, Report, Subject,
    transcript::{self, Assignment, Look, Play, Transcript},
};
use mcp_disclosure_gateway::{Problem, catalogue::Declared, upstream::UpstreamConfig};
use tracing::subscriber::NoSubscriber;

use super::{
    CompareArguments,
    arguments::Use,
    checked,
    command::Command,
    contestants::Contestants,
    message,
    progress::Progress,
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
    let command = Command::of(&arguments.source, &arguments.settings);
    let given = arguments.transcript.task.as_deref().map(read).transpose()?;
    let source = arguments.source.resolve(program.own.as_ref())?;
    source.warn();
    let declared = checked(&source, &arguments.settings)?;
    let settings = (arguments.settings, source.settings.clone());
    let rows = arguments.strategies.join(",");
    let mut contestants = Contestants::build(&program.registry, &rows, settings, &command)?;
    let progress = Arc::new(Progress::new());
    let real = Stage::real(&source, declared.clone(), &contestants, &progress).await?;
    let read = real.read().await;
    let examined = contestants.examine(real.gateway());
    let disclosing = stage::disclosing(real.gateway());
    real.close().await;
    let (subject, stand_ins) = read?;
    examined?;
    let flag = if given.is_some() { "--task" } else { "--use" };
    let task = match given {
        Some(task) => task,
        None => chosen(program, &source, &subject, &arguments.used)?,
    };
    if task.calls.is_empty() {
        let problem = Problem::new("there is no tool to play a task with").hint("name another source");
        return Err(Failure::Configuration(vec![problem]));
    }
    // Warnings about stand-ins repeat those about the source.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let behind = Behind::scripted((&source, &declared), stand_ins, &task, arguments.transport, &progress);
    let (tokenizer, host) = (arguments.tokenizer, arguments.host);
    let play = Play { subject: &subject, assignment: task, tokenizer, host };
    let asked = contestants.asked();
    let played = behind.play(play, &mut contestants, &asked).await;
    progress.finish();
    let mut transcript = played?.map_err(|error| message(error, flag))?;
    let refused = contestants.rows().into_iter().filter(|row| asked.contains(&row.name)).filter_map(|row| {
        let why = row.not_offered?;
        Some(format!("{} is shown, but serve would not offer it here: {why}", row.name))
    });
    transcript.notes = contestants.notes().into_iter().chain(refused).chain(disclosing).collect();
    Ok(transcript)
}

/// What is behind the gateways on which a task is played.
pub(in crate::cli) struct Behind<'a> {
    /// The source.
    pub(in crate::cli) source: &'a Source,
    /// What its files declare.
    pub(in crate::cli) declared: &'a Declared,
    /// The upstreams, or what stands in for them.
    pub(in crate::cli) upstreams: Vec<UpstreamConfig>,
    /// The number of calls that have reached them.
    pub(in crate::cli) reached: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// How clients connect.
    pub(in crate::cli) transport: Transport,
    /// Receives the steps.
    pub(in crate::cli) progress: &'a Progress,
}

impl<'a> Behind<'a> {
    /// These stand-ins, which answer the calls of a task as the task says.
    pub(super) fn scripted(
        (source, declared): (&'a Source, &'a Declared),
        stand_ins: Vec<UpstreamConfig>,
        task: &Assignment,
        transport: Transport,
        progress: &'a Progress,
    ) -> Self {
        let script = Script::of(task);
        let (upstreams, reached) = (script.given_to(stand_ins), script.reached());
        Self { source, declared, upstreams, reached, transport, progress }
    }

    /// Plays a task under each of the rows with these names.
    ///
    /// # Errors
    /// If a gateway cannot be started; within, why the task could not be played.
    pub(in crate::cli) async fn play(
        self,
        play: Play<'_>,
        contestants: &mut Contestants<'_>,
        names: &[String],
    ) -> Result<Result<Transcript, Error>, Failure> {
        let Self { source, declared, upstreams, reached, transport, progress } = self;
        let stages = Stage::stand_ins(source, declared, upstreams, contestants, transport).await?;
        let rows = contestants.rows().into_iter().filter(|row| names.contains(&row.name));
        let set: Vec<transcript::Stage> = rows
            .filter_map(|row| {
                let links = stages.iter().find(|stage| stage.name() == row.name)?.links();
                Some(transcript::Stage { row, links, reached: Arc::clone(&reached) })
            })
            .collect();
        let played = play.run(&set, &|done, total, what| progress.step(done, total, what)).await;
        for stage in &stages {
            stage.close().await;
        }
        Ok(played)
    }
}

/// The transcript of a task under the rows of a report, as HTML for its page; none if the task has no calls.
///
/// # Errors
/// If a gateway cannot be started, or a connection fails.
pub(super) async fn fragment(
    behind: Behind<'_>,
    play: Play<'_>,
    contestants: &mut Contestants<'_>,
    report: &Report,
) -> Result<Option<String>, Failure> {
    if play.assignment.calls.is_empty() {
        return Ok(None);
    }
    let rows: Vec<String> = report.strategies.iter().map(|row| row.name.clone()).collect();
    let played = behind.play(play, contestants, &rows).await?.map_err(Failure::Comparison)?;
    Ok(Some(transcript::html(&played)))
}

/// The task of these tools if they are named, or else the usual one: that of the demonstration, or of the first tool of
/// the sample. It has no calls if there is no tool.
///
/// # Errors
/// [`Failure::Usage`] with all unknown names.
pub(super) fn chosen(
    program: &Program,
    source: &Source,
    subject: &Subject,
    used: &Use,
) -> Result<Assignment, Failure> {
    if let Use::Names(names) = used {
        return Assignment::using(subject, names).map_err(|error| message(error, "--use"));
    }
    let own = program.own.as_ref().map(|(target, _)| target);
    let is_own = source.upstreams().iter().all(|upstream| Some(&upstream.target) == own);
    let is_there = |name: &str| subject.tools.iter().any(|tool| tool.name == name);
    let task = crate::own_task().filter(|task| is_own && task.calls.iter().all(|call| is_there(&call.tool)));
    Ok(task.unwrap_or_else(|| Assignment::sample(subject)))
}

fn read(path: &Path) -> Result<Assignment, Failure> {
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
