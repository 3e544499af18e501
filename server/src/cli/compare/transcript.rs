//! `compare --transcript`: one task under each strategy, step by step.

use mcp_disclosure_compare::{
    Used,
    transcript::{Assignment, Call, Transcript},
};
use mcp_disclosure_gateway::Problem;

use super::{
    CompareArguments, files,
    prepared::{Prepared, message},
};
use crate::{cli::Program, failure::Failure};

/// What readers of a transcript have to know.
const STAND_IN: &str = "No tool ran: stand-ins for the upstreams answered, with one word, and refused arguments that a tool's \
                        schema does not allow.";

/// One task under each strategy.
///
/// # Errors
/// Like `serve`, for the source and the strategies; what is wrong with the task.
pub(super) async fn played(program: &Program, arguments: &CompareArguments) -> Result<Transcript, Failure> {
    let given = arguments.transcript.task.as_deref().map(files::task).transpose()?;
    let flag = if given.is_some() { "--task" } else { "--use" };
    let mut prepared = Prepared::of(arguments.setup(program)).await?;
    let task = match given {
        Some(task) => task,
        None => chosen(program, &prepared, arguments.used.as_ref())?,
    };
    if task.calls.is_empty() {
        let problem = Problem::new("there is no tool to play a task with").hint("name another source");
        return Err(Failure::Configuration(vec![problem]));
    }
    let asked = prepared.contestants.asked.clone();
    let shown_as = (arguments.tokenizer, arguments.host);
    let mut transcript = prepared.play(task, shown_as, &asked, flag).await?;
    let refused = prepared.contestants.rows().into_iter().filter(|row| asked.contains(&row.name));
    let refused = refused.filter_map(|row| {
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
pub(super) fn chosen(
    program: &Program,
    prepared: &Prepared<'_>,
    used: Option<&Used>,
) -> Result<Assignment, Failure> {
    let is_own = prepared.is_own(program);
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
