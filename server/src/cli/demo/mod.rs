//! `demo`: what disclosure does, for readers who have never seen MCP.

#[cfg(feature = "demo")]
mod played;

use mcp_disclosure_compare::{
    Row,
    transcript::{self, Look},
};
use mcp_disclosure_gateway::Problem;

use super::{
    DemoArguments, Program, check::is_coloured, compare::transcript::width, print_styled, runtime_for_one,
};
use crate::failure::Failure;

/// Shows one task of the embedded server under `full` and another strategy.
///
/// # Errors
/// [`Failure::Usage`] without the embedded server, or for a strategy that withholds nothing.
pub fn demo(program: &Program, arguments: DemoArguments) -> Result<(), Failure> {
    let strategy = arguments.strategy;
    if strategy == mcp_disclosure_core::full::NAME {
        let problem = Problem::new(
            "--strategy full: it is the one that others are compared with, and withholds nothing",
        );
        return Err(Failure::Usage(vec![problem.hint("`strategies` lists the others")]));
    }
    let (transcript, shown) = runtime_for_one()?.block_on(played(program, &strategy))?;
    let look = Look { width: usize::from(width()), full: false, coloured: is_coloured() };
    let story = transcript::story(&transcript, look);
    // Texts in a story are escaped already, and its colours are not.
    print_styled(&format!("{story}{}", next(&shown)))
}

#[cfg(feature = "demo")]
use played::played;

#[cfg(not(feature = "demo"))]
async fn played(_: &Program, _: &str) -> Result<(transcript::Transcript, Row), Failure> {
    let problem = Problem::new("this program was built without the server that demo shows")
        .hint("compare --transcript -- COMMAND shows the same with a server of your own");
    Err(Failure::Usage(vec![problem]))
}

/// The two commands to try next, in the form in which this program was started.
fn next(shown: &Row) -> String {
    let program = if std::env::var_os("CARGO").is_some() { "cargo run --" } else { "mcp-disclosure" };
    let serve = match &shown.command {
        Some(command) => command.replacen("mcp-disclosure", program, 1),
        // Hosts make choices, and `serve` has no flag for them.
        None => format!("{program} serve --strategy {}", shown.strategy),
    };
    format!(
        "Try next, where COMMAND starts an MCP server of yours:\n  \
         {program} compare -- COMMAND\n     shows what each strategy costs with its tools, and runs none of them\n  \
         {serve} -- COMMAND\n     is what your MCP client then starts instead of COMMAND\n"
    )
}
