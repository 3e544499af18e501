//! What happens on one connection of a host, recorded as the steps of a transcript.

use std::sync::{Arc, atomic::Ordering};

use mcp_disclosure_client::{CallError, Concerns, Error as Refusal};
use mcp_disclosure_core::{Finder, RawObject};

use super::{Behavior, ClientKind, Kind, Phase, Speaker, Step, gist, wording};
use crate::{
    Error, Row,
    agent::{self, Purpose, Task},
    baseline::Listed,
    connection::{Bench, Connection, Exchange},
    report::StepTokens,
    seen,
};

/// One connection of a host, and its steps so far.
pub(super) struct Recorder<'a> {
    pub(super) connection: Connection<'a>,
    bench: &'a Bench<'a>,
    pub(super) listed: Arc<Listed>,
    /// The number of calls that had reached the upstreams by the last step.
    reached: u64,
    steps: Vec<Step>,
    /// What each move took by which a tool was found or learned.
    learning: Vec<StepTokens>,
    /// The call of the task, from 1, and the attempt at it.
    pub(super) call: usize,
    pub(super) attempt: usize,
}

impl<'a> Recorder<'a> {
    /// Connects, and lists. The host's first choices of concerns are part of the handshake.
    pub(super) async fn open(
        bench: &'a Bench<'a>,
        row: &'a Row,
        kind: ClientKind,
        choices: Concerns,
    ) -> Result<Self, Error> {
        let says = (!choices.is_empty()).then(|| wording::chose(&choices));
        let (listed, reached) = (Arc::default(), bench.play.reached.load(Ordering::Acquire));
        let (steps, learning) = (Vec::new(), Vec::new());
        let connection = Connection::open(bench, row, kind, choices).await?;
        let mut recorder = Self { connection, bench, listed, reached, steps, learning, call: 1, attempt: 1 };
        if let Some(says) = says {
            recorder.add(Kind::Chose, Phase::List, Speaker::Host, says, String::new());
        }
        recorder.begin().await?;
        Ok(recorder)
    }

    /// The instructions and the lists, as the model gets them.
    async fn begin(&mut self) -> Result<(), Error> {
        let greeting = answers(self.connection.fresh());
        let tools = self.connection.tools().await?;
        let listed = answers(self.connection.fresh());
        let prompt = self.connection.instructions();
        if !prompt.is_empty() {
            let lines = prompt.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            let step = self.add(Kind::Introduced, Phase::List, Speaker::Gateway, wording::INTRODUCED, prompt);
            (step.gist, step.messages) = (lines, greeting);
        }
        self.list_tools(tools, listed);
        if self.connection.kind == ClientKind::Negotiating && self.delivers_resources() {
            let items = self.bench.baseline.added(self.connection.resources().await?);
            let messages = answers(self.connection.fresh());
            self.list(wording::listed_resources(items.len()), &items, messages);
        }
        Ok(())
    }

    /// Changes the host's choices, after which tools are listed again.
    pub(super) async fn choose(&mut self, choices: &Concerns) -> Result<(), Error> {
        let tools = match self.connection.host.update_concerns(choices).await {
            Ok(updated) => updated.tools,
            // Without concerns there is nothing to choose, and the list is what it was.
            Err(Refusal::NoResult { error: CallError::Answered(_), .. }) => self.connection.tools().await?,
            Err(source) => return Err(self.connection.failed("choosing concerns", source)),
        };
        let (lists, asked): (Vec<Exchange>, Vec<Exchange>) =
            self.connection.fresh().into_iter().partition(Exchange::is_list);
        let step = self.add(Kind::Chose, Phase::List, Speaker::Host, wording::chose(choices), String::new());
        step.messages = asked.into_iter().map(|exchange| exchange.request).collect();
        self.list_tools(tools, answers(lists));
        Ok(())
    }

    /// The model's choice of a tool.
    pub(super) fn pick(&mut self, tool: &str) {
        let says = wording::picked(tool, &self.listed);
        self.add(Kind::Picked, Phase::Learn, Speaker::Model, says, String::new());
    }

    /// The model finds no tool for the task.
    pub(super) fn miss(&mut self) {
        self.add(Kind::Picked, Phase::Learn, Speaker::Model, wording::MISSED, String::new());
    }

