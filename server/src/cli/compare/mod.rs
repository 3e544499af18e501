//! `compare`.

mod arguments;
pub(super) mod command;
pub(super) mod contestants;
pub(super) mod files;
pub(super) mod prepared;
pub(super) mod progress;
mod spec;
mod stage;
pub(super) mod stand_in;
pub(super) mod transcript;

use std::path::PathBuf;

pub use arguments::CompareArguments;
use mcp_disclosure_compare::{
    Comparison, Format, Query, Report, Used, output::Screen, transcript::Transcript,
};
use mcp_disclosure_gateway::Problem;

use self::{
    prepared::{Prepared, message},
    stage::Stages,
};
use super::{Program, check::is_coloured, print_styled, print_text, runtime_for_one, width};
use crate::{failure::Failure, log};

/// The default number of tools that are used.
const USED: usize = 2;

/// The width where there is no terminal.
const WIDTH: u16 = 80;

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
    let Compared { report, transcript, asked } = runtime_for_one()?.block_on(run(program, &arguments))?;
    let width = arguments.transcript.width.or_else(width::known).unwrap_or(WIDTH);
    let coloured = arguments.out.is_none() && is_coloured();
    let screen = Screen { width: usize::from(width), coloured, whole: arguments.wide };
    let text = arguments.format.write(&report, arguments.detail, transcript.as_ref(), screen);
    deliver(&text, arguments.format, arguments.out)?;
    arguments.fail_over.map_or(Ok(()), |most| within(most, &report, &asked))
}

/// What a comparison results in.
struct Compared {
    report: Report,
    /// The transcript of the usual task, for a page.
    transcript: Option<Transcript>,
    /// The names of the requested rows.
    asked: Vec<String>,
}

async fn run(program: &Program, arguments: &CompareArguments) -> Result<Compared, Failure> {
    let queries = arguments.queries.as_deref().map(files::queries).transpose()?.unwrap_or_default();
    let mut prepared = Prepared::of(arguments.setup(program)).await?;
    let behind = stand_in::answering(&prepared.stand_ins, |_, _, _| stand_in::result(stand_in::DONE));
    let stages = prepared.stages(behind.upstreams).await?;
    let measured = measured(&prepared, arguments, &stages, queries).await;
    stages.close().await;
    let mut report = measured?;
    let transcript = match arguments.format {
        Format::Html => transcript::of_report(program, &mut prepared, arguments, &report).await?,
        _ => None,
    };
    let command = report.recommendation.command.as_deref().and_then(command::note);
    report.notes.splice(0..0, prepared.notes().into_iter().chain(command));
    Ok(Compared { report, transcript, asked: prepared.contestants.asked.clone() })
}

/// The comparison itself, on gateways in front of stand-ins.
async fn measured(
    prepared: &Prepared<'_>,
    arguments: &CompareArguments,
    stages: &Stages,
    queries: Vec<Query>,
) -> Result<Report, Failure> {
    let comparison = Comparison {
        subject: prepared.subject.clone(),
        rows: prepared.contestants.rows(),
        links: stages.links(),
        used: arguments.used.clone().unwrap_or(Used::Count(USED)),
        queries,
        host: arguments.host,
        tokenizer: arguments.tokenizer,
        turns: arguments.turns,
        omits_schemas: arguments.omit_input_schema,
        transport: arguments.transport.to_string(),
        served: prepared.contestants.by_default.clone(),
    };
    let report = comparison.run(&|done, total, what| prepared.progress.step(done, total, what)).await;
    report.map_err(|error| message(error, "--use"))
}

/// Writes a report or a transcript to a file, or else prints it.
fn deliver(text: &str, format: Format, out: Option<PathBuf>) -> Result<(), Failure> {
    match (out, format) {
        (Some(path), _) => {
            std::fs::write(&path, text).map_err(|source| Failure::Write { path: path.clone(), source })?;
            log::note(&format!("written: {}", path.display()));
            Ok(())
        }
        // Its texts are escaped already, and its colours are not.
        (None, Format::Table) => print_styled(text),
        (None, _) => print_text(text),
    }
}

/// # Errors
/// [`Failure::OverBudget`] with every strategy over the budget.
fn within(most: u64, report: &Report, asked: &[String]) -> Result<(), Failure> {
    let over: Vec<_> = report.over(most, asked).collect();
    if over.is_empty() {
        return Ok(());
    }
    let message = over.iter().map(|strategy| {
        let tokens = strategy.costs.total_tokens.unwrap_or(strategy.costs.initial_tokens);
        Problem::new(format!("strategy '{}' costs {tokens} tokens; --fail-over allows {most}", strategy.name))
    });
    Err(Failure::OverBudget(message.collect()))
}
