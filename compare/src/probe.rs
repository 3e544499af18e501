//! A measured connection: the steps of a host, and the cost of each.

use std::sync::Arc;

use mcp_disclosure_client::{Error as Refusal, Host, Link, Preferences, Traffic};
use mcp_disclosure_core::RawObject;
use serde_json::Value;

use crate::{
    Error, Row,
    agent::{Lessons, Task},
    bench::Bench,
    browsing::Browsing,
    ledger::Ledger,
    listed::Listed,
    seen::{self, Tokens},
};

/// Opens a new link to a server that serves the row of this name to every client.
pub type LinkFactory = Arc<dyn Fn(&str) -> Result<Link, Refusal> + Send + Sync>;

/// The kind of client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It supports the strategy and uses its native channel.
    Native,
    /// That of an ordinary host: it supports no strategy, and its model can use tools only.
    Plain,
}

/// A measured connection.
pub(crate) struct Probe<'a> {
    pub(crate) bench: &'a Bench<'a>,
    pub(crate) row: &'a Row,
    pub(crate) manner: Manner,
    pub(crate) host: Host,
    ledger: Ledger,
    pub(crate) listed: Arc<Listed>,
    pub(crate) browsing: Browsing,
    /// What answers have shown of arguments, such as receipts.
    pub(crate) lessons: Lessons,
}

/// The model's context at the start, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) tools: u64,
    pub(crate) resources: u64,
    pub(crate) instructions: u64,
}

impl Start {
    pub(crate) fn total(self) -> u64 {
        self.tools + self.resources + self.instructions
    }
}

/// Requests that a model makes at once, and their cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    pub(crate) requests: u64,
    pub(crate) tokens: Tokens,
}

impl<'a> Probe<'a> {
    /// Connects, and lists the tools.
    pub(crate) async fn open(
        bench: &'a Bench<'a>,
        links: &LinkFactory,
        row: &'a Row,
        manner: Manner,
    ) -> Result<Self, Error> {
        let mut probe = Self::enter(bench, links, row, manner, Arc::default()).await?;
        let tools = probe.host.list().await.map_err(|source| probe.failed("listing tools", source))?;
        probe.listed = Arc::new(Listed::new(tools, &bench.baseline));
        Ok(probe)
    }

    /// Connects with what the same server listed on another connection.
    pub(crate) async fn enter(
        bench: &'a Bench<'a>,
        links: &LinkFactory,
        row: &'a Row,
        manner: Manner,
        listed: Arc<Listed>,
    ) -> Result<Self, Error> {
        let ledger = Ledger::default();
        let native = manner == Manner::Native;
        let preferences = Preferences {
            omit_input_schema: bench.omits_schemas && native,
            listens: false,
            observer: Some(ledger.observer()),
            ..Preferences::of(native.then_some(&*row.strategy))
        };
        let failed = |source| Error::Connection { strategy: row.name.clone(), during: "connecting", source };
        let link = links(&row.name).map_err(failed)?;
        let host = Host::connect(link, preferences).await.map_err(failed)?;
        let served = host.server().selected.clone();
        if served.as_deref() != Some(&*row.strategy) {
            return Err(Error::NotServed { asked: row.strategy.clone(), served });
        }
        let (browsing, lessons) = (Browsing::default(), Lessons::default());
        Ok(Self { bench, row, manner, host, ledger, listed, browsing, lessons })
    }

    /// The listed resources and templates.
    pub(crate) async fn resources(&self) -> Result<Vec<RawObject>, Error> {
        listed_resources(&self.host).await.map_err(|source| self.failed("listing resources", source))
    }

    /// The instructions that the host shows to the model.
    fn instructions(&self) -> String {
        match self.manner {
            Manner::Native => self.host.system_prompt(),
            Manner::Plain => self.host.server().instructions.clone().unwrap_or_default(),
        }
    }

    /// The listed tools as the host shows them to the model.
    fn shown_tools(&self) -> String {
        let shown: Vec<RawObject> =
            self.listed.tools().iter().map(|tool| self.bench.host.shown(tool)).collect();
        seen::array(&shown)
    }

