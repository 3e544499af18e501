//! `compare`.

mod arguments;
pub(super) mod command;
pub(super) mod contestants;
pub(super) mod progress;
pub(super) mod queries;
mod script;
mod scripted;
mod spec;
pub(super) mod stage;
mod stand_in;
mod subject;
pub(super) mod transcript;

use std::{path::Path, sync::Arc};

pub use arguments::CompareArguments;
use mcp_disclosure_compare::{
    Comparison, Error, Format, LinkFactory, Report, Work, output, transcript::Play,
};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};
use tracing::subscriber::NoSubscriber;

use self::{
    arguments::Use, command::Command, contestants::Contestants, progress::Progress, stage::Stage,
    transcript::Behind,
};
use super::{Program, SettingArguments, print, runtime_for_one, source::Source};
use crate::failure::Failure;

/// Compares strategies on the tools of a source.
///
/// # Errors
/// Like `serve`, for the source and the strategies; [`Failure::OverBudget`] once the report is written.
pub fn compare(program: &Program, arguments: CompareArguments) -> Result<(), Failure> {
    if arguments.transcript.transcript {
        return transcript::show(program, arguments);
    }
    let tokenizer = arguments.tokenizer;
    // Decoding the vocabulary takes about as long as starting upstreams.
    std::thread::spawn(move || tokenizer.count(""));
    let (format, detail, out) = (arguments.format, arguments.detail, arguments.out.clone());
    let budget = arguments.fail_over;
    let Compared { report, transcript, asked } = runtime_for_one()?.block_on(run(program, arguments))?;
    let text = match format {
        Format::Html => output::page(&report, transcript.as_deref()),
        format => format.write(&report, detail),
    };
    match out {
        Some(path) => write(&path, &text)?,
        None => print(&text)?,
    }
    budget.map_or(Ok(()), |most| within(most, &report, &asked))
}

/// What a comparison results in.
struct Compared {
    report: Report,
    /// The transcript of the usual task, as HTML, for a page.
    transcript: Option<String>,
    /// The names of the requested rows.
    asked: Vec<String>,
}

async fn run(program: &Program, arguments: CompareArguments) -> Result<Compared, Failure> {
    let command = Command::of(&arguments.source, &arguments.settings);
    let source = arguments.source.resolve(program.own.as_ref())?;
    source.warn();
    let declared = checked(&source, &arguments.settings)?;
    let settings = (arguments.settings, source.settings.clone());
    let rows = arguments.strategies.join(",");
    let mut contestants = Contestants::build(&program.registry, &rows, settings, &command)?;
    let script = arguments.script.as_deref().map(script::read).transpose()?;
    let queries = arguments.queries.as_deref().map(queries::read).transpose()?.unwrap_or_default();
    let progress = Arc::new(Progress::new());
    let real = Stage::real(&source, declared.clone(), &contestants, &progress).await?;
    let read = real.read().await;
    let (subject, stand_ins) = match read {
        Ok(read) => read,
        Err(failure) => {
            real.close().await;
            return Err(failure);
        }
    };
    if let Err(failure) = contestants.examine(real.gateway()) {
        real.close().await;
        return Err(failure);
    }
    let disclosing = stage::disclosing(real.gateway());
    if let Some(tasks) = &script {
        script::warn(tasks.len(), contestants.names().len());
    } else {
        real.close().await;
    }
    // Warnings about stand-ins repeat those about the source.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let actors = (arguments.format == Format::Html).then(|| stand_ins.clone());
    let stages =
        Stage::stand_ins(&source, &declared, stand_ins, &mut contestants, arguments.transport).await?;
    let flag = if script.is_some() { "--script" } else { "--use" };
    let work = match (script, arguments.used.clone()) {
        (Some(tasks), _) => Work::Script { tasks, links: real.links() },
        (None, Use::Count(count)) => Work::Sample(count),
        (None, Use::Names(names)) => Work::Names(names),
    };
    let comparison = Comparison {
        subject,
        rows: contestants.rows(),
        links: links(&stages),
        work,
        queries,
        host: arguments.host,
        tokenizer: arguments.tokenizer,
        turns: arguments.turns,
        repeats: arguments.repeat,
        omits_schemas: arguments.omit_input_schema,
        per_tool: arguments.detail || arguments.format == Format::Html,
        transport: arguments.transport.to_string(),
    };
    let report = comparison.run(&|done, total, what| progress.step(done, total, what)).await;
    for stage in &stages {
        stage.close().await;
    }
    real.close().await;
    let transcript = match (actors, &report) {
        (Some(actors), Ok(report)) => {
            let task = transcript::chosen(program, &source, &comparison.subject, &arguments.used)?;
            let behind =
                Behind::scripted((&source, &declared), actors, &task, arguments.transport, &progress);
            let (tokenizer, host) = (arguments.tokenizer, arguments.host);
            let play = Play { subject: &comparison.subject, assignment: task, tokenizer, host };
            transcript::fragment(behind, play, &mut contestants, report).await
        }
        _ => Ok(None),
    };
    progress.finish();
    let (mut report, transcript) = (report.map_err(|error| message(error, flag))?, transcript?);
    report.notes.splice(0..0, contestants.notes().into_iter().chain(disclosing));
    Ok(Compared { report, transcript, asked: contestants.asked() })
}

/// What the source declares.
///
/// # Errors
/// [`Failure::Configuration`] with what is wrong with its files, or with choices that settings make of it.
fn checked(source: &Source, settings: &SettingArguments) -> Result<Declared, Failure> {
    let declared = source.read().map_err(Failure::Configuration)?.declared;
    let problems = source.choice_problems(&settings.clone().over(source.settings.clone()));
    if problems.is_empty() { Ok(declared) } else { Err(Failure::Configuration(problems)) }
}

/// Links to the stage of each strategy.
fn links(stages: &[Stage]) -> LinkFactory {
    let links: Vec<(String, LinkFactory)> =
        stages.iter().map(|stage| (stage.name().to_owned(), stage.links())).collect();
    Arc::new(move |strategy| match links.iter().find(|(name, _)| name == strategy) {
        Some((_, links)) => links(strategy),
        None => Err(stage::left_out(strategy)),
    })
}

/// The failure of a comparison; `flag` is the one that named tools.
fn message(error: Error, flag: &str) -> Failure {
    match error {
        Error::UnknownTools { .. } => {
            let problem = |line: &str| Problem::new(format!("{flag}: {line}"));
            Failure::Usage(error.to_string().lines().map(problem).collect())
        }
        Error::UnknownLabels { .. } => {
            let problem = |line: &str| Problem::new(format!("--queries: {line}"));
            Failure::Configuration(error.to_string().lines().map(problem).collect())
        }
        error => Failure::Comparison(error),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|source| Failure::Write { path: path.to_owned(), source })
}

/// # Errors
/// [`Failure::OverBudget`] with every strategy over the budget.
fn within(most: u64, report: &Report, asked: &[String]) -> Result<(), Failure> {
    let over: Vec<_> = report.over(most, asked).collect();
    if over.is_empty() {
        return Ok(());
    }
    let message = over.iter().map(|strategy| {
        let tokens = strategy.total_tokens.unwrap_or(strategy.initial_tokens);
        Problem::new(format!("strategy '{}' costs {tokens} tokens; --fail-over allows {most}", strategy.name))
    });
    Err(Failure::OverBudget(message.collect()))
}
