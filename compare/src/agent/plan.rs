//! The workflow of a strategy: by which moves a model finds tools, and learns how they are used.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_client::{Channel, Error, Host};
use mcp_disclosure_core::{Finder, Lesson, Profile, RawObject, descriptions_uri};
use serde_json::{Value, json};

use super::{
    browsing::{Browsing, INFO, is_category, topic_of_tool},
    moves::{Learned, Move, Seen},
};
use crate::baseline::{Listed, shows_parameters};

/// The bridge tool, for models whose hosts do not use the strategy's native channel.
const BRIDGE: &str = "describe_tools";

/// The workflow of a strategy, and what the model has found so far.
#[derive(Debug)]
pub(crate) struct Plan {
    channel: Channel,
    /// The listed tools.
    pub(crate) listed: Arc<Listed>,
    pub(super) reads_resources: bool,
    /// Its calls of own tools.
    profile: Profile,
    /// The category of a tool and words for it, by which the model finds it where it is not listed.
    sought: HashMap<String, (String, String)>,
    pub(crate) browsing: Browsing,
    /// What answers have shown of arguments, such as receipts.
    pub(crate) learned: Learned,
}

impl Plan {
    /// The workflow over this channel, under a strategy that declares its calls in this profile.
    pub(crate) fn new(
        channel: Channel,
        reads_resources: bool,
        profile: &Profile,
        listed: Arc<Listed>,
    ) -> Self {
        let (profile, sought) = (profile.clone(), HashMap::new());
        let (browsing, learned) = (Browsing::default(), Learned::default());
        Self { channel, listed, reads_resources, profile, sought, browsing, learned }
    }

