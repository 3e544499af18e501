//! A measured connection: the steps of a host, and the cost of each.

use std::sync::Arc;

use mcp_disclosure_client::{Channel, Concerns, Error as Refusal};
use mcp_disclosure_core::RawObject;
use serde_json::Value;

use crate::{
    Error, Row,
    agent::{Move, Plan, Purpose, Seen, Task},
    baseline::Listed,
    connection::{ClientKind, Connection},
    report::{InitialTokens, StepTokens},
    run::Bench,
    seen,
};

/// The number of tools that are learned at once: those that a task needs next, not all that it might need.
pub(crate) const AT_ONCE: usize = 8;

/// A measured connection.
pub(crate) struct Probe<'a> {
    bench: &'a Bench<'a>,
    pub(crate) connection: Connection<'a>,
    pub(crate) plan: Plan,
}

impl<'a> Probe<'a> {
    /// Connects, and lists the tools.
    pub(crate) async fn open(bench: &'a Bench<'a>, row: &'a Row, kind: ClientKind) -> Result<Self, Error> {
        let mut probe = Self::enter(bench, row, kind, Arc::default()).await?;
        probe.plan.listed = Arc::new(Listed::new(probe.connection.tools().await?, &bench.baseline));
        Ok(probe)
    }

    /// Connects with what the same server listed on another connection.
    pub(crate) async fn enter(
        bench: &'a Bench<'a>,
        row: &'a Row,
        kind: ClientKind,
        listed: Arc<Listed>,
    ) -> Result<Self, Error> {
        let connection = Connection::open(bench, row, kind, Concerns::new()).await?;
        let plan = Plan::new(connection.host.channel().clone(), false, &row.profile, listed);
        Ok(Self { bench, connection, plan })
    }

    /// The cost of the model's context at the start, and its texts without resources; `resources` are those that it needs to
    /// see.
    pub(crate) fn start(&self, resources: &[RawObject]) -> (InitialTokens, String) {
        let count = |text: &str| if text.is_empty() { 0 } else { self.bench.counter.count(text) };
        let tools = seen::array(&self.bench.host.shown(self.plan.listed.tools()));
        let instructions = self.connection.instructions();
        let start = InitialTokens {
            tools: count(&tools),
            resources: if resources.is_empty() { 0 } else { count(&seen::array(resources)) },
            instructions: count(&instructions),
        };
        (start, format!("{instructions}\n{tools}"))
    }

    /// Learns how to use these tools, in as many steps as a sensible host takes. Those that are listed with their
    /// parameters need no step. `None` if this client does not know how tools are learned under the strategy.
    pub(crate) async fn learn(&mut self, names: &[&str]) -> Result<Option<Vec<StepTokens>>, Error> {
        let mut steps = Vec::new();
        if self.has_no_lesson() {
            return Ok(names.iter().all(|name| self.shows_use(name)).then_some(steps));
        }
        let listed = Arc::clone(&self.plan.listed);
        for names in names.chunks(AT_ONCE) {
            let mut left = Vec::new();
            for name in names {
                if self.shows_use(name) {
                    continue;
                }
                let served = listed.served_name(name);
                let tool = self.bench.subject.tool(name);
                if let Some(tool) = tool.filter(|_| listed.tool(served).is_none()) {
                    self.plan.look_for(served, &tool.category, &tool.words());
                }
                left.push(served);
            }
            for round in self.plan.find(&left) {
                steps.push(self.find(&round).await?);
            }
            left.retain(|name| !self.plan.browsing.shows(name));
            if left.is_empty() {
                continue;
            }
            match self.describe(&left).await? {
                Some(step) => steps.push(step),
                None => return Ok(None),
            }
        }
        Ok(Some(steps))
    }

    /// Makes the moves of a round at once. A category that is not there shows nothing: a choice can leave out a whole one.
    async fn find(&mut self, round: &[Move]) -> Result<StepTokens, Error> {
        let mut whole = StepTokens::default();
        let is_category = *self.connection.host.channel() == Channel::InfoTool;
        for next in round {
            whole.add(self.make("finding tools", next, is_category).await?.0);
        }
        Ok(whole)
    }

    /// Fetches complete definitions in one step.
    async fn describe(&mut self, names: &[&str]) -> Result<Option<StepTokens>, Error> {
        let is_listed = names.iter().all(|name| self.plan.listed.tool(name).is_some());
        let described = match self.connection.kind {
            ClientKind::Negotiating if self.plan.lesson().is_none() => {
                let described = self.step("learning tools", self.connection.host.describe(names)).await;
                described.map(|(step, _)| Some(step))
            }
            _ => self.ask_for(names.to_vec()).await,
        };
        match described {
            // A name that the strategy uses for its own tool, and that no list mentions.
            Err(Error::Connection { source: Refusal::UnknownTool { .. }, .. } | Error::NotLearned { .. })
                if !is_listed =>
            {
                Ok(None)
            }
            described => described,
        }
    }

