//! Learning tools as a host does, over the channel of the strategy.

use std::collections::HashSet;

use mcp_disclosure_client::{Channel, Error as Refusal};
use mcp_disclosure_core::Lesson;
use serde_json::{Value, json};

use crate::{
    Error,
    browsing::{INFO, is_category, topic_of_tool},
    probe::{Manner, Probe, Step, answered, is_error},
};

/// The number of tools that are learned at once: those that a task needs next, not all that it might need.
pub(crate) const AT_ONCE: usize = 8;

/// The bridge tool, for models that can use tools only.
const BRIDGE: &str = "describe_tools";

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
            steps.extend(self.search(&names).await?);
            let names: Vec<&str> = names.into_iter().filter(|name| !self.is_shown(name)).collect();
            if names.is_empty() {
                continue;
            }
            match self.describe(&names).await? {
                Some(step) => steps.push(step),
                None => return Ok(None),
            }
        }
        Ok(Some(steps))
    }

    /// Whether the list shows how this tool is called.
    pub(crate) fn shows_use(&self, name: &str) -> bool {
        let Some(tool) = self.listed_tool(self.served_name(name)) else { return false };
        let baseline = &self.bench.baseline;
        baseline.shows_use(tool) || (self.has_no_lesson() && baseline.is_complete(tool))
    }

    /// Whether nothing but the list teaches a tool.
    fn has_no_lesson(&self) -> bool {
        self.row.lesson.is_none() && *self.host.channel() == Channel::List
    }

    /// Whether a model finds the tool: it is listed, or found by its category or by a call.
    pub(crate) fn finds(&self, name: &str) -> bool {
        let name = self.served_name(name);
        self.listed_tool(name).is_some() || self.row.lesson.is_some() || self.browsing.names(name)
    }

    /// Whether the answer of a category showed how this tool is called.
    fn is_shown(&self, name: &str) -> bool {
        self.browsing.shows(self.served_name(name))
    }

    /// Finds tools that are not listed by their categories, each asked for once.
    async fn browse(&mut self, names: &[&str]) -> Result<Vec<Step>, Error> {
        let is_listed = |name: &&str| self.listed_tool(self.served_name(name)).is_some();
        if *self.host.channel() != Channel::InfoTool || names.iter().all(is_listed) {
            return Ok(Vec::new());
        }
        let description = self.listed_tool(INFO).and_then(|tool| tool.string("description"));
        let tools = names.iter().filter_map(|name| self.bench.subject.tool(name));
        let categories = tools.map(|tool| &*tool.category);
        let mut steps = Vec::new();
        for round in self.browsing.rounds(description.as_deref().unwrap_or_default(), categories) {
            let mut whole = Step::default();
            for topic in &round {
                // A choice can leave out a whole category: nothing is found there.
                let (step, result) = self.ask("requesting categories", INFO, topic).await?;
                self.browsing.learn(&answered(&result));
                whole.add(step);
            }
            steps.push(whole);
        }
        Ok(steps)
    }

    /// Searches for tools that are not listed by the words of their tasks, at once.
    async fn search(&mut self, names: &[&str]) -> Result<Option<Step>, Error> {
        let is_listed = |name: &str| self.listed_tool(self.served_name(name)).is_some();
        let finder = self.row.finder.filter(|finder| is_listed(finder.tool()));
        let Some(finder) = finder.filter(|_| *self.host.channel() != Channel::InfoTool) else {
            return Ok(None);
        };
        let sought = names.iter().filter(|name| !is_listed(name) && !self.is_shown(name));
        let words: Vec<String> =
            sought.filter_map(|name| Some(self.bench.subject.tool(name)?.words())).collect();
        let mut whole = Step::default();
        for arguments in
            words.iter().filter(|words| !words.is_empty()).filter_map(|words| finder.arguments(words))
        {
            let (step, answer) = self.ask_one("searching for tools", finder.tool(), &arguments).await?;
            self.browsing.learn(&answer);
            whole.add(step);
        }
        Ok((whole.requests > 0).then_some(whole))
    }

    /// Fetches complete definitions in one step.
    async fn describe(&mut self, names: &[&str]) -> Result<Option<Step>, Error> {
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

    async fn describe_by_channel(&mut self, names: &[&str]) -> Result<Option<Step>, Error> {
        let during = "learning tools";
        let served: Vec<String> = names.iter().map(|name| self.served_name(name).to_owned()).collect();
        let names: Vec<&str> = served.iter().map(String::as_str).collect();
        // A client that knows a method for it is not listed the tool.
        let lesson = self.row.lesson.filter(|lesson| self.listed_tool(lesson.tool()).is_some());
        if let Some(lesson) = lesson {
            return self.take(lesson, &names).await;
        }
        match (self.manner, self.host.channel()) {
            (Manner::Native, _) => Ok(Some(self.step(during, self.host.describe(&names)).await?.0)),
            (Manner::Plain, Channel::InfoTool) => {
                let mut whole = Step::default();
                for name in &names {
                    let (step, answer) = self.ask_one(during, INFO, &json!({"topic": name})).await?;
                    whole.add(step);
                    if is_category(&answer) {
                        whole.add(self.ask_one(during, INFO, &topic_of_tool(name)).await?.0);
                    }
                }
                Ok(Some(whole))
            }
            (Manner::Plain, _) if self.listed_tool(BRIDGE).is_some() => {
                self.ask_all(during, BRIDGE, &[json!({"names": names})]).await
            }
            (Manner::Plain, _) => Ok(None),
        }
    }

    /// Makes the calls by which these tools are learned.
    async fn take(&mut self, lesson: Lesson, names: &[&str]) -> Result<Option<Step>, Error> {
        let (mut whole, mut shown) = (Step::default(), HashSet::new());
        for name in names {
            // An answer may show other tools as well, such as those of a group.
            if shown.contains(*name) {
                continue;
            }
            // A registry refuses lessons without arguments.
            let arguments = lesson.arguments(name).unwrap_or_default();
            let (step, answer) = self.ask_one("learning tools", lesson.tool(), &arguments).await?;
            whole.add(step);
            let tools = answer["tools"].as_array().into_iter().flatten();
            let complete = tools.filter(|tool| tool["inputSchema"].is_object());
            shown.extend(complete.filter_map(|tool| tool["name"].as_str().map(str::to_owned)));
        }
        Ok((whole.requests > 0).then_some(whole))
    }

    /// Calls that a model makes at once; `None` for no calls.
    async fn ask_all(
        &mut self,
        during: &'static str,
        tool: &str,
        calls: &[impl serde::Serialize],
    ) -> Result<Option<Step>, Error> {
        let mut whole = Step::default();
        for arguments in calls {
            whole.add(self.ask_one(during, tool, arguments).await?.0);
        }
        Ok((whole.requests > 0).then_some(whole))
    }

    /// A call that teaches, and must not fail.
    async fn ask_one(
        &mut self,
        during: &'static str,
        tool: &str,
        arguments: &impl serde::Serialize,
    ) -> Result<(Step, Value), Error> {
        let (step, result) = self.ask(during, tool, arguments).await?;
        if is_error(&result) {
            let said = result.compact().text().chars().take(300).collect();
            return Err(Error::NotLearned { strategy: self.row.name.clone(), during, said });
        }
        let answer = answered(&result);
        self.lessons.learn(&answer);
        Ok((step, answer))
    }
}
