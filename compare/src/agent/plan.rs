//! The workflow of a strategy: by which moves a model finds tools, and learns how they are used.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use mcp_disclosure_client::{Channel, Error, Host};
use mcp_disclosure_core::{Finder, Lesson, Profile, RawObject, descriptions_uri};
use serde_json::{Value, json};

use super::moves::{Learned, Move, Seen};
use crate::{Tool, baseline::Listed};

/// The bridge tool, for models whose hosts do not use the strategy's native channel.
const BRIDGE: &str = "describe_tools";

/// The tool of three levels.
const INFO: &str = "info";

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

    /// Looks for this tool of the source, by the name by which it is served, where it is not listed: by its category, or by
    /// what the user asked for, else by words of its own.
    pub(crate) fn look_for(&mut self, served: &str, tool: Option<&Tool>, request: Option<String>) {
        let sought = |tool: &Tool| (tool.category.clone(), request.unwrap_or_else(|| tool.words()));
        self.sought.extend(tool.map(|tool| (served.to_owned(), sought(tool))));
    }

    /// The moves by which the model finds a tool that is not listed, and that no answer has shown: by its category, or by
    /// words.
    pub(super) fn find(&mut self, tool: &str) -> Vec<Move> {
        let is_sought = self.listed.tool(tool).is_none() && !self.browsing.shows(tool);
        let Some((category, words)) = self.sought.get(tool).filter(|_| is_sought) else { return Vec::new() };
        if self.channel == Channel::InfoTool {
            let description = self.listed.tool(INFO).and_then(|tool| tool.string("description"));
            let topics = self.browsing.topics(&description.unwrap_or_default(), category);
            return topics.iter().map(|topic| Move::ask(INFO, topic)).collect();
        }
        let Some(finder) = self.finder().filter(|_| !words.is_empty()) else { return Vec::new() };
        let search = |arguments| Move::Call { tool: finder.tool().to_owned(), arguments };
        finder.arguments(words).map(search).into_iter().collect()
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
        let is_known = self.browsing.shows(tool) || self.listed.shows_use(tool);
        if is_known { None } else { self.ask(tool) }
    }

    /// The move that asks how a tool is used. `None` if nothing but the list teaches tools.
    pub(super) fn ask(&self, tool: &str) -> Option<Move> {
        if let Some(lesson) = self.lesson() {
            let arguments = lesson.arguments(tool)?;
            return Some(Move::Call { tool: lesson.tool().to_owned(), arguments });
        }
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => {
                Some(Move::Read { uri: descriptions_uri(uri, [tool]) })
            }
            Channel::InfoTool => Some(Move::ask(INFO, &json!({"topic": tool}))),
            Channel::Groups => Some(Move::Find { tool: tool.to_owned() }),
            _ if self.listed.tool(BRIDGE).is_some() => Some(Move::ask(BRIDGE, &json!({"names": [tool]}))),
            Channel::Method => Some(Move::Describe { names: vec![tool.to_owned()] }),
            _ => None,
        }
    }

    /// Whether the model can know how a tool is used: the list shows it, or something teaches it.
    pub(crate) fn teaches(&self, tool: &str) -> bool {
        let by_list = self.channel == Channel::List && self.profile.lesson.is_none();
        !by_list || self.listed.shows_use(tool) || self.listed.is_complete(tool)
    }

    /// Whether the answer to this move shows that a tool is not there: its category does not name it, or does not exist.
    pub(super) fn is_missing(&self, tool: &str, made: &Move, seen: &Seen) -> bool {
        let is_browsed = self.channel == Channel::InfoTool && self.listed.tool(tool).is_none();
        let category = self.sought.get(tool).filter(|_| is_browsed);
        let asked = category.map(|(category, _)| Move::ask(INFO, &json!({"topic": category})));
        let named = |lines: &Value| lines.as_array().into_iter().flatten().any(|line| line["name"] == tool);
        let is_named = named(&seen.content["tools"]) || !seen.content["next"].is_null();
        asked.as_ref() == Some(made) && (seen.is_error || !is_named)
    }

    /// The move after asking for a tool was answered with a category of its name.
    pub(crate) fn ask_again(&self, tool: &str, made: &Move, answer: &Value) -> Option<Move> {
        let has_its_name = is_category(answer) && self.ask(tool).as_ref() == Some(made);
        has_its_name.then(|| Move::ask(INFO, &json!({"topic": format!("tool:{tool}")})))
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

/// The categories that a model has asked for, and the tools that their answers showed with parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Browsing {
    asked: HashSet<String>,
    had_overview: bool,
    shown: HashSet<String>,
}

impl Browsing {
    /// The calls that find tools in a category, by arguments: the overview, unless it was asked for or the description of
    /// [`INFO`] names the category, then the category; each is asked for once.
    fn topics(&mut self, description: &str, category: &str) -> Vec<Value> {
        if !self.asked.insert(category.to_owned()) {
            return Vec::new();
        }
        // The index names it as `name (count)`.
        let knows = self.had_overview || description.contains(&format!("{category} ("));
        self.had_overview |= !knows;
        let overview = (!knows).then(|| json!({}));
        overview.into_iter().chain([json!({"topic": category})]).collect()
    }

    /// Notes the tools that the answer of a category or a search shows with their parameters.
    fn learn(&mut self, answer: &Value) {
        for line in answer["tools"].as_array().into_iter().flatten() {
            let Some(name) = line["name"].as_str() else { continue };
            if line.get("parameters").or_else(|| line.get("inputSchema")).is_some() {
                self.shown.insert(name.to_owned());
            }
        }
    }

    /// Whether the answer of a category or a search showed the tool's parameters, so that it need not be asked for.
    pub(super) fn shows(&self, tool: &str) -> bool {
        self.shown.contains(tool)
    }
}

/// Whether this is the answer of a category.
fn is_category(answer: &Value) -> bool {
    answer["category"].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_is_asked_for_where_the_description_does_not_name_the_category() {
        let mut browsing = Browsing::default();
        let mut topics = |category| browsing.topics("- a (2): text", category);
        assert_eq!(topics("a"), [json!({"topic": "a"})]);
        assert!(topics("a").is_empty());
        assert_eq!(topics("b"), [json!({}), json!({"topic": "b"})]);
        assert_eq!(topics("c"), [json!({"topic": "c"})]);
    }

    #[test]
    fn a_tool_whose_parameters_a_category_shows_is_known() {
        let mut browsing = Browsing::default();
        browsing
            .learn(&json!({"category": "c", "tools": [{"name": "a", "parameters": "none"}, {"name": "b"}]}));
        assert!(browsing.shows("a") && !browsing.shows("b"));
        browsing.learn(&json!({"tools": [{"name": "c", "inputSchema": {}}, {"name": "d", "brief": "D"}]}));
        assert!(browsing.shows("c") && !browsing.shows("d"));
    }
}