    /// The strategy's tool by which a tool is called that is not listed. The host's client knows those of built-in strategies.
    pub(crate) fn executor(&self, tool: &str) -> Option<&'static str> {
        let is_listed = |name: &str| self.listed.tool(name).is_some();
        self.profile.executor.filter(|executor| is_listed(executor) && !is_listed(tool))
    }

    /// Calls a tool with these arguments, and with those whose value the model has learned.
    ///
    /// # Errors
    /// Why there is no result.
    pub(crate) async fn call(
        &self,
        host: &Host,
        tool: &str,
        arguments: &RawObject,
    ) -> Result<RawObject, Error> {
        let arguments = self.learned.complete(tool, arguments);
        let Some(executor) = self.executor(tool) else { return host.call_unprepared(tool, &arguments).await };
        let inner = RawObject::empty().with_value("tool", tool).with("arguments", arguments.text());
        host.call_unprepared(executor, &inner).await
    }

    /// Looks for this tool in this category, or by these words, where it is not listed.
    pub(crate) fn look_for(&mut self, tool: &str, category: &str, words: &str) {
        self.sought.insert(tool.to_owned(), (category.to_owned(), words.to_owned()));
    }

    /// The moves by which the model finds those of the tools that are not listed, and that no answer has shown: by their
    /// categories, or by words. Those of one round are made at once.
    pub(crate) fn find(&mut self, tools: &[&str]) -> Vec<Vec<Move>> {
        let sought =
            tools.iter().filter(|tool| self.listed.tool(tool).is_none() && !self.browsing.shows(tool));
        let sought: Vec<&(String, String)> = sought.filter_map(|tool| self.sought.get(*tool)).collect();
        if self.channel == Channel::InfoTool {
            let description = self.listed.tool(INFO).and_then(|tool| tool.string("description"));
            let categories = sought.iter().map(|(category, _)| &**category);
            let rounds = self.browsing.rounds(&description.unwrap_or_default(), categories);
            return rounds
                .iter()
                .map(|topics| topics.iter().map(|topic| Move::ask(INFO, topic)).collect())
                .collect();
        }
        let Some(finder) = self.finder() else { return Vec::new() };
        let words = sought.iter().map(|(_, words)| words).filter(|words| !words.is_empty());
        let search = |arguments| Move::Call { tool: finder.tool().to_owned(), arguments };
        let searches: Vec<Move> = words.filter_map(|words| finder.arguments(words).map(search)).collect();
        if searches.is_empty() { Vec::new() } else { vec![searches] }
    }

    /// The call that teaches a tool. A client that knows a method for it is not listed the tool of that call.
    pub(crate) fn lesson(&self) -> Option<Lesson> {
        self.profile.lesson.filter(|lesson| self.listed.tool(lesson.tool()).is_some())
    }

    /// The call that finds tools by words, where it is not the tool that has categories.
    pub(crate) fn finder(&self) -> Option<Finder> {
        let finder = self.profile.finder.filter(|_| self.channel != Channel::InfoTool);
        finder.filter(|finder| self.listed.tool(finder.tool()).is_some())
    }

    /// Learns from an answer; from that of a category or a search also which tools need not be asked for.
    pub(super) fn learn(&mut self, made: &Move, seen: &Seen) {
        self.learned.learn(&seen.content, 0);
        let finder = self.profile.finder.map(|finder| finder.tool());
        let is_search = matches!(made, Move::Call { tool, .. } if Some(&**tool) == finder);
        if is_search || is_category(&seen.content) {
            self.browsing.learn(&seen.content);
        }
    }

    /// The move by which the model learns how to use a tool, if one is needed.
    pub(super) fn fetch(&self, tool: &str) -> Option<Move> {
        let is_known = self.browsing.shows(tool) || self.listed.tool(tool).is_some_and(shows_parameters);
        if is_known { None } else { self.ask(&[tool]).map(|(next, _)| next) }
    }

    /// The move that asks how tools are used, and how many of these it asks for, from the first on. `None` if nothing but
    /// the list teaches tools.
    pub(crate) fn ask(&self, tools: &[&str]) -> Option<(Move, usize)> {
        let first = *tools.first()?;
        if let Some(lesson) = self.lesson() {
            let arguments = lesson.arguments(first)?;
            return Some((Move::Call { tool: lesson.tool().to_owned(), arguments }, 1));
        }
        let names = || tools.iter().map(ToString::to_string).collect();
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => {
                Some((Move::Read { uri: descriptions_uri(uri, tools.iter().copied()) }, tools.len()))
            }
            Channel::InfoTool => Some((Move::ask(INFO, &json!({"topic": first})), 1)),
            Channel::Groups => Some((Move::Find { tool: first.to_owned() }, 1)),
            _ if self.listed.tool(BRIDGE).is_some() => {
                Some((Move::ask(BRIDGE, &json!({"names": tools})), tools.len()))
            }
            Channel::Method => Some((Move::Describe { names: names() }, tools.len())),
            _ => None,
        }
    }

    /// Whether the answer to this move shows that a tool is not there: its category does not name it, or does not exist.
    pub(super) fn is_missing(&self, tool: &str, made: &Move, seen: &Seen) -> bool {
        let is_browsed = self.channel == Channel::InfoTool && self.listed.tool(tool).is_none();
        let category = self.sought.get(tool).filter(|_| is_browsed);
        let asked = category.map(|(category, _)| Move::ask(INFO, &json!({"topic": category})));
        let named = |lines: &Value| lines.as_array().into_iter().flatten().any(|line| line["name"] == tool);
        let is_named = named(&seen.content["tools"]) || !seen.content["next"].is_null();
        asked.as_ref() == Some(made) && (seen.problem.is_some() || !is_named)
    }

    /// The move after asking for a tool was answered with a category of its name.
    pub(crate) fn ask_again(&self, tool: &str, made: &Move, answer: &Value) -> Option<Move> {
        let has_its_name = is_category(answer) && self.ask(&[tool]).is_some_and(|(asked, _)| asked == *made);
        has_its_name.then(|| Move::ask(INFO, &topic_of_tool(tool)))
    }

    /// The first moves of fetching everything.
    pub(super) fn everything(&self) -> Vec<Move> {
        let names = || self.listed.tools().iter().filter_map(|tool| tool.string("name")).collect();
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => vec![Move::Read { uri: uri.clone() }],
            Channel::InfoTool => vec![Move::ask(INFO, &json!({}))],
            _ if self.listed.tool(BRIDGE).is_some() => vec![Move::ask(BRIDGE, &json!({}))],
            Channel::Method => vec![Move::Describe { names: names() }],
            _ => Vec::new(),
        }
    }

    /// The moves that follow from an answer: an info tool's overview names categories, and those name tools.
    pub(super) fn onward(&self, seen: &Seen) -> Vec<Move> {
        if self.channel != Channel::InfoTool {
            return Vec::new();
        }
        let categories = seen.content["categories"].as_object();
        let categories = categories.into_iter().flat_map(|categories| categories.keys().map(String::as_str));
        let tools = seen.content["tools"].as_array();
        let tools = tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str());
        categories.chain(tools).map(|topic| Move::ask(INFO, &json!({"topic": topic}))).collect()
    }
}
