//! Plays a task under each strategy.

use std::sync::Arc;

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::RawObject;

use super::{
    Act, Assignment, Call, ClientKind, Course, Ending, Kind, Phase, Played, Step, Transcript, scene::Scene,
    source::Source,
};
use crate::{
    Error, HostKind, Row, Subject, Tokenizer,
    agent::{Agent, Habit, Performance, Purpose, Task, Trace},
    comparison::{BASELINE, Progress},
    probe::LinkFactory,
    tokenizer::Counter,
};

/// A server that serves every client with one row.
pub struct Stage {
    /// The row: its strategy, the host's choices, and how tools are learned.
    pub row: Row,
    /// Opens links to the server.
    pub links: LinkFactory,
    /// The number of calls that have reached its upstreams so far.
    pub reached: Arc<dyn Fn() -> u64 + Send + Sync>,
}

/// A task, to be played under each strategy.
#[derive(Debug)]
pub struct Play<'a> {
    /// The tools of the source, as `full` lists them.
    pub subject: &'a Subject,
    /// The task.
    pub assignment: Assignment,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// What hosts show of a listed tool.
    pub host: HostKind,
}

impl Play<'_> {
    /// Plays the task on each stage, by each of its courses; each time over a new connection.
    ///
    /// # Errors
    /// [`Error::UnknownTools`] and [`Error::NoMistake`] before the first connection, or the first failure of one. What a server refuses is part of
    /// the transcript.
    pub async fn run(self, stages: &[Stage], progress: Progress<'_>) -> Result<Transcript, Error> {
        self.assignment.examine(self.subject)?;
        let counter = Counter::new(self.tokenizer);
        let source = self.source(stages, &counter).await?;
        let courses = &self.assignment.courses;
        let (mut done, total) = (0, stages.len() * courses.len());
        let mut strategies = Vec::with_capacity(stages.len());
        for stage in stages {
            let mut acts = Vec::with_capacity(courses.len());
            for course in courses {
                progress(done, total, &format!("{}: {}", stage.row.name, course.title()));
                done += 1;
                let act = self.act(stage, *course, &counter, &source).await?;
                acts.push(if acts.is_empty() { act } else { act.without_start() });
            }
            strategies.push(Played { name: stage.row.name.clone(), acts });
        }
        progress(total, total, "done");
        let source = self.subject.source.clone();
        let tools = self.subject.tools().len();
        let notes = Vec::new();
        Ok(Transcript { source, tools, tokenizer: self.tokenizer, task: self.assignment, strategies, notes })
    }

    /// What the source lists; its resources are those of a stage with complete definitions, if there is one.
    async fn source(&self, stages: &[Stage], counter: &Counter) -> Result<Source, Error> {
        let source = Source::new(self.subject);
        let baseline = stages.iter().find(|stage| stage.row.strategy == BASELINE);
        let Some(stage) = baseline.filter(|_| self.assignment.host == ClientKind::Negotiating) else {
            return Ok(source);
        };
        let kind = ClientKind::Negotiating;
        let scene = Scene::open(stage, (counter, self.host), kind, Concerns::new()).await?;
        let resources = scene.resources().await?;
        scene.close().await;
        Ok(source.with_resources(&resources))
    }

    async fn act(
        &self,
        stage: &Stage,
        course: Course,
        counter: &Counter,
        source: &Source,
    ) -> Result<Act, Error> {
        let calls = self.calls(course);
        let client = self.assignment.host;
        let choices = calls.first().and_then(|call| call.choose.clone()).unwrap_or_default();
        let mut scene = Scene::open(stage, (counter, self.host), client, choices).await?;
        let mut tools = scene.begin(source).await?;
        let mistake = calls.first().and_then(|call| mistake(call, course, &tools, source));
        let handle = scene.host.clone();
        let agent = agent(&handle, course, client, &stage.row, &mistake);
        let mut performance = agent.begin(tools.clone());
        for (at, call) in calls.iter().enumerate() {
            (scene.call, scene.attempt) = (at + 1, 1);
            if let Some(choices) = call.choose.as_ref().filter(|_| at > 0) {
                tools = scene.choose(choices, source).await?;
                performance.list(tools.clone());
            }
            let mistake = mistake.as_ref().filter(|_| at == 0);
            self.pursue(&mut scene, &mut performance, (call, mistake, course), (&tools, source)).await?;
        }
        let trace = performance.end();
        let steps = scene.close().await;
        Ok(Act::of(course, &trace, steps))
    }

    /// One call, until it has a result or the model gives up.
    async fn pursue(
        &self,
        scene: &mut Scene<'_>,
        performance: &mut Performance<'_>,
        (call, mistake, course): (&Call, Option<&Task>, Course),
        (tools, source): (&[RawObject], &Source),
    ) -> Result<(), Error> {
        let right = Task { tool: source.served_name(&call.tool, tools), ..call.right() };
        if let Some(tool) = self.subject.tool(&call.tool) {
            // One sentence can be about several calls; their tools say more.
            let request = self.assignment.request.clone().filter(|_| self.assignment.calls.len() == 1);
            let words = request.unwrap_or_else(|| tool.words());
            performance.look_for(&right.tool, &tool.category, &words);
        }
        let before = performance.trace().steps.len();
        if course == Course::EverythingFirst && scene.call == 1 {
            let fetched = performance.fetch_everything(&right.tool).await;
            fetched.map_err(|source| scene.failed("fetching everything", source))?;
            scene.record(&performance.trace().steps[before..], &right, mistake, course);
        }
        let before = performance.trace().steps.len();
        let listed = listed(&right.tool, tools);
        scene.pick(&right.tool, listed, source);
        if listed.is_some() || scene.finds_unlisted() {
            performance.pursue(&right).await.map_err(|source| scene.failed("calling a tool", source))?;
        } else {
            performance.give_up(&right);
        }
        let made = &performance.trace().steps[before..];
        scene.record(made, &right, mistake, course);
        if !made.iter().any(|step| step.purpose == Purpose::Call) {
            scene.miss();
        }
        Ok(())
    }

    /// The workflow has every call; a mistake is shown with the first.
    fn calls(&self, course: Course) -> &[Call] {
        match course {
            Course::Workflow => &self.assignment.calls,
            _ => &self.assignment.calls[..1],
        }
    }
}

