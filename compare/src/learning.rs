//! Learning tools as a host does, over the channel of the strategy.

use mcp_disclosure_client::{Channel, Error as Refusal};
use mcp_disclosure_core::{Lesson, RawObject};
use serde_json::{Value, json};

use crate::{
    Error,
    probe::{Manner, Probe, Step, is_error},
};

/// The number of tools that are learned at once: those that a task needs next, not all that it might need.
pub(crate) const AT_ONCE: usize = 8;

/// The bridge tool, for models that can use tools only.
const BRIDGE: &str = "describe_tools";

/// The tool of three levels.
const INFO: &str = "info";

impl Probe<'_> {
    /// Learns how to use these tools, in as many steps as a sensible host takes. Those that are listed with their
    /// parameters need no step. `None` if this client does not know how tools are learned under the strategy.
    pub(crate) async fn learn(&mut self, names: &[&str]) -> Result<Option<Vec<Step>>, Error> {
        let mut steps = Vec::new();
        if self.has_no_lesson() {
            return Ok(names.iter().all(|name| self.shows_use(name)).then_some(steps));
        }
        for names in names.chunks(AT_ONCE) {
            let names: Vec<&str> = names.iter().copied().filter(|name| !self.shows_use(name)).collect();
            if names.is_empty() {
                continue;
            }
            steps.extend(self.browse(&names).await?);
            match self.describe(&names).await? {
                Some(step) => steps.push(step),
                None => return Ok(None),
            }
        }
        Ok(Some(steps))
    }

    /// The tokens that learning these tools adds, without a lasting effect on later steps.
    pub(crate) async fn try_learning(&mut self, names: &[&str]) -> Result<Option<u64>, Error> {
        let browsed = self.browsed.clone();
        let steps = self.learn(names).await?;
        self.browsed = browsed;
        Ok(steps.map(|steps| steps.iter().map(|step| step.tokens.both()).sum()))
    }

    /// Whether the list shows how this tool is called.
    pub(crate) fn shows_use(&self, name: &str) -> bool {
        let Some(tool) = self.listed_tool(self.served_name(name)) else { return false };
        let baseline = &self.bench.baseline;
        baseline.shows_use(tool) || (self.has_no_lesson() && baseline.tells_all(tool))
    }

    /// Whether nothing but the list teaches a tool.
    fn has_no_lesson(&self) -> bool {
        self.row.lesson.is_none() && *self.host.channel() == Channel::List
    }

    /// Finds tools that are not listed: requests the overview once, then their categories.
    async fn browse(&mut self, names: &[&str]) -> Result<Vec<Step>, Error> {
        let is_listed = |name: &&str| self.listed_tool(self.served_name(name)).is_some();
        if *self.host.channel() != Channel::InfoTool || names.iter().all(is_listed) {
            return Ok(Vec::new());
        }
        let overview: &[Value] = if self.browsed.is_empty() { &[json!({})] } else { &[] };
        let overview = self.ask_all("requesting the overview", INFO, overview).await?;
        let mut topics = Vec::new();
        for name in names {
            let Some(tool) = self.bench.subject.tool(name) else { continue };
            if self.browsed.insert(tool.category.clone()) {
                topics.push(json!({"topic": tool.category}));
            }
        }
        let categories = self.ask_all("requesting categories", INFO, &topics).await?;
        Ok(overview.into_iter().chain(categories).collect())
    }

    /// Fetches complete definitions in one step.
    async fn describe(&self, names: &[&str]) -> Result<Option<Step>, Error> {
        let is_listed = names.iter().all(|name| self.listed_tool(self.served_name(name)).is_some());
        match self.describe_by_channel(names).await {
            // A name that the strategy uses for its own tool, and that no list mentions.
            Err(Error::Connection { source: Refusal::UnknownTool { .. }, .. } | Error::NotLearned { .. })
                if !is_listed =>
            {
                Ok(None)
            }
            described => described,
        }
    }

    async fn describe_by_channel(&self, names: &[&str]) -> Result<Option<Step>, Error> {
        let during = "learning tools";
        let names: Vec<&str> = names.iter().map(|name| self.served_name(name)).collect();
        if let Some(lesson) = self.row.lesson {
            return self.take(lesson, &names).await;
        }
        match (self.manner, self.host.channel()) {
            (Manner::Native, _) => Ok(Some(self.step(during, self.host.describe(&names)).await?.0)),
            (Manner::Plain, Channel::InfoTool) => {
                let topics: Vec<Value> = names.iter().map(|name| json!({"topic": name})).collect();
                self.ask_all(during, INFO, &topics).await
            }
            (Manner::Plain, _) if self.listed_tool(BRIDGE).is_some() => {
                self.ask_all(during, BRIDGE, &[json!({"names": names})]).await
            }
            (Manner::Plain, _) => Ok(None),
        }
    }

    /// Makes the calls by which these tools are learned.
    async fn take(&self, lesson: Lesson, names: &[&str]) -> Result<Option<Step>, Error> {
        // A registry refuses lessons without arguments.
        let arguments: Vec<RawObject> =
            names.iter().map(|name| lesson.arguments(name).unwrap_or_default()).collect();
        self.ask_all("learning tools", lesson.tool(), &arguments).await
    }

    /// Calls that a model makes at once; `None` for no calls.
    async fn ask_all(
        &self,
        during: &'static str,
        tool: &str,
        calls: &[impl serde::Serialize],
    ) -> Result<Option<Step>, Error> {
        let mut whole = Step::default();
        for arguments in calls {
            let (step, result) = self.ask(during, tool, arguments).await?;
            if is_error(&result) {
                let said = result.compact().text().chars().take(300).collect();
                return Err(Error::NotLearned { strategy: self.row.name.clone(), during, said });
            }
            whole.add(step);
        }
        Ok((whole.requests > 0).then_some(whole))
    }
}