    /// The texts of the model's context at the start, without resources.
    pub(crate) fn shown(&self) -> String {
        format!("{}\n{}", self.instructions(), self.shown_tools())
    }

    /// The cost of the model's context at the start; `resources` are those that it needs to see.
    pub(crate) fn start(&self, resources: &[RawObject]) -> Start {
        let count = |text: &str| if text.is_empty() { 0 } else { self.bench.counter.count(text) };
        Start {
            tools: count(&self.shown_tools()),
            resources: if resources.is_empty() { 0 } else { count(&seen::array(resources)) },
            instructions: count(&self.instructions()),
        }
    }

    /// The traffic of the connection.
    pub(crate) fn traffic(&self) -> Traffic {
        self.host.traffic()
    }

    /// The current position, for [`Probe::since`].
    pub(crate) fn mark(&self) -> usize {
        self.ledger.mark()
    }

    /// The requests of the model since a position, and the tokens that it has written and read. It does not request
    /// lists; hosts do.
    pub(crate) fn since(&self, mark: usize) -> (u64, Tokens) {
        let mut exchanges = self.ledger.since(mark);
        exchanges.retain(|exchange| !exchange.method.ends_with("/list"));
        (exchanges.len() as u64, Tokens::of(&exchanges, &self.bench.counter))
    }

    /// Calls a tool, and returns whether it succeeded.
    pub(crate) async fn call(&self, task: &Task) -> Result<(Step, bool), Error> {
        let name = self.served_name(&task.tool);
        let (step, result) = match self.manner {
            Manner::Native => self.step("calling a tool", self.host.call(name, &task.arguments)).await?,
            Manner::Plain => {
                self.ask("calling a tool", name, &self.lessons.complete(name, &task.arguments)).await?
            }
        };
        Ok((step, !is_error(&result)))
    }

    /// Calls a tool with these arguments only, as a model does whose host adds nothing.
    pub(crate) async fn ask(
        &self,
        during: &'static str,
        tool: &str,
        arguments: &(impl serde::Serialize + ?Sized),
    ) -> Result<(Step, RawObject), Error> {
        self.step(during, self.host.call_unprepared(tool, arguments)).await
    }

    /// Awaits a future, and counts the messages in the meantime.
    pub(crate) async fn step<T>(
        &self,
        during: &'static str,
        work: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<(Step, T), Error> {
        let mark = self.mark();
        let done = work.await.map_err(|source| self.failed(during, source))?;
        let (requests, tokens) = self.since(mark);
        Ok((Step { requests, tokens }, done))
    }

    /// The name by which a tool is served.
    pub(crate) fn served_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.listed.served_name(name)
    }

    pub(crate) fn listed_tool(&self, name: &str) -> Option<&RawObject> {
        self.listed.tool(name)
    }

    pub(crate) fn failed(&self, during: &'static str, source: Refusal) -> Error {
        Error::Connection { strategy: self.row.name.clone(), during, source }
    }
}

/// The resources and templates that a server lists; none if it has none.
pub(crate) async fn listed_resources(host: &Host) -> Result<Vec<RawObject>, Refusal> {
    if !host.server().has("resources") {
        return Ok(Vec::new());
    }
    let mut listed = host.resources().await?;
    listed.extend(host.resource_templates().await?);
    Ok(listed)
}

/// Whether the result of a call is an error.
pub(crate) fn is_error(result: &RawObject) -> bool {
    result.member("isError") == Some("true")
}

/// The structured content of a result, or its text, if that is JSON.
pub(crate) fn answered(result: &RawObject) -> Value {
    let whole: Value = serde_json::from_str(result.text()).unwrap_or_default();
    match whole.get("structuredContent") {
        Some(content) => content.clone(),
        None => {
            serde_json::from_str(whole["content"][0]["text"].as_str().unwrap_or_default()).unwrap_or_default()
        }
    }
}

impl Step {
    pub(crate) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens.request += other.tokens.request;
        self.tokens.answer += other.tokens.answer;
    }
}

/// The tokens of all steps.
pub(crate) fn tokens(steps: &[Step]) -> u64 {
    steps.iter().map(|step| step.tokens.both()).sum()
}
