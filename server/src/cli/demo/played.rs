//! The embedded server's task, really played.

use mcp_disclosure_compare::{
    HostKind, Row, Tokenizer,
    transcript::{Assignment, Behavior, Transcript},
};
use mcp_disclosure_core::full;
use mcp_disclosure_gateway::Problem;
use tracing::subscriber::NoSubscriber;

use super::FLAG;
use crate::{
    cli::{
        Program,
        compare::prepared::{Prepared, Setup},
    },
    demo::{demonstration, task},
    failure::Failure,
    flags::Given,
};

/// The task under `full` and another strategy, over real connections to the embedded server; and the row of the other.
/// `started` is how this program was started.
///
/// # Errors
/// Like `serve`, for the strategy; [`Failure::Usage`] for several.
pub(super) async fn played(
    program: &Program,
    strategy: &str,
    started: &str,
) -> Result<(Transcript, Row), Failure> {
    // This is about messages, and not about what operators are warned of.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let own = demonstration();
    let setup = Setup {
        registry: &program.registry,
        own: Some(&own),
        flags: Given::default(),
        principal: None,
        rows: (FLAG, format!("{},{strategy}", full::NAME)),
        program: started.to_owned(),
        // What is played takes no time.
        progress: None,
    };
    let mut prepared = Prepared::of(setup).await?;
    let names = prepared.contestants.asked.clone();
    let assignment = Assignment { courses: vec![Behavior::Workflow, Behavior::TooEarly], ..task() };
    let shown_as = (Tokenizer::default(), HostKind::default());
    let transcript = prepared.play(assignment, shown_as, &names, FLAG).await?;
    let [_, shown] = prepared.contestants.rows().try_into().map_err(|_| several(strategy))?;
    Ok((transcript, shown))
}

fn several(strategy: &str) -> Failure {
    let problem = Problem::new(format!("{FLAG} {strategy}: one strategy or stack is shown against full"));
    Failure::usage(problem.hint("compare --transcript --strategies shows several"))
}
