//! A measured connection: the steps of a host, and the cost of each.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_disclosure_client::{Error as Refusal, Host, Link, Preferences, Traffic};
use mcp_disclosure_core::RawObject;

use crate::{
    Error,
    agent::Task,
    bench::Bench,
    ledger::Ledger,
    seen::{self, Tokens},
};

/// Opens a new link to a server that serves this strategy to every client.
pub type LinkFactory = Arc<dyn Fn(&str) -> Result<Link, Refusal> + Send + Sync>;

/// The kind of host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It supports the strategy and uses its native channel.
    Native,
    /// It supports none, and its model can use tools only.
    Plain,
}

/// A measured connection.
pub(crate) struct Probe<'a> {
    pub(crate) bench: &'a Bench<'a>,
    pub(crate) strategy: &'a str,
    pub(crate) manner: Manner,
    pub(crate) host: Host,
    ledger: Ledger,
    pub(crate) listed: Vec<RawObject>,
    names: Vec<String>,
    /// The categories that were requested, once each.
    pub(crate) browsed: HashSet<String>,
    pub(crate) connected_in: Duration,
    pub(crate) listed_in: Duration,
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
    pub(crate) took: Duration,
}

impl<'a> Probe<'a> {
    /// Connects, and lists the tools.
    pub(crate) async fn open(
        bench: &'a Bench<'a>,
        links: &LinkFactory,
        strategy: &'a str,
        manner: Manner,
    ) -> Result<Self, Error> {
        let ledger = Ledger::default();
        let native = manner == Manner::Native;
        let preferences = Preferences {
            omit_input_schema: bench.omits_schemas && native,
            listens: false,
            observer: Some(ledger.observer()),
            ..Preferences::of(native.then_some(strategy))
        };
        let failed =
            |during| move |source| Error::Connection { strategy: strategy.to_owned(), during, source };
        let link = links(strategy).map_err(failed("connecting"))?;
        let begun = Instant::now();
        let host = Host::connect(link, preferences).await.map_err(failed("connecting"))?;
        let connected_in = begun.elapsed();
        let served = host.server().selected.clone();
        if served.as_deref() != Some(strategy) {
            return Err(Error::NotServed { asked: strategy.to_owned(), served });
        }
        let begun = Instant::now();
        let listed = host.list().await.map_err(failed("listing tools"))?;
        let listed_in = begun.elapsed();
        let names = listed.iter().filter_map(|tool| tool.string("name")).collect();
        let browsed = HashSet::new();
        Ok(Self { bench, strategy, manner, host, ledger, listed, names, browsed, connected_in, listed_in })
    }

    /// The listed resources and templates.
    pub(crate) async fn resources(&self) -> Result<Vec<RawObject>, Error> {
        if !self.host.server().has("resources") {
            return Ok(Vec::new());
        }
        let failed = |source| self.failed("listing resources", source);
        let mut listed = self.host.resources().await.map_err(failed)?;
        listed.extend(self.host.resource_templates().await.map_err(failed)?);
        Ok(listed)
    }

    /// The cost of the model's context at the start; `resources` are those that it needs to see.
    pub(crate) fn start(&self, resources: &[RawObject]) -> Start {
        let count = |text: &str| if text.is_empty() { 0 } else { self.bench.counter.count(text) };
        Start {
            tools: count(&seen::array(&self.listed)),
            resources: if resources.is_empty() { 0 } else { count(&seen::array(resources)) },
            instructions: count(&self.host.system_prompt()),
        }
    }

    /// The tokens of a tool in the list, if it is listed.
    pub(crate) fn listed_tokens(&self, name: &str) -> Option<u64> {
        Some(self.bench.counter.count(self.listed_tool(self.served_name(name))?.compact().text()))
    }

    /// The traffic of the connection.
    pub(crate) fn traffic(&self) -> Traffic {
        self.host.traffic()
    }

    /// The current position, for [`Probe::tokens_since`].
    pub(crate) fn mark(&self) -> usize {
        self.ledger.mark()
    }

    /// The tokens that a model has written and read since a position.
    pub(crate) fn tokens_since(&self, mark: usize) -> Tokens {
        Tokens::of(&self.ledger.since(mark), &self.bench.counter)
    }

    /// The same without lists, which are not requested by the model.
    pub(crate) fn tokens_since_listing(&self, mark: usize) -> Tokens {
        let mut exchanges = self.ledger.since(mark);
        exchanges.retain(|exchange| !exchange.method.ends_with("/list"));
        Tokens::of(&exchanges, &self.bench.counter)
    }

    /// Calls a tool, and returns whether it succeeded.
    pub(crate) async fn call(&self, task: &Task) -> Result<(Step, bool), Error> {
        let called = self.host.call(self.served_name(&task.tool), &task.arguments);
        let (step, result) = self.step("calling a tool", called).await?;
        Ok((step, result.member("isError") != Some("true")))
    }

    /// Awaits a future, and counts the messages in the meantime.
    pub(crate) async fn step<T>(
        &self,
        during: &'static str,
        work: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<(Step, T), Error> {
        let (mark, begun, before) = (self.mark(), Instant::now(), self.traffic());
        let done = work.await.map_err(|source| self.failed(during, source))?;
        let took = begun.elapsed();
        let requests = (self.traffic() - before).round_trips();
        Ok((Step { requests, tokens: self.tokens_since(mark), took }, done))
    }

    /// The name of a tool under this strategy: a tool with the name of the strategy's own tool is served as
    /// `<upstream>__<tool>`.
    pub(crate) fn served_name<'n>(&'n self, name: &'n str) -> &'n str {
        let moved = format!("__{name}");
        let is_new = |listed: &&str| listed.ends_with(&moved) && !self.bench.baseline.lists(listed);
        self.names.iter().map(String::as_str).find(is_new).unwrap_or(name)
    }

    pub(crate) fn listed_tool(&self, name: &str) -> Option<&RawObject> {
        self.listed.get(self.names.iter().position(|listed| listed == name)?)
    }

    pub(crate) fn failed(&self, during: &'static str, source: Refusal) -> Error {
        Error::Connection { strategy: self.strategy.to_owned(), during, source }
    }
}

impl Step {
    pub(crate) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens.request += other.tokens.request;
        self.tokens.answer += other.tokens.answer;
        self.took += other.took;
    }
}
