//! Plays a task under each strategy.

use std::sync::Arc;

use mcp_disclosure_client::{Channel, Traffic};

use super::{Act, Assignment, Behavior, Call, Ending, Phase, Played, Step, Transcript, recorder::Recorder};
use crate::{
    ClientKind, Error, HostKind, Row, Subject, Tokenizer,
    agent::{self, Agent, Purpose, Task},
    baseline::{Baseline, Listed},
    comparison::Progress,
    connection::{Bench, LinkFactory, Reached},
    report::StepTokens,
};

/// A task, to be played under each strategy.
pub struct Play<'a> {
    /// The tools of the source, as `full` lists them.
    pub subject: &'a Subject,
    /// The task.
    pub assignment: Assignment,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// What hosts show of a listed tool.
    pub host: HostKind,
    /// Whether negotiating clients ask for lists without `inputSchema`, where that can be asked.
    pub omits_schemas: bool,
    /// Opens links to the servers.
    pub links: LinkFactory,
    /// Counts the calls that have reached their upstreams.
    pub reached: Reached,
}

/// One course of a task, and what it took.
pub(crate) struct Course {
    pub(crate) act: Act,
    /// The moves by which tools were found and learned; `None` if a tool is not found, or the client does not know how it is
    /// learned.
    pub(crate) learning: Option<Vec<StepTokens>>,
    /// Tools of the task that the model did not find.
    pub(crate) missed: Vec<String>,
    /// How many tools were called, and how many of them had no result.
    pub(crate) called: usize,
    pub(crate) failed: usize,
    pub(crate) listed: Arc<Listed>,
    pub(crate) traffic: Traffic,
}

impl Play<'_> {
    /// Plays the task under each of these rows, with each behavior of the model; each time over a new connection.
    ///
    /// # Errors
    /// [`Error::UnknownTools`] before the first connection, or the first failure of one. What a server refuses is part of
    /// the transcript.
    pub async fn run(self, rows: &[Row], progress: Progress<'_>) -> Result<Transcript, Error> {
        let tools: Vec<String> = self.assignment.calls.iter().map(|call| call.tool.clone()).collect();
        self.subject.named(&tools)?;
        let bench = Bench::of(&self, rows).await?;
        let behaviors = &self.assignment.courses;
        let (mut done, total) = (0, rows.len() * behaviors.len());
        let mut strategies = Vec::with_capacity(rows.len());
        for row in rows {
            let mut acts = Vec::with_capacity(behaviors.len());
            for behavior in behaviors {
                progress(done, total, &format!("{}: {}", row.name, behavior.title()));
                done += 1;
                let act = self.course(&bench, row, self.assignment.host, *behavior).await?.act;
                acts.push(if acts.is_empty() { act } else { act.without_start() });
            }
            strategies.push(Played { name: row.name.clone(), acts });
        }
        progress(total, total, "done");
        Ok(self.transcript(strategies))
    }

    pub(crate) fn transcript(&self, strategies: Vec<Played>) -> Transcript {
        Transcript {
            source: self.subject.source.clone(),
            tools: self.subject.tools.len(),
            tokenizer: self.tokenizer,
            task: self.assignment.clone(),
            strategies,
            notes: Vec::new(),
        }
    }

    /// The task by one course, over a connection of its own.
    pub(crate) async fn course(
        &self,
        bench: &Bench<'_>,
        row: &Row,
        host: ClientKind,
        behavior: Behavior,
    ) -> Result<Course, Error> {
        let calls = self.calls(behavior);
        let choices = calls.first().and_then(|call| call.choose.clone()).unwrap_or_default();
        let mut recorder = Recorder::open(bench, row, host, choices).await?;
        let mistake =
            calls.first().and_then(|call| mistake(call, behavior, &recorder.listed, &bench.baseline));
        let reads_resources = host == ClientKind::Negotiating;
        let mut agent = Agent::new(&recorder.connection.host, behavior, reads_resources, &row.profile);
        agent.mistake.clone_from(&mistake);
        let (mut missed, mut is_known) = (Vec::new(), true);
        for (at, call) in calls.iter().enumerate() {
            (recorder.call, recorder.attempt) = (at + 1, 1);
            if let Some(choices) = call.choose.as_ref().filter(|_| at > 0) {
                recorder.choose(choices).await?;
            }
            agent.plan.listed = Arc::clone(&recorder.listed);
            let mistake = mistake.as_ref().filter(|_| at == 0);
            if !self.pursue(&mut recorder, &mut agent, (call, mistake, behavior)).await? {
                missed.push(call.tool.clone());
            } else {
                is_known &= agent.plan.teaches(recorder.listed.served_name(&call.tool));
            }
        }
        let (listed, traffic) = (Arc::clone(&recorder.listed), recorder.connection.host.traffic());
        let (steps, learning) = recorder.close().await;
        let unanswered = agent.outcomes.iter().filter(|succeeded| !**succeeded).count();
        let (called, failed) = (calls.len() - missed.len(), unanswered.saturating_sub(missed.len()));
        let act = Act::of(behavior, &agent, steps);
        let learning = (is_known && missed.is_empty()).then_some(learning);
        Ok(Course { act, learning, missed, called, failed, listed, traffic })
    }

    /// One call, until it has a result or the model gives up. Returns whether the model found the tool.
    async fn pursue(
        &self,
        recorder: &mut Recorder<'_>,
        agent: &mut Agent,
        (call, mistake, behavior): (&Call, Option<&Task>, Behavior),
    ) -> Result<bool, Error> {
        let tool = recorder.listed.served_name(&call.tool).to_owned();
        let right = Task { tool, arguments: call.arguments.clone() };
        // One sentence can be about several calls; their tools say more.
        let request = self.assignment.request.clone().filter(|_| self.assignment.calls.len() == 1);
        agent.plan.look_for(&right.tool, self.subject.tool(&call.tool), request);
        let (about, finder) = ((&right, mistake, behavior), agent.plan.finder());
        if behavior == Behavior::EverythingFirst && recorder.call == 1 {
            let tell = &mut |made: &agent::Step| recorder.record(made, about, finder);
            let fetched = agent.fetch_everything(&right.tool, tell).await;
            fetched.map_err(|source| recorder.connection.failed("fetching everything", source))?;
        }
        let before = agent.steps.len();
        recorder.pick(&right.tool);
        if recorder.listed.tool(&right.tool).is_some() || finds_unlisted(recorder) {
            let tell = &mut |made: &agent::Step| recorder.record(made, about, finder);
            let pursued = agent.pursue(&right, tell).await;
            pursued.map_err(|source| recorder.connection.failed("calling a tool", source))?;
        } else {
            agent.give_up();
        }
        let is_found = agent.steps[before..].iter().any(|step| step.purpose == Purpose::Call);
        if !is_found {
            recorder.miss();
        }
        Ok(is_found)
    }

    /// The workflow has every call; a mistake is shown with the first.
    fn calls(&self, behavior: Behavior) -> &[Call] {
        match behavior {
            Behavior::Workflow => &self.assignment.calls,
            _ => self.assignment.calls.get(..1).unwrap_or_default(),
        }
    }
}

