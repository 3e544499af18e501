//! One connection of a host, and the record of what happens on it as steps.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_disclosure_client::{
    Channel, Concerns, Direction, Error as Refusal, Host, Kind as MessageKind, Observer, Passage, Preferences,
};
use mcp_disclosure_core::RawObject;

use super::{ClientKind, Kind, Speaker, Stage, Step, gist, source::Source, wording};
use crate::{
    Error, HostKind,
    agent::{self, Purpose, Task},
    ledger::{Exchange, Ledger},
    probe::listed_resources,
    seen,
    tokenizer::Counter,
    transcript::Course,
};

/// One connection of a host.
pub(super) struct Scene<'a> {
    stage: &'a Stage,
    counter: &'a Counter,
    shows: HostKind,
    pub(super) host: Host,
    kind: ClientKind,
    ledger: Ledger,
    /// The number of calls that had reached the upstreams when each response arrived.
    reached: Arc<Mutex<Vec<u64>>>,
    /// Positions behind what is recorded in steps.
    mark: usize,
    reached_before: u64,
    pub(super) steps: Vec<Step>,
    so_far: u64,
    /// The call of the task, from 1, and the attempt at it.
    pub(super) call: usize,
    pub(super) attempt: usize,
}

/// What a step says, before it is counted.
struct Said {
    kind: Kind,
    speaker: Speaker,
    says: String,
    gist: Vec<String>,
    text: String,
    messages: Vec<RawObject>,
}

