//! Rules: what an operator says of single tools, resources and prompts, by name or by pattern; and which tools of an
//! upstream are switched off altogether.

use crate::{made_from::MadeFrom, name::UpstreamName, pattern::Pattern, raw::RawObject};

/// All rules, in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Of tools, by name; see `matching` for what a name may be.
    pub tools: Vec<Rule>,
    /// Of resources and resource templates, by URI; see `guard`.
    pub resources: Vec<Rule>,
    /// Of prompts, by name like tools.
    pub prompts: Vec<Rule>,
    /// The resources that may be read, where not all of them may; the rest does not exist.
    pub allowed_resources: Option<Vec<Pattern>>,
    /// Which tools of single upstreams exist; no other rule brings back what is switched off here.
    pub switches: Vec<Switches>,
}

/// Which tools of one upstream exist. They are bound to the upstream's name and the tools' own names, so that what is
/// switched off stays so when a tool comes late, or is served by another name.
#[derive(Clone, Debug, PartialEq)]
pub struct Switches {
    /// The upstream, by the name that the operator gave it.
    pub upstream: UpstreamName,
    /// Where they are written, for messages.
    pub place: String,
    /// The only tools that exist, where not all of them do.
    pub allow: Option<Vec<Pattern>>,
    /// Tools that do not exist; stronger than `allow`.
    pub hidden: Vec<Pattern>,
}

impl Switches {
    /// All that is written.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.allow.iter().flatten().chain(&self.hidden)
    }

    fn switch_off(&self, tool: &str) -> bool {
        let matches = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(tool));
        matches(&self.hidden) || self.allow.as_ref().is_some_and(|allow| !matches(allow))
    }
}

/// What is said of everything that a pattern matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it is about.
    pub pattern: Pattern,
    /// Where it is written, for messages.
    pub place: String,
    /// The text for selection; tools only.
    pub brief: Option<String>,
    /// The category; tools only.
    pub category: Option<String>,
    /// Values by concern, as a description file has them.
    pub concerns: Option<RawObject>,
    /// Whether it does not exist for clients.
    pub hidden: Option<bool>,
    /// The definition that was current when this was decided; tools only.
    pub made_from: Option<MadeFrom>,
}

impl Rule {
    /// A rule that says nothing yet.
    pub fn new(pattern: &str, place: String) -> Self {
        let pattern = Pattern::new(pattern);
        Self { pattern, place, brief: None, category: None, concerns: None, hidden: None, made_from: None }
    }

    pub(crate) fn hides(&self) -> bool {
        self.hidden == Some(true)
    }
}

impl Rules {
    /// Whether a tool of an upstream is switched off, by its own name.
    pub(crate) fn is_switched_off(&self, upstream: &UpstreamName, tool: &str) -> bool {
        self.switches.iter().any(|switches| switches.upstream == *upstream && switches.switch_off(tool))
    }

    /// Whether any upstream has a list of the only tools that exist.
    pub fn allow_tools(&self) -> bool {
        self.switches.iter().any(|switches| switches.allow.is_some())
    }

    /// Whether any tool, any resource and any prompt is hidden.
    pub fn hide(&self) -> [(&'static str, bool); 3] {
        let hides = |rules: &[Rule]| rules.iter().any(Rule::hides);
        let switched = self.switches.iter().any(|switches| !switches.hidden.is_empty());
        [
            ("tool", switched || hides(&self.tools)),
            ("resource", hides(&self.resources)),
            ("prompt", hides(&self.prompts)),
        ]
    }
}
