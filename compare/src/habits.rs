//! The same task by a model that follows the workflow, and by models that do not (tool-descriptions-guide "LLM Behavior
//! Tests").

use crate::{
    Error,
    agent::{Agent, Habit, Task},
    bench::Bench,
    probe::{LinkFactory, Manner, Probe},
    report::Behaviour,
};

const HABITS: [Habit; 3] = [Habit::Workflow, Habit::FetchEverything, Habit::SkipFetching];

/// Performs the tasks with each habit, on a connection of its own.
pub(crate) async fn run(
    bench: &Bench<'_>,
    links: &LinkFactory,
    strategy: &str,
    tasks: &[Task],
) -> Result<Vec<Behaviour>, Error> {
    let mut behaviours = Vec::with_capacity(HABITS.len());
    for habit in HABITS {
        let probe = Probe::open(bench, links, strategy, Manner::Native).await?;
        let mark = probe.mark();
        let served = |task: &Task| Task { tool: probe.served_name(&task.tool).to_owned(), ..task.clone() };
        let tasks: Vec<Task> = tasks.iter().map(served).collect();
        let performed = Agent::new(&probe.host, habit).perform(&tasks).await;
        let trace = performed.map_err(|source| probe.failed("following a habit", source))?;
        let tokens = probe.tokens_since_listing(mark);
        probe.host.close().await;
        behaviours.push(Behaviour {
            habit: habit.to_string(),
            trips: trace.steps.len(),
            extra_trips: trace.extra_trips(),
            tokens: tokens.both(),
            errors: trace.errors().map(|problem| problem.code.clone()).collect(),
            succeeded: trace.succeeded(),
            recovered: trace.outcomes.iter().any(|outcome| outcome.recovered),
        });
    }
    Ok(behaviours)
}
