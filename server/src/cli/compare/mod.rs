//! `compare`.

mod arguments;
pub(super) mod command;
pub(super) mod contestants;
pub(super) mod files;
pub(super) mod prepared;
pub(super) mod progress;
mod spec;
mod stage;
mod stand_in;
pub(super) mod transcript;

use std::{io, path::Path};

pub use arguments::CompareArguments;
use mcp_disclosure_compare::{Comparison, Format, Report, Used, output::Screen, transcript::Transcript};
use mcp_disclosure_gateway::Problem;

use self::prepared::Prepared;
use super::{Program, check::is_coloured, print_styled, print_text, runtime_for_one, width};
use crate::{failure::Failure, log};

/// The default number of tools that are used.
const USED: usize = 2;

/// The width of a report where there is no terminal.
const WIDTH: u16 = 80;

/// Compares strategies on the tools of a source, or shows one task under each.
///
/// # Errors
/// Like `serve`, for the source and the strategies; what is wrong with a task; [`Failure::Unmet`] once the report is
/// written.
pub fn compare(program: &Program, arguments: CompareArguments) -> Result<(), Failure> {
    let (tokenizer, format, shown) = (arguments.tokenizer, arguments.format, &arguments.transcript);
    // Measuring may take minutes.
    arguments.out.as_deref().map_or(Ok(()), has_a_folder)?;
    // Decoding the vocabulary takes about as long as starting upstreams.
    std::thread::spawn(move || tokenizer.count(""));
    let runtime = runtime_for_one()?;
    let coloured = arguments.out.is_none() && is_coloured();
    let screen = |width: u16, whole| Screen { width: usize::from(width), coloured, whole };
    if shown.transcript {
        let transcript = runtime.block_on(transcript::played(program, &arguments))?;
        let screen = screen(shown.width.unwrap_or_else(width::width), shown.full);
        return deliver(&format.write_transcript(&transcript, screen), &arguments);
    }
    let (report, transcript, asked) = runtime.block_on(measured(program, &arguments))?;
    let screen = screen(shown.width.or_else(width::known).unwrap_or(WIDTH), arguments.wide);
    deliver(&format.write(&report, arguments.detail, &transcript, screen), &arguments)?;
    arguments.fail_over.map_or(Ok(()), |most| within(most, &report, &asked))
}

/// The report, the transcript of its task, with mistakes for a page, and the names of the requested rows.
async fn measured(
    program: &Program,
    arguments: &CompareArguments,
) -> Result<(Report, Transcript, Vec<String>), Failure> {
    let queries = arguments.queries.as_deref().map(files::queries).transpose()?.unwrap_or_default();
    let mut prepared = Prepared::of(arguments.setup(program)).await?;
    let used = arguments.used.clone().unwrap_or(Used::Count(USED));
    let mut assignment = transcript::chosen(program, &prepared, Some(&used))?;
    if arguments.format != Format::Html {
        assignment.courses.truncate(1);
    }
    let shown_as = (arguments.tokenizer, arguments.host, arguments.omit_input_schema);
    let compared = prepared.on_stages(assignment, shown_as, "--use", async |play, contestants, progress| {
        let (rows, served) = (contestants.rows(), contestants.by_default.clone());
        Comparison { play, rows, queries, turns: arguments.turns, served }.run(progress).await
    });
    let (mut report, transcript) = compared.await?;
    let command = command::note(&report.recommendation.command);
    let notes = prepared.notes().into_iter().chain(command).chain(prepared.subject.note(&used));
    report.notes.splice(0..0, notes);
    Ok((report, transcript, prepared.contestants.asked.clone()))
}

/// # Errors
/// If there is no folder in which a file of this path could be written, or it is a folder itself.
fn has_a_folder(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let read = match path.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => folder.map_or(Ok(()), |folder| std::fs::metadata(folder.join(".")).map(drop)),
    };
    read.map_err(|source| Failure::Write { path: path.to_owned(), source })
}

/// Writes a report or a transcript to a file, or else prints it.
fn deliver(text: &str, arguments: &CompareArguments) -> Result<(), Failure> {
    match (&arguments.out, arguments.format) {
        (Some(path), _) => {
            std::fs::write(path, text).map_err(|source| Failure::Write { path: path.clone(), source })?;
            log::note(&format!("written: {}", path.display()));
            Ok(())
        }
        // Its texts are escaped already, and its colours are not.
        (None, Format::Table) => print_styled(text),
        (None, _) => print_text(text),
    }
}

/// # Errors
/// [`Failure::Unmet`] with every strategy over the budget.
fn within(most: u64, report: &Report, asked: &[String]) -> Result<(), Failure> {
    let problem = |(name, tokens): (&str, u64)| {
        Problem::new(format!("strategy '{name}' costs {tokens} tokens; --fail-over allows {most}"))
    };
    let over: Vec<Problem> = report.over(most, asked).map(problem).collect();
    if over.is_empty() { Ok(()) } else { Err(Failure::Unmet(over)) }
}