/// Whether a model can find tools that are not listed.
fn finds_unlisted(recorder: &Recorder<'_>) -> bool {
    *recorder.connection.host.channel() == Channel::InfoTool
        || recorder.connection.row.profile.lesson.is_some()
}

/// The call that the model begins with instead of the right one.
fn mistake(call: &Call, behavior: Behavior, listed: &Listed, source: &Baseline) -> Option<Task> {
    let tool = listed.served_name(&call.tool).to_owned();
    match behavior {
        Behavior::UnknownName => {
            let tool = call.misspelt_name(|name| source.serves(name, listed));
            Some(Task { tool, arguments: call.arguments.clone() })
        }
        // What the list shows need not be guessed.
        Behavior::TooEarly if listed.shows_use(&tool) => None,
        Behavior::TooEarly | Behavior::WrongArgument => {
            Some(Task { tool, arguments: call.guessed_arguments() })
        }
        Behavior::Workflow | Behavior::EverythingFirst => None,
    }
}

impl Act {
    fn of(course: Behavior, agent: &Agent, steps: Vec<Step>) -> Self {
        let errors = agent.steps.iter().filter(|step| step.is_refused).count();
        let ending = match errors {
            _ if agent.outcomes.contains(&false) => Ending::Failed,
            0 => Ending::Answered,
            _ => Ending::Recovered,
        };
        let mut act =
            Self { course, ending, errors, start_tokens: 0, learning_tokens: 0, call_tokens: 0, steps };
        for step in &act.steps {
            let part = match step.phase {
                Phase::List => &mut act.start_tokens,
                Phase::Learn => &mut act.learning_tokens,
                Phase::Call | Phase::Result => &mut act.call_tokens,
            };
            *part += step.tokens;
        }
        act
    }

    /// Without the steps that are the same in every act.
    pub(crate) fn without_start(mut self) -> Self {
        self.steps.retain(|step| !step.kind.is_start());
        self
    }
}
