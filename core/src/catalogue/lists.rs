//! Upstreams' lists: their items as they were sent, cache hints (SEP-2549), and `_meta` of whole lists.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    catalogue::{
        description::{DescriptionFile, Supplement},
        provider::{OwnGroup, OwnInfo},
        rules::Rules,
    },
    concern::Concern,
    name::{Kind, UpstreamName},
    raw::RawObject,
    raw_text::{RawText, Texts},
};

/// What one upstream brings: its lists, item by item as they were sent. What is not written is found anew where it is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UpstreamLists {
    /// The upstream.
    pub name: UpstreamName,
    /// Whether it chose that name, since the operator gave it none.
    #[serde(skip)]
    pub self_named: bool,
    /// Its `tools/list`, all pages.
    pub tools: Vec<RawText>,
    /// Its `resources/list`, all pages.
    pub resources: Vec<RawText>,
    /// Its `resources/templates/list`, all pages.
    pub templates: Vec<RawText>,
    /// Its `prompts/list`, all pages.
    pub prompts: Vec<RawText>,
    /// Its `serverInfo`; empty if there is none.
    #[serde(skip)]
    pub server_info: RawObject,
    /// Its `instructions`.
    #[serde(skip)]
    pub instructions: Option<String>,
    /// What it says of its lists as a whole; without one of a kind that it does not list.
    #[serde(skip)]
    pub hints: HashMap<Kind, ListHints>,
    /// What it delivers beside the definitions of its tools, by their names: examples and guidance.
    #[serde(skip)]
    pub supplements: HashMap<String, Supplement>,
    /// The concerns that it declares.
    #[serde(skip)]
    pub concerns: Vec<Concern>,
    /// Whether it leaves out of its lists by itself what does not fit a client's choices. Otherwise only what the lists say of
    /// concerns, or the operator does, has an effect.
    #[serde(skip)]
    pub follows_choices: bool,
    /// The groups that it offers.
    pub groups: Vec<OwnGroup>,
    /// What it says by an `info` tool of its own.
    pub info: Option<Arc<OwnInfo>>,
    /// The URI of the resource by which it delivers definitions, which is for the gateway alone.
    pub channel: Option<String>,
}

impl UpstreamLists {
    /// An upstream that brings nothing.
    pub fn empty(name: UpstreamName) -> Self {
        Self {
            name,
            self_named: false,
            tools: vec![],
            resources: vec![],
            templates: vec![],
            prompts: vec![],
            server_info: RawObject::empty(),
            instructions: None,
            hints: HashMap::new(),
            supplements: HashMap::new(),
            concerns: Vec::new(),
            follows_choices: false,
            groups: Vec::new(),
            info: None,
            channel: None,
        }
    }

    /// The same, with texts that are kept already.
    pub fn kept_in(mut self, texts: &Texts) -> Self {
        let lists = [&mut self.tools, &mut self.resources, &mut self.templates, &mut self.prompts];
        let kept = |list: Vec<RawText>| list.into_iter().map(|item| texts.keep(item)).collect();
        lists.into_iter().for_each(|list| *list = kept(std::mem::take(list)));
        self
    }

    /// Its list of a kind.
    pub(crate) fn of(&self, kind: Kind) -> &[RawText] {
        match kind {
            Kind::Tools => &self.tools,
            Kind::Resources => &self.resources,
            Kind::Templates => &self.templates,
            Kind::Prompts => &self.prompts,
        }
    }
}

/// What snapshots are made of. The lists may be shared: a copy of them would take as much as the snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a, L = UpstreamLists> {
    /// Upstreams' lists, in their order.
    pub upstreams: &'a [L],
    /// Whether these are all the upstreams that were configured.
    pub complete: bool,
    /// The files laid over them.
    pub files: &'a [DescriptionFile],
    /// The rules for them.
    pub rules: &'a Arc<Rules>,
}

/// The members of a list result beside its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListHints {
    /// How long it can be cached.
    pub time_to_live: Duration,
    /// Whether it must not be served to other callers.
    pub private: bool,
    /// Its `_meta`.
    pub meta: Option<RawObject>,
}

impl Default for ListHints {
    /// For an upstream without hints: a list can change at any time, and clients that keep it are notified.
    fn default() -> Self {
        Self { time_to_live: Duration::from_secs(60), private: false, meta: None }
    }
}

impl ListHints {
    /// Not to be cached.
    pub const NONE: Self = Self { time_to_live: Duration::ZERO, private: true, meta: None };

    /// The hints of a list that is merged from this one and another: the stricter of both, without `_meta`, which
    /// describes one list only.
    pub fn and(self, other: &Self) -> Self {
        Self {
            time_to_live: self.time_to_live.min(other.time_to_live),
            private: self.private || other.private,
            meta: None,
        }
    }

    /// The hints of one list in two pages. If both have a member of `_meta`, the first takes precedence.
    pub fn continued(self, next: Self) -> Self {
        let meta = match (&self.meta, &next.meta) {
            (Some(first), Some(next)) => Some(first.over(next)),
            (first, next) => first.as_ref().or(next.as_ref()).cloned(),
        };
        Self { meta, ..self.and(&next) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(seconds: u64, private: bool, meta: Option<&str>) -> ListHints {
        let meta = meta.map(|meta| RawObject::parse(meta).unwrap());
        ListHints { time_to_live: Duration::from_secs(seconds), private, meta }
    }

    #[test]
    fn u15_the_smallest_time_and_private_if_any_is() {
        let (short, long) = (hints(5, false, Some(r#"{"a":1}"#)), hints(90, true, None));
        assert_eq!(short.clone().and(&long), hints(5, true, None));
        assert_eq!(long.clone().and(&ListHints::default()), hints(60, true, None));
        assert_eq!(long.continued(short), hints(5, true, Some(r#"{"a":1}"#)));
    }

    #[test]
    fn u15_pages_add_to_meta() {
        let both =
            hints(1, false, Some(r#"{"a":1,"b":1}"#)).continued(hints(1, false, Some(r#"{"b":2,"c":2}"#)));
        assert_eq!(both.meta.unwrap().text(), r#"{"a":1,"b":1,"c":2}"#);
    }
}
