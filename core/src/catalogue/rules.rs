//! Rules: what an operator says of single tools, resources and prompts, by name or by pattern; which tools of an
//! upstream are switched off altogether; and by which names an upstream's tools and prompts are served.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use crate::{
    catalogue::{
        lock::Review,
        matching::{Item, KnownUpstreams, Matched},
        naming::Naming,
        pattern::Pattern,
    },
    name::{Kind, UpstreamName},
    raw::RawObject,
};

/// All rules, in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Of tools, by name; see `matching` for what a name may be.
    pub tools: Vec<Rule>,
    /// Of resources and resource templates, by URI; see `guard`.
    pub resources: Vec<Rule>,
    /// Of prompts, by name like tools.
    pub prompts: Vec<Rule>,
    /// The resources that may be read, where not all of them may; the rest does not exist. Nothing else is said of them.
    pub allowed_resources: Option<Vec<Rule>>,
    /// Which tools of single upstreams exist; no other rule brings back what is switched off here.
    pub switches: Vec<Switches>,
    /// The names by which tools and prompts are served, where they are not their upstream's own.
    pub naming: Vec<Naming>,
    /// The values by concern of whole categories, as a description file has them, by the category's name. What is said of
    /// a tool itself is stronger.
    pub grouped: BTreeMap<String, RawObject>,
    /// Whether tools with pages are listed like any other.
    pub unpinned_pages: bool,
    /// What was reviewed of definitions, and what is done about others.
    pub review: Arc<Review>,
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
    /// Those of `hidden` that are said of the tools of any upstream, so that this one need not have them.
    pub of_any: Vec<Pattern>,
}

impl Switches {
    /// The patterns that match none of these tools of the upstream.
    pub(crate) fn unused<'p>(&'p self, tools: &[&Item]) -> impl Iterator<Item = &'p Pattern> {
        let allow = self.allow.iter().flatten();
        let allow = allow.filter(|pattern| tools.iter().all(|tool| !pattern.matches(&tool.own)));
        let hidden = self.hidden.iter().filter(|pattern| !self.of_any.contains(pattern));
        allow.chain(hidden.filter(|pattern| tools.iter().all(|tool| !hides(pattern, tool))))
    }

    fn switch_off(&self, tool: &Item) -> bool {
        let allows = |allow: &Vec<Pattern>| allow.iter().any(|pattern| pattern.matches(&tool.own));
        self.hidden.iter().any(|pattern| hides(pattern, tool))
            || self.allow.as_ref().is_some_and(|allow| !allows(allow))
    }
}

/// What hides holds against the name that the operator gave as well.
fn hides(pattern: &Pattern, tool: &Item) -> bool {
    pattern.matches(&tool.own) || pattern.matches(&tool.named)
}

/// A rule for everything that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// Whether it is listed completely by every strategy; tools only. Nothing takes that back.
    pub pinned: bool,
}

impl Rule {
    /// A rule that says nothing yet.
    pub fn new(pattern: &str, place: String) -> Self {
        Self { pattern: Pattern::new(pattern), place, ..Self::default() }
    }

    pub(crate) fn hides(&self) -> bool {
        self.hidden == Some(true)
    }
}

impl Rules {
    /// Whether a tool is switched off.
    pub(crate) fn is_switched_off(&self, tool: &Item) -> bool {
        self.switches.iter().any(|switches| switches.upstream == tool.upstream && switches.switch_off(tool))
    }

    /// Those of an upstream's tools that are hidden, whether it lists them or not.
    pub fn hidden_of<'n>(&self, upstream: &UpstreamName, tools: &[&'n str]) -> Vec<&'n str> {
        let naming = self.naming_of(upstream);
        let item = |own: &&str| {
            let own = (*own).to_owned();
            let named =
                naming.and_then(|naming| naming.name(Kind::Tools, &own)).unwrap_or_else(|| own.clone());
            let (upstream, served, object) = (upstream.clone(), named.clone(), RawObject::empty());
            Item { upstream, self_named: false, own, named, served, object, held: None }
        };
        let items: Vec<Item> = tools.iter().map(item).collect();
        let known = KnownUpstreams { upstreams: &HashSet::from([upstream.as_str()]), alone: false };
        let matched = Matched::of(&self.tools, &items, known);
        let hidden = tools.iter().zip(items.iter().zip(&matched.said));
        let hidden = hidden.filter(|(_, (item, said))| said.is_hidden() || self.is_switched_off(item));
        hidden.map(|(tool, _)| *tool).collect()
    }

    /// The names by which an upstream's tools and prompts are served.
    pub(crate) fn naming_of(&self, upstream: &UpstreamName) -> Option<&Naming> {
        self.naming.iter().find(|naming| naming.upstream() == upstream)
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
