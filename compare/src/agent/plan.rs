//! The workflow of a strategy: which moves teach a tool.

use std::collections::{HashMap, HashSet};

use mcp_disclosure_client::Channel;
use mcp_disclosure_core::{Finder, Lesson, RawObject, descriptions_uri};
use serde_json::{Value, json};

use super::{
    Agent, Task,
    moves::{Move, Seen},
};
use crate::{
    browsing::{Browsing, INFO, is_category, is_named, topic_of_tool},
    listed::shows_parameters,
};

/// The bridge tool, for models whose hosts do not use the strategy's native channel.
const BRIDGE: &str = "describe_tools";

/// The workflow of a strategy.
pub(super) struct Plan {
    channel: Channel,
    tools: Vec<RawObject>,
    reads_resources: bool,
    lesson: Option<Lesson>,
    finder: Option<Finder>,
    /// The words by which the model searches for tools that are not listed, by tool.
    words: HashMap<String, String>,
    /// The categories in which the model looks for tools that are not listed, by tool.
    categories: HashMap<String, String>,
    /// Searches made so far.
    searches: usize,
    browsing: Browsing,
}

impl Plan {
    pub(super) fn new(agent: &Agent<'_>, tools: Vec<RawObject>) -> Self {
        Self {
            channel: agent.host.channel().clone(),
            tools,
            reads_resources: agent.reads_resources,
            lesson: agent.lesson,
            finder: agent.finder,
            words: HashMap::new(),
            categories: HashMap::new(),
            searches: 0,
            browsing: Browsing::default(),
        }
    }

    /// Replaces the listed tools.
    pub(super) fn list(&mut self, tools: Vec<RawObject>) {
        self.tools = tools;
    }

    /// Looks for this tool in this category, or by these words, where it is not listed.
    pub(super) fn look_for(&mut self, tool: &str, category: &str, words: &str) {
        self.categories.insert(tool.to_owned(), category.to_owned());
        self.words.insert(tool.to_owned(), words.to_owned());
    }

    /// The moves by which the agent finds a tool that is not listed: by its category, or by words.
    pub(super) fn find(&mut self, tool: &str) -> Vec<Move> {
        if let Some(search) = self.search(tool) {
            self.searches += 1;
            return vec![search];
        }
        let category = self.categories.get(tool).filter(|_| self.browses(tool));
        let rounds = self.browsing.rounds(&self.index(), category.map(String::as_str));
        rounds.iter().flatten().map(|topic| Move::ask(INFO, topic)).collect()
    }

    /// The search for a tool that neither a list nor an earlier answer shows.
    fn search(&self, tool: &str) -> Option<Move> {
        let finder = self.finder.filter(|finder| self.listed(finder.tool()).is_some())?;
        let words = self.words.get(tool).filter(|words| !words.is_empty())?;
        let is_sought = self.listed(tool).is_none() && !self.browses(tool) && !self.is_shown(tool);
        let arguments = finder.arguments(words).filter(|_| is_sought)?;
        Some(Move::Call { tool: finder.tool().to_owned(), arguments })
    }

    /// Whether the answer of a category showed how this tool is used.
    pub(super) fn is_shown(&self, tool: &str) -> bool {
        self.browsing.shows(tool)
    }

    /// Learns from an answer.
    pub(super) fn learn(&mut self, seen: &Seen) {
        self.browsing.learn(&seen.content);
    }

    /// The move by which the agent learns how to use a tool, if one is needed.
    pub(super) fn fetch(&self, tool: &str) -> Option<Move> {
        let is_known = self.is_shown(tool) || self.listed(tool).is_some_and(shows_parameters);
        if is_known { None } else { self.ask(tool) }
    }

    /// The move that asks how a tool is used.
    pub(super) fn ask(&self, tool: &str) -> Option<Move> {
        // A client that knows a method for it is not listed the tool.
        if let Some(lesson) = self.lesson.filter(|lesson| self.listed(lesson.tool()).is_some()) {
            let arguments = lesson.arguments(tool)?;
            return Some(Move::Call { tool: lesson.tool().to_owned(), arguments });
        }
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => {
                Some(Move::Read { uri: descriptions_uri(uri, [tool]) })
            }
            Channel::Resource { .. } => Some(Move::ask(BRIDGE, &json!({"names": [tool]}))),
            Channel::Method if self.listed(BRIDGE).is_some() => {
                Some(Move::ask(BRIDGE, &json!({"names": [tool]})))
            }
            Channel::Method => Some(Move::Describe { names: vec![tool.to_owned()] }),
            Channel::Groups => Some(Move::Find { tool: tool.to_owned() }),
            Channel::InfoTool => Some(Move::ask(INFO, &json!({"topic": tool}))),
            _ => None,
        }
    }

    /// Whether the answer to this move shows that a tool is not there: its category does not name it, or does not exist.
    pub(super) fn is_missing(&self, tool: &str, made: &Move, seen: &Seen) -> bool {
        let category = self.categories.get(tool).filter(|_| self.browses(tool));
        let asked = category.map(|category| Move::ask(INFO, &json!({"topic": category})));
        let named = |lines: &Value| lines.as_array().into_iter().flatten().any(|line| line["name"] == tool);
        let is_named = named(&seen.content["tools"]) || !seen.content["next"].is_null();
        asked.as_ref() == Some(made) && (seen.problem.is_some() || !is_named)
    }

    /// The move after asking for a tool was answered with a category of its name.
    pub(super) fn ask_again(&self, tool: &str, made: &Move, seen: &Seen) -> Option<Move> {
        let has_its_name = is_category(&seen.content) && self.ask(tool).as_ref() == Some(made);
        has_its_name.then(|| Move::ask(INFO, &topic_of_tool(tool)))
    }

    /// The first moves of fetching everything.
    pub(super) fn everything(&self) -> Vec<Move> {
        let names = || self.tools.iter().filter_map(|tool| tool.string("name"));
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => vec![Move::Read { uri: uri.clone() }],
            Channel::Resource { .. } => vec![Move::ask(BRIDGE, &json!({}))],
            Channel::Method if self.listed(BRIDGE).is_some() => vec![Move::ask(BRIDGE, &json!({}))],
            Channel::Method => vec![Move::Describe { names: names().collect() }],
            Channel::InfoTool => vec![Move::ask(INFO, &json!({}))],
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

    /// The tool in the list, if it is listed.
    pub(super) fn listed(&self, name: &str) -> Option<&RawObject> {
        self.tools.iter().find(|tool| tool.string("name").as_deref() == Some(name))
    }

    /// The number of moves that these tasks need.
    pub(super) fn needed(&self, tasks: &[Task]) -> usize {
        let tools: HashSet<&str> = tasks.iter().map(|task| task.tool.as_str()).collect();
        let fetches = tools.iter().filter(|tool| self.fetch(tool).is_some()).count();
        let sought = tools.iter().filter(|tool| self.browses(tool));
        let categories: HashSet<&String> = sought.filter_map(|tool| self.categories.get(*tool)).collect();
        let index = self.index();
        let overview = usize::from(categories.iter().any(|category| !is_named(&index, category)));
        tasks.len() + fetches + categories.len() + overview + self.searches
    }

    /// The description of the tool that explains others.
    fn index(&self) -> String {
        self.listed(INFO).and_then(|tool| tool.string("description")).unwrap_or_default()
    }

    fn browses(&self, tool: &str) -> bool {
        self.channel == Channel::InfoTool && self.listed(tool).is_none()
    }
}
