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

use std::{io, path::Path};

pub use arguments::CompareArguments;
use mcp_disclosure_compare::{
    Comparison, Format, Report, Used,
    output::Screen,
    transcript::{Assignment, Call, Transcript},
};
use mcp_disclosure_gateway::Problem;

use self::{
    prepared::{Prepared, message},
    progress::Progress,
};
use super::{Program, check::is_coloured, print_styled, print_text, runtime_for_one, width};
use crate::{failure::Failure, log};

/// The default number of tools that are used.
const USED: usize = 2;

/// The width of a report where there is no terminal.
const WIDTH: u16 = 80;

/// What readers of a transcript have to know.
const STAND_IN: &str = "No tool ran: stand-ins for the upstreams answered, with one word, and refused arguments that a tool's \
                        schema does not allow.";

/// Compares strategies on the tools of a source, or shows one task under each.
///
/// # Errors
/// Like `serve`, for the source and the strategies; what is wrong with a task; [`Failure::Unmet`] once the report is
/// written.
pub fn compare(program: &Program, arguments: CompareArguments) -> Result<(), Failure> {
    let (tokenizer, format) = (arguments.tokenizer, arguments.format);
    // Measuring may take minutes.
    arguments.out.as_deref().map_or(Ok(()), has_a_folder)?;
    // Decoding the vocabulary takes about as long as starting upstreams.
    std::thread::spawn(move || tokenizer.count(""));
    let runtime = runtime_for_one()?;
    let coloured = arguments.out.is_none() && is_coloured();
    let screen = |width: u16, whole| Screen { width: usize::from(width), coloured, whole };
    if arguments.transcript {
        let transcript = runtime.block_on(played(program, &arguments))?;
        let screen = screen(arguments.width.unwrap_or_else(width::width), arguments.full);
        return deliver(&format.write_transcript(&transcript, screen), &arguments);
    }
    let (report, transcript, asked) = runtime.block_on(measured(program, &arguments))?;
    let screen = screen(arguments.width.or_else(width::known).unwrap_or(WIDTH), arguments.wide);
    deliver(&format.write(&report, arguments.detail, &transcript, screen), &arguments)?;
    arguments.fail_over.map_or(Ok(()), |most| within(most, &report, &asked))
}

/// The source and the strategies that are compared.
async fn prepared<'a>(program: &'a Program, arguments: &CompareArguments) -> Result<Prepared<'a>, Failure> {
    let CompareArguments { flags, principal, strategies, .. } = arguments;
    let rows = strategies.join(",");
    let (started, progress) = (command::program(), Some(Progress::new()));
    Prepared::of(program, flags.clone(), principal.clone(), ("--strategies", &rows), started, progress).await
}

/// The report, the transcript of its task, with mistakes for a page, and the names of the requested rows.
async fn measured(
    program: &Program,
    arguments: &CompareArguments,
) -> Result<(Report, Transcript, Vec<String>), Failure> {
    let queries = arguments.queries.as_deref().map(files::queries).transpose()?.unwrap_or_default();
    let mut prepared = prepared(program, arguments).await?;
    let used = arguments.used.clone().unwrap_or(Used::Count(USED));
    let mut assignment = chosen(&prepared, Some(&used))?;
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

/// One task under each strategy.
///
/// # Errors
/// Like `serve`, for the source and the strategies; what is wrong with the task.
async fn played(program: &Program, arguments: &CompareArguments) -> Result<Transcript, Failure> {
    let given = arguments.task.as_deref().map(files::task).transpose()?;
    let flag = if given.is_some() { "--task" } else { "--use" };
    let mut prepared = prepared(program, arguments).await?;
    let task = match given {
        Some(task) => task,
        None => chosen(&prepared, arguments.used.as_ref())?,
    };
    if task.calls.is_empty() {
        let problem = Problem::new("there is no tool to play a task with").hint("name another source");
        return Err(Failure::Configuration(vec![problem]));
    }
    let mut transcript = prepared.play(task, (arguments.tokenizer, arguments.host), flag).await?;
    let refused = prepared.contestants.requested().into_iter().filter_map(|row| {
        let why = row.not_offered?;
        Some(format!("{} is shown, but serve would not offer it here: {why}", row.name))
    });
    let invented = transcript.task.calls.iter().any(|call| call.answer.is_none());
    let stand_in = invented.then(|| STAND_IN.to_owned());
    transcript.notes = prepared.notes().into_iter().chain(refused).chain(stand_in).collect();
    Ok(transcript)
}

/// The task of the tools that are asked for; without any, that of the demonstration, or else of the first tool of the sample.
/// It has the answers of the demonstration if that is what is served, and no calls if there is no tool.
///
/// # Errors
/// [`Failure::Usage`] with all unknown names.
fn chosen(prepared: &Prepared<'_>, used: Option<&Used>) -> Result<Assignment, Failure> {
    let is_own = prepared.is_own();
    let is_there = |call: &Call| prepared.subject.tool(&call.tool).is_some();
    let own = crate::own_task().filter(|_| used.is_none() && is_own);
    let mut task = match own.filter(|task| task.calls.iter().all(is_there)) {
        Some(own) => own,
        None => {
            let tools = prepared.subject.used(used.unwrap_or(&Used::Count(1)));
            Assignment::using(&tools.map_err(|error| message(error, "--use"))?)
        }
    };
    for call in task.calls.iter_mut().filter(|_| is_own) {
        call.answer = crate::own_answer(&call.tool, &call.arguments);
    }
    Ok(task)
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