    /// Asks for these tools, as a model does that can use tools only. An answer may show others of them as well, such as
    /// those of a group.
    async fn ask_for(&mut self, mut left: Vec<&str>) -> Result<Option<StepTokens>, Error> {
        let mut whole = StepTokens::default();
        while let Some(name) = left.first().copied() {
            let Some((next, count)) = self.plan.ask(&left) else { return Ok(None) };
            let (step, answer) = self.make("learning tools", &next, false).await?;
            whole.add(step);
            if let Some(again) = self.plan.ask_again(name, &next, &answer) {
                whole.add(self.make("learning tools", &again, false).await?.0);
            }
            left.drain(..count);
            left.retain(|name| !self.plan.browsing.shows(name));
        }
        Ok(Some(whole))
    }

    /// A call that teaches, and must not fail unless it `may_fail`.
    async fn make(
        &mut self,
        during: &'static str,
        next: &Move,
        may_fail: bool,
    ) -> Result<(StepTokens, Value), Error> {
        // Models that can use tools only make no other moves.
        let Move::Call { tool, arguments } = next else { return Ok(<(StepTokens, Value)>::default()) };
        let (step, result) = self.ask(during, tool, arguments).await?;
        if is_error(&result) && !may_fail {
            let said = result.compact().text().chars().take(300).collect();
            return Err(Error::NotLearned { strategy: self.connection.row.name.clone(), during, said });
        }
        let answer = Seen::of(&result, Purpose::Learn).content;
        self.plan.learned.learn(&answer, 0);
        self.plan.browsing.learn(&answer);
        Ok((step, answer))
    }

    /// Whether the list shows how this tool is called.
    fn shows_use(&self, name: &str) -> bool {
        let Some(tool) = self.plan.listed.tool(self.served_name(name)) else { return false };
        let baseline = &self.bench.baseline;
        baseline.shows_use(tool) || (self.has_no_lesson() && baseline.is_complete(tool))
    }

    /// Whether nothing but the list teaches a tool.
    fn has_no_lesson(&self) -> bool {
        self.connection.row.profile.lesson.is_none() && *self.connection.host.channel() == Channel::List
    }

    /// Whether a model finds the tool: it is listed, or found by its category or by a call.
    pub(crate) fn finds(&self, name: &str) -> bool {
        let name = self.served_name(name);
        self.plan.listed.tool(name).is_some()
            || self.connection.row.profile.lesson.is_some()
            || self.plan.browsing.names(name)
    }

    /// Calls a tool, and returns whether it succeeded.
    pub(crate) async fn call(&self, task: &Task) -> Result<(StepTokens, bool), Error> {
        let name = self.served_name(&task.tool);
        let (step, result) = match self.connection.kind {
            ClientKind::Negotiating if self.plan.executor(name).is_none() => {
                self.step("calling a tool", self.connection.host.call(name, &task.arguments)).await?
            }
            _ => self.ask("calling a tool", name, &task.arguments).await?,
        };
        Ok((step, !is_error(&result)))
    }

    /// Calls a tool as a model does whose host adds nothing.
    pub(crate) async fn ask(
        &self,
        during: &'static str,
        tool: &str,
        arguments: &RawObject,
    ) -> Result<(StepTokens, RawObject), Error> {
        self.step(during, self.plan.call(&self.connection.host, tool, arguments)).await
    }

    /// Awaits a future, and counts the requests of the model in the meantime, and the tokens that it has written and read.
    async fn step<T>(
        &self,
        during: &'static str,
        work: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<(StepTokens, T), Error> {
        drop(self.connection.fresh());
        let done = work.await.map_err(|source| self.connection.failed(during, source))?;
        let mut exchanges = self.connection.fresh();
        exchanges.retain(|exchange| !exchange.is_list());
        Ok((seen::tokens(&exchanges, &self.bench.counter), done))
    }

    /// The name by which a tool is served.
    pub(crate) fn served_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.plan.listed.served_name(name)
    }
}

/// Whether the result of a call is an error.
fn is_error(result: &RawObject) -> bool {
    result.member("isError") == Some("true")
}

/// The tokens of all steps.
pub(crate) fn tokens(steps: &[StepTokens]) -> u64 {
    steps.iter().map(|step| step.both()).sum()
}
