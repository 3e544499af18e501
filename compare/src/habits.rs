//! The same task by a model that follows the workflow, and by models that do not (tool-descriptions-guide "LLM Behavior
//! Tests"), in an ordinary host.

use std::sync::Arc;

use crate::{
    Error, Row,
    agent::{Agent, Habit, Task},
    bench::Bench,
    listed::Listed,
    probe::{LinkFactory, Manner, Probe},
    report::Behaviour,
};

/// Maximum number of tools that a model fetches in order to choose; with more, no host has room for them.
const MOST_FETCHED: usize = 500;

/// Performs the tasks with each habit, on a connection of its own.
pub(crate) async fn run(
    bench: &Bench<'_>,
    links: &LinkFactory,
    row: &Row,
    listed: &Arc<Listed>,
    tasks: &[Task],
) -> Result<Vec<Behaviour>, Error> {
    let mut behaviours = vec![agent(bench, links, row, listed, tasks, Habit::Workflow).await?];
    if bench.subject.tools.len() <= MOST_FETCHED {
        behaviours.push(agent(bench, links, row, listed, tasks, Habit::FetchEverything).await?);
    }
    let needed = behaviours[0].trips;
    behaviours.extend(guesses(bench, links, row, listed, tasks, needed).await?);
    Ok(behaviours)
}

async fn agent(
    bench: &Bench<'_>,
    links: &LinkFactory,
    row: &Row,
    listed: &Arc<Listed>,
    tasks: &[Task],
    habit: Habit,
) -> Result<Behaviour, Error> {
    let probe = Probe::enter(bench, links, row, Manner::Plain, Arc::clone(listed)).await?;
    let mark = probe.mark();
    let served = |task: &Task| Task { tool: probe.served_name(&task.tool).to_owned(), ..task.clone() };
    let tasks: Vec<Task> = tasks.iter().map(served).collect();
    let performed =
        Agent::new(&probe.host, habit).taught_by(probe.row.lesson).without_resources().perform(&tasks).await;
    let trace = performed.map_err(|source| probe.failed("following a habit", source))?;
    let (_, tokens) = probe.since(mark);
    probe.host.close().await;
    Ok(Behaviour {
        habit: habit.to_string(),
        trips: trace.steps.len(),
        extra_trips: trace.extra_trips(),
        tokens: tokens.both(),
        errors: trace.errors().map(|problem| problem.code.clone()).collect(),
        succeeded: trace.succeeded(),
        recovered: trace.outcomes.iter().any(|outcome| outcome.recovered),
    })
}

/// A model that calls at once. Where a list withholds parameters it has to guess them, and its first call has none;
/// where that is refused, it learns the tool and calls again. `None` where all parameters are listed, so that there is
/// nothing to guess, and where nothing teaches them.
async fn guesses(
    bench: &Bench<'_>,
    links: &LinkFactory,
    row: &Row,
    listed: &Arc<Listed>,
    tasks: &[Task],
    needed: usize,
) -> Result<Option<Behaviour>, Error> {
    let mut probe = Probe::enter(bench, links, row, Manner::Plain, Arc::clone(listed)).await?;
    let has_guesses = tasks.iter().any(|task| !probe.shows_use(&task.tool));
    let mark = probe.mark();
    let (mut trips, mut errors, mut succeeded) = (0, Vec::new(), true);
    for task in tasks.iter().filter(|_| has_guesses) {
        if !probe.shows_use(&task.tool) {
            let (step, refusal) = probe.guess(&task.tool).await?;
            trips += step.requests;
            let Some(code) = refusal else { continue };
            errors.push(code);
            let Some(steps) = probe.learn(&[&task.tool]).await? else { return Ok(None) };
            trips += steps.iter().map(|step| step.requests).sum::<u64>();
        }
        let (step, is_fine) = probe.call(task).await?;
        trips += step.requests;
        succeeded &= is_fine;
    }
    let tokens = probe.since(mark).1.both();
    probe.host.close().await;
    let trips = usize::try_from(trips).unwrap_or(usize::MAX);
    Ok(has_guesses.then(|| Behaviour {
        habit: Habit::SkipFetching.to_string(),
        trips,
        extra_trips: trips.saturating_sub(needed),
        tokens,
        recovered: succeeded && !errors.is_empty(),
        errors,
        succeeded,
    }))
}