    /// A move that an agent has just made, as steps: its requests, of which it can have several or none, and their answers.
    /// `finder` is the call that finds tools by words.
    pub(super) fn record(
        &mut self,
        made: &agent::Step,
        (task, mistake, behavior): (&Task, Option<&Task>, Behavior),
        finder: Option<Finder>,
    ) {
        let exchanges = self.connection.moves();
        let last = exchanges.len().saturating_sub(1);
        let speaker = if made.tool.is_some() { Speaker::Model } else { Speaker::Host };
        let is_call = made.purpose == Purpose::Call;
        // What a refused call leads to is the call's, whose arguments may be made up.
        let learns = !is_call && self.attempt == 1;
        self.learning.extend(learns.then(|| seen::tokens(&exchanges, &self.bench.counter)));
        for (at, exchange) in exchanges.into_iter().enumerate() {
            let text = seen::written(&exchange);
            let (kind, phase, says) = if is_call {
                let mistake = mistake.filter(|_| made.is_mistake);
                (Kind::Called, Phase::Call, wording::called(task, mistake, behavior, self.attempt))
            } else {
                let searches = finder.is_some_and(|finder| made.tool.as_deref() == Some(finder.tool()));
                (Kind::Asked, Phase::Learn, wording::asked(&text, task, mistake, searches))
            };
            self.add(kind, phase, speaker, says, text).messages = vec![exchange.request.clone()];
            self.answer(exchange, is_call, at == last && made.is_refused);
        }
    }

    /// The answer to a request.
    fn answer(&mut self, exchange: Exchange, is_call: bool, is_refused: bool) {
        let reached = is_call && exchange.reached > self.reached;
        self.reached = exchange.reached;
        let speaker = if reached { Speaker::Upstream } else { Speaker::Gateway };
        let text = seen::read(&exchange);
        let (kind, says, gist) = match (is_refused, is_call) {
            (true, _) => (Kind::Refused, wording::refused(&text), gist::of_refusal(&text)),
            (false, false) => (Kind::Explained, wording::EXPLAINED.to_owned(), gist::of_answer(&text)),
            (false, true) => (Kind::Returned, wording::RETURNED.to_owned(), Vec::new()),
        };
        let phase = if is_call { Phase::Result } else { Phase::Learn };
        let step = self.add(kind, phase, speaker, says, text);
        (step.gist, step.messages) = (gist, exchange.answer.into_iter().collect());
        self.attempt += usize::from(is_call && is_refused);
    }

    /// Closes the connection; the steps, and what each move took by which a tool was found or learned.
    pub(super) async fn close(self) -> (Vec<Step>, Vec<StepTokens>) {
        self.connection.host.close().await;
        (self.steps, self.learning)
    }

    fn list_tools(&mut self, tools: Vec<RawObject>, messages: Vec<RawObject>) {
        self.listed = Arc::new(Listed::new(tools, &self.bench.baseline));
        let says = wording::listed(&self.listed, &self.bench.baseline);
        self.list(says, &self.bench.play.host.shown(self.listed.tools()), messages);
    }

    /// A list, as the model gets it.
    fn list(&mut self, says: String, items: &[RawObject], messages: Vec<RawObject>) {
        let step = self.add(Kind::Listed, Phase::List, Speaker::Gateway, says, seen::array(items));
        (step.gist, step.messages) = (gist::of_list(items), messages);
    }

    /// Adds a step, with the text that the model reads or writes.
    fn add(
        &mut self,
        kind: Kind,
        phase: Phase,
        speaker: Speaker,
        says: impl Into<String>,
        text: String,
    ) -> &mut Step {
        let tokens = if text.is_empty() { 0 } else { self.bench.counter.count(&text) };
        self.steps.push(Step {
            kind,
            speaker,
            call: self.call,
            attempt: self.attempt,
            phase,
            says: says.into(),
            gist: Vec::new(),
            text,
            tokens,
            tokens_so_far: self.steps.last().map_or(0, |step| step.tokens_so_far) + tokens,
            messages: Vec::new(),
        });
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    /// Whether the host's model needs to see resources: they deliver descriptions.
    fn delivers_resources(&self) -> bool {
        matches!(self.connection.host.channel(), mcp_disclosure_client::Channel::Resource { .. })
    }
}

fn answers(exchanges: Vec<Exchange>) -> Vec<RawObject> {
    exchanges.into_iter().filter_map(|exchange| exchange.answer).collect()
}