/// The agent that behaves like this.
fn agent<'a>(
    host: &'a mcp_disclosure_client::Host,
    course: Course,
    kind: ClientKind,
    row: &Row,
    mistake: &Option<Task>,
) -> Agent<'a> {
    let habit = match course {
        Course::Workflow | Course::WrongArgument | Course::UnknownName => Habit::Workflow,
        Course::TooEarly => Habit::SkipFetching,
        Course::EverythingFirst => Habit::FetchEverything,
    };
    let agent = Agent::new(host, habit).taught_by(row.lesson).finding_by(row.finder);
    let agent = if kind == ClientKind::Ordinary { agent.without_resources() } else { agent };
    match mistake {
        Some(mistake) => agent.mistaking(mistake.clone()),
        None => agent,
    }
}

/// The call that the model begins with instead of the right one.
fn mistake(call: &Call, course: Course, tools: &[RawObject], source: &Source) -> Option<Task> {
    let tool = source.served_name(&call.tool, tools);
    match course {
        Course::UnknownName => Some(call.with_wrong_name(|name| source.serves(name))),
        Course::WrongArgument => Some(Task { tool, ..call.with_wrong_arguments() }),
        // What the list shows need not be guessed.
        Course::TooEarly if listed(&tool, tools).is_some_and(|tool| source.is_complete(tool)) => None,
        Course::TooEarly => Some(Task { tool, ..call.with_wrong_arguments() }),
        Course::Workflow | Course::EverythingFirst => None,
    }
}

fn listed<'a>(name: &str, tools: &'a [RawObject]) -> Option<&'a RawObject> {
    tools.iter().find(|tool| tool.string("name").as_deref() == Some(name))
}

impl Act {
    fn of(course: Course, trace: &Trace, steps: Vec<Step>) -> Self {
        let ending = match (trace.succeeded(), trace.errors().next().is_some()) {
            (false, _) => Ending::Failed,
            (true, true) => Ending::Recovered,
            (true, false) => Ending::Answered,
        };
        let errors = trace.errors().count();
        let mut act =
            Self { course, ending, errors, start_tokens: 0, learning_tokens: 0, call_tokens: 0, steps };
        for (place, step) in act.places().into_iter().zip(&act.steps) {
            let part = match place.phase {
                Phase::List => &mut act.start_tokens,
                Phase::Learn => &mut act.learning_tokens,
                Phase::Call | Phase::Result => &mut act.call_tokens,
            };
            *part += step.tokens;
        }
        act
    }

    /// Without the steps that are the same in every act: what is listed, and the choice of the tool.
    fn without_start(mut self) -> Self {
        let is_start = |kind| matches!(kind, Kind::Introduced | Kind::Chose | Kind::Listed | Kind::Picked);
        self.steps.retain(|step| !is_start(step.kind));
        self
    }
}