impl<'a> Scene<'a> {
    /// Connects. The host's first choices of concerns are part of the handshake.
    pub(super) async fn open(
        stage: &'a Stage,
        (counter, shows): (&'a Counter, HostKind),
        kind: ClientKind,
        choices: Concerns,
    ) -> Result<Self, Error> {
        let (ledger, reached) = (Ledger::default(), Arc::default());
        let strategy = (kind == ClientKind::Negotiating).then_some(&*stage.row.strategy);
        let preferences = Preferences {
            listens: false,
            observer: Some(observer(&ledger, stage, &reached)),
            concerns: choices.clone(),
            ..Preferences::of(strategy)
        };
        let failed = |source| failed(stage, "connecting", source);
        let link = (stage.links)(&stage.row.name).map_err(failed)?;
        let host = Host::connect(link, preferences).await.map_err(failed)?;
        let reached_before = (stage.reached)();
        let (steps, so_far) = (Vec::new(), 0);
        let mut scene = Self {
            stage,
            counter,
            shows,
            host,
            kind,
            ledger,
            reached,
            mark: 0,
            reached_before,
            steps,
            so_far,
            call: 1,
            attempt: 1,
        };
        if !choices.is_empty() {
            scene.say(Said { says: wording::chose(&choices), ..Said::silent(Kind::Chose, Speaker::Host) });
        }
        Ok(scene)
    }

    /// The instructions and the lists, as the model gets them.
    pub(super) async fn begin(&mut self, source: &Source) -> Result<Vec<RawObject>, Error> {
        let greeting = self.fresh();
        let tools = self.host.list().await.map_err(|source| self.failed("listing tools", source))?;
        let listed = self.fresh();
        let prompt = self.instructions();
        if !prompt.is_empty() {
            self.say(Said {
                kind: Kind::Introduced,
                speaker: Speaker::Gateway,
                says: wording::INTRODUCED.to_owned(),
                gist: prompt.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
                text: prompt,
                messages: answers(&greeting),
            });
        }
        self.say(self.listed(&tools, wording::listed(&tools, source), answers(&listed)));
        if self.kind == ClientKind::Negotiating && self.shows_resources() {
            let resources = source.added(self.resources().await?);
            let listed = self.fresh();
            self.say(list(&resources, wording::listed_resources(resources.len()), answers(&listed)));
        }
        Ok(tools)
    }

    /// The listed resources and templates.
    pub(super) async fn resources(&self) -> Result<Vec<RawObject>, Error> {
        listed_resources(&self.host).await.map_err(|source| self.failed("listing resources", source))
    }

    /// Whether a model can find tools that are not listed.
    pub(super) fn finds_unlisted(&self) -> bool {
        *self.host.channel() == Channel::InfoTool || self.stage.row.lesson.is_some()
    }

    /// The instructions that the host shows to the model.
    fn instructions(&self) -> String {
        match self.kind {
            ClientKind::Ordinary => self.host.server().instructions.clone().unwrap_or_default(),
            ClientKind::Negotiating => self.host.system_prompt(),
        }
    }

    /// A list of tools, as the host shows it to the model.
    fn listed(&self, tools: &[RawObject], says: String, messages: Vec<RawObject>) -> Said {
        let shown: Vec<RawObject> = tools.iter().map(|tool| self.shows.shown(tool)).collect();
        list(&shown, says, messages)
    }

    /// Changes the host's choices; the tools that are listed then.
    pub(super) async fn choose(
        &mut self,
        choices: &Concerns,
        source: &Source,
    ) -> Result<Vec<RawObject>, Error> {
        let updated = self.host.update_concerns(choices).await;
        let tools = match updated {
            Ok(updated) => updated.tools,
            // Without concerns there is nothing to choose, and the list is what it was.
            Err(Refusal::Answered { .. }) => {
                self.host.list().await.map_err(|source| self.failed("listing tools", source))?
            }
            Err(source) => return Err(self.failed("choosing concerns", source)),
        };
        let (lists, asked): (Vec<Exchange>, Vec<Exchange>) =
            self.fresh().into_iter().map(|(exchange, _)| exchange).partition(is_list);
        self.say(Said {
            says: wording::chose(choices),
            messages: asked.into_iter().map(|exchange| exchange.request).collect(),
            ..Said::silent(Kind::Chose, Speaker::Host)
        });
        let messages = lists.into_iter().map(|exchange| exchange.answer).collect();
        self.say(self.listed(&tools, wording::listed(&tools, source), messages));
        Ok(tools)
    }

    /// The model's choice of a tool.
    pub(super) fn pick(&mut self, tool: &str, listed: Option<&RawObject>, source: &Source) {
        self.say(Said {
            says: wording::picked(tool, listed, source),
            ..Said::silent(Kind::Picked, Speaker::Model)
        });
    }

    /// The model finds no tool for the task.
    pub(super) fn miss(&mut self) {
        let says = wording::MISSED.to_owned();
        self.say(Said { says, ..Said::silent(Kind::Picked, Speaker::Model) });
    }

    /// The moves of an agent since the last step, as steps.
    pub(super) fn record(
        &mut self,
        moves: &[agent::Step],
        task: &Task,
        mistake: Option<&Task>,
        course: Course,
    ) {
        let exchanges = self.fresh();
        let exchanges = exchanges.into_iter().filter(|(exchange, _)| !is_list(exchange));
        for (step, (exchange, reached)) in moves.iter().zip(exchanges) {
            let is_call = step.purpose == Purpose::Call;
            let speaker = if step.method == "tools/call" { Speaker::Model } else { Speaker::Host };
            let text = seen::written(&exchange);
            let (kind, says) = match is_call {
                true => {
                    let mistake = mistake.filter(|_| step.is_mistake);
                    (Kind::Called, wording::called(task, mistake, course, self.attempt))
                }
                false => {
                    let finder = self.stage.row.finder.filter(|_| *self.host.channel() != Channel::InfoTool);
                    let searches = finder.is_some_and(|finder| step.target == finder.tool());
                    (Kind::Asked, wording::asked(&text, task, mistake, searches))
                }
            };
            self.say(Said {
                kind,
                speaker,
                says,
                gist: Vec::new(),
                text,
                messages: vec![exchange.request.clone()],
            });
            let text = seen::read(&exchange);
            let by = if is_call && reached { Speaker::Upstream } else { Speaker::Gateway };
            let (kind, says, gist) = match (&step.problem, is_call) {
                (Some(_), _) => (Kind::Refused, wording::refused(&text), gist::of_refusal(&text)),
                (None, false) => (Kind::Explained, wording::EXPLAINED.to_owned(), gist::of_answer(&text)),
                (None, true) => (Kind::Returned, wording::RETURNED.to_owned(), Vec::new()),
            };
            self.say(Said { kind, speaker: by, says, gist, text, messages: vec![exchange.answer] });
            if is_call && step.problem.is_some() {
                self.attempt += 1;
            }
        }
    }

    /// Closes the connection; the steps.
    pub(super) async fn close(self) -> Vec<Step> {
        self.host.close().await;
        self.steps
    }

    pub(super) fn failed(&self, during: &'static str, source: Refusal) -> Error {
        failed(self.stage, during, source)
    }

    fn say(&mut self, said: Said) {
        let tokens = if said.text.is_empty() { 0 } else { self.counter.count(&said.text) };
        self.so_far += tokens;
        let Said { kind, speaker, says, gist, text, messages } = said;
        let (call, attempt, tokens_so_far) = (self.call, self.attempt, self.so_far);
        self.steps.push(Step {
            kind,
            speaker,
            call,
            attempt,
            says,
            gist,
            text,
            tokens,
            tokens_so_far,
            messages,
        });
    }

    /// The exchanges since the last time, and whether each reached an upstream.
    fn fresh(&mut self) -> Vec<(Exchange, bool)> {
        let exchanges = self.ledger.since(self.mark);
        self.mark = self.ledger.mark();
        let reached = std::mem::take(&mut *self.reached.lock().unwrap_or_else(PoisonError::into_inner));
        let reached = reached.into_iter().map(|count| {
            let is_more = count > self.reached_before;
            self.reached_before = count;
            is_more
        });
        exchanges.into_iter().zip(reached).collect()
    }

    /// Whether the host's model needs to see resources: they deliver descriptions.
    fn shows_resources(&self) -> bool {
        matches!(self.host.channel(), Channel::Resource { .. })
    }
}

impl Said {
    /// A step of which the model reads nothing.
    fn silent(kind: Kind, speaker: Speaker) -> Self {
        let (says, text) = (String::new(), String::new());
        Self { kind, speaker, says, gist: Vec::new(), text, messages: Vec::new() }
    }
}

/// A list, as the model gets it.
fn list(items: &[RawObject], says: String, messages: Vec<RawObject>) -> Said {
    let (gist, text) = (gist::of_list(items), seen::array(items));
    Said { kind: Kind::Listed, speaker: Speaker::Gateway, says, gist, text, messages }
}

fn is_list(exchange: &Exchange) -> bool {
    exchange.method.ends_with("/list")
}

fn answers(exchanges: &[(Exchange, bool)]) -> Vec<RawObject> {
    exchanges.iter().map(|(exchange, _)| exchange.answer.clone()).collect()
}

fn failed(stage: &Stage, during: &'static str, source: Refusal) -> Error {
    Error::Connection { strategy: stage.row.name.clone(), during, source }
}

/// Records the messages, and with each response the number of calls that have reached the upstreams. Requests are sent
/// one after the other, so responses arrive in their order.
fn observer(ledger: &Ledger, stage: &Stage, reached: &Arc<Mutex<Vec<u64>>>) -> Observer {
    let (record, count, reached) = (ledger.observer(), Arc::clone(&stage.reached), Arc::clone(reached));
    Arc::new(move |passage: &Passage<'_>| {
        record(passage);
        if (passage.direction, passage.kind) == (Direction::Received, MessageKind::Answer) {
            reached.lock().unwrap_or_else(PoisonError::into_inner).push(count());
        }
    })
}
