//! `demo`: what disclosure does, for readers who have never seen MCP.

use clap::Args;
use mcp_disclosure_compare::{
    BASELINE, HostKind, Row, Tokenizer,
    output::Screen,
    transcript::{self, Assignment, Behavior, Transcript},
};
use mcp_disclosure_core::full;
use mcp_disclosure_gateway::Problem;
use tracing::subscriber::NoSubscriber;

use super::{
    Program,
    compare::{command, prepared::Prepared},
    is_coloured, print_styled, runtime_for_one, width,
};
use crate::{failure::Failure, flags::Given, own_task, strategies::SHOWN};

/// `demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// The strategy to show against full [default: resource]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
}

/// The flag that names the strategy.
const FLAG: &str = "--strategy";

/// What disclosure is about, for readers who have never heard of it.
const OPENING: &str = "An AI model works with other programs through tools. Servers offer tools by a protocol, MCP: before a \
    conversation begins, the model gets a list of all of them, with the parameters of each. It pays for that list in \
    tokens, the units in which models read text, whether it uses the tools or not. mcp-disclosure is a gateway between \
    the two, which hands over parameters when the model needs them.";

/// Shows one task of the embedded server, which is this program's own, under `full` and another strategy.
///
/// # Errors
/// [`Failure::Usage`] without the embedded server, or for a strategy that withholds nothing.
pub fn demo(program: &Program, arguments: DemoArguments) -> Result<(), Failure> {
    let is_asked = arguments.strategy.is_some();
    let strategy = arguments.strategy.unwrap_or_else(|| SHOWN.to_owned());
    if strategy == BASELINE {
        let problem = Problem::new(format!(
            "{FLAG} {BASELINE}: it is the one that others are compared with, and withholds nothing"
        ));
        return Err(Failure::usage(problem.hint("`strategies` lists the others")));
    }
    let started = started();
    let (transcript, shown) = runtime_for_one()?.block_on(played(program, &strategy, &started))?;
    let screen = Screen { width: usize::from(width()), coloured: is_coloured(), whole: false };
    let heading = "Try next, where COMMAND starts an MCP server of yours:";
    let story = transcript::story(
        &transcript,
        &[OPENING.to_owned(), performed(&transcript)],
        (heading, &next(&started, Some(&shown).filter(|_| is_asked))),
        screen,
    );
    // Texts in a story are escaped already, and its colours are not.
    print_styled(&story)
}

/// The task under `full` and another strategy, over real connections to the embedded server; and the row of the other.
/// `started` is how this program was started.
///
/// # Errors
/// Like `serve`, for the strategy; [`Failure::Usage`] for several, and without the embedded server.
async fn played(program: &Program, strategy: &str, started: &str) -> Result<(Transcript, Row), Failure> {
    // This is about messages, and not about what operators are warned of.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let Some(task) = own_task() else {
        let problem = Problem::new("this program was built without the server that demo shows");
        let hint = "compare --transcript -- COMMAND shows the same with a server of your own";
        return Err(Failure::usage(problem.hint(hint)));
    };
    let (flags, rows) = (Given::default(), format!("{},{strategy}", full::NAME));
    // What is played takes no time, so no progress is shown.
    let mut prepared = Prepared::of(program, flags, None, (FLAG, &rows), started.to_owned(), None).await?;
    let assignment = Assignment { courses: vec![Behavior::Workflow, Behavior::TooEarly], ..task };
    let shown_as = (Tokenizer::default(), HostKind::default());
    let transcript = prepared.play(assignment, shown_as, FLAG).await?;
    let [_, shown] = prepared.contestants.rows().try_into().map_err(|_| {
        let message = format!("{FLAG} {strategy}: one strategy or stack is shown against full");
        Failure::usage(Problem::new(message).hint("compare --transcript --strategies shows several"))
    })?;
    Ok((transcript, shown))
}

/// The task, and where it has been performed.
fn performed(transcript: &Transcript) -> String {
    let request = transcript.task.request.as_deref().unwrap_or_default();
    let tools = transcript.tools;
    format!(
        "The task: {request} It has just been performed twice, on a mathematics server with {tools} tools."
    )
}

/// The beginning of a command line that starts this program as it was started.
fn started() -> String {
    if std::env::var_os("CARGO").is_some() { "cargo run --".to_owned() } else { command::program() }
}

/// The two commands to try next, and what each does. Who asked for a strategy is shown the command that serves it.
fn next(started: &str, shown: Option<&Row>) -> [(String, &'static str); 2] {
    let compare = format!("{started} compare -- COMMAND");
    let then = match shown {
        Some(row) => {
            (format!("{} -- COMMAND", row.command), "is what your MCP client then starts instead of COMMAND")
        }
        // What cargo runs lasts until the next `cargo clean`: hosts need a program that stays.
        None if started.starts_with("cargo") => (
            "cargo install --path server && mcp-disclosure init".to_owned(),
            "puts it in front of the servers of your hosts, after asking",
        ),
        None => (format!("{started} init"), "puts it in front of the servers of your hosts, after asking"),
    };
    [(compare, "shows what each strategy costs with its tools, and runs none of them"), then]
}
