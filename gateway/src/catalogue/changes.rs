//! What upstreams' definitions were, and what is said when they are others: a line for each, and one event for observers.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use mcp_disclosure_core::{
    DefinitionChange, Digest, OnChange, Rules, ToolName, UpstreamLists, UpstreamName, changes_between,
    qualified,
};

use parking_lot::Mutex;

use crate::observe::{Observer, ToolChanges, protected};

/// Tools of which a change is remembered as said; beyond that one may be said twice.
const MOST: usize = 10_000;

/// The changes that were said last, whoever's connection they came on: an upstream may be connected once for each era, and for
/// each client.
#[derive(Debug, Default)]
pub struct Said(Mutex<HashMap<String, Option<Digest>>>);

impl Said {
    /// Whether nobody has said that this tool is now what it is.
    fn is_news(&self, upstream: &UpstreamName, change: &DefinitionChange) -> bool {
        let now = change.now.as_ref().map(|record| record.definition);
        let mut said = self.0.lock();
        if said.len() >= MOST {
            said.clear();
        }
        said.insert(qualified(upstream, &change.tool), now) != Some(now)
    }
}

/// The definitions of a backend's own upstreams, as they were last listed.
#[derive(Debug)]
pub(super) struct KnownDefinitions {
    observer: Arc<dyn Observer>,
    said: Arc<Said>,
    /// Whether it says what is new to clients: of backends that list the same, the first does.
    is_first: bool,
    of: HashMap<UpstreamName, Known>,
}

/// What is known of one upstream. It outlasts the upstream's absence.
#[derive(Debug)]
struct Known {
    /// What it listed.
    lists: Arc<UpstreamLists>,
    /// The tools that existed for clients, by their own names.
    served: HashSet<ToolName>,
}

impl KnownDefinitions {
    pub(super) fn new(observer: Arc<dyn Observer>, said: Arc<Said>, is_first: bool) -> Self {
        Self { observer, said, is_first, of: HashMap::new() }
    }

    /// Takes what an upstream lists, and what of it the next snapshot serves. What it lists first is compared with what was
    /// reviewed, if anything was. Of tools that a warning about the snapshot names, that says what changed.
    pub(super) fn note(
        &mut self,
        lists: &Arc<UpstreamLists>,
        rules: &Rules,
        served: HashSet<&ToolName>,
        is_warned_of: impl Fn(&str) -> bool,
    ) {
        let (name, lock) = (&lists.name, &rules.review.lock);
        let known = self.of.get(&**name);
        let served: HashSet<ToolName> = served.into_iter().cloned().collect();
        if known.is_some_and(|known| Arc::ptr_eq(&known.lists, lists) && known.served == served) {
            return;
        }
        let mut changes = match known {
            Some(known) if Arc::ptr_eq(&known.lists, lists) => Vec::new(),
            Some(known) => changes_between(&known.lists.definitions(), &lists.definitions()),
            None if lock.knows(name) => lock.changes(name, &lists.definitions()),
            None => Vec::new(),
        };
        changes.retain(|change| self.said.is_news(name, change));
        let on_change = rules.review.on_change(name);
        let unsaid = changes.iter().filter(|change| !is_warned_of(&change.tool));
        unsaid.for_each(|change| say(name, change, on_change));
        warn_of_renamed(name, rules, &changes, &served);
        let mut new: Vec<&str> = match known {
            Some(known) => served.difference(&known.served).map(ToolName::as_str).collect(),
            None => {
                let added = changes.iter().filter(|change| change.before.is_none());
                added.map(|change| &*change.tool).filter(|tool| served.contains(*tool)).collect()
            }
        };
        new.retain(|_| self.is_first);
        if known.is_none() || !changes.is_empty() || !new.is_empty() {
            new.sort_unstable();
            let changes = ToolChanges { upstream: name, changes: &changes, new: &new };
            protected(|| self.observer.tools_changed(&changes));
        }
        self.of.insert(name.clone(), Known { lists: Arc::clone(lists), served });
    }
}

fn say(upstream: &UpstreamName, change: &DefinitionChange, on_change: OnChange) {
    match on_change {
        OnChange::Serve => tracing::info!("upstream '{upstream}': tool '{}' {change}", change.tool),
        OnChange::Warn | OnChange::Hold => {
            tracing::warn!("upstream '{upstream}': tool '{}' {change}", change.tool);
        }
    }
}

/// A hidden tool may have come back under another name. Where new tools are held, it has not.
fn warn_of_renamed(
    upstream: &UpstreamName,
    rules: &Rules,
    changes: &[DefinitionChange],
    served: &HashSet<ToolName>,
) {
    let gone = changes.iter().filter(|change| change.now.is_none()).map(|change| &*change.tool);
    let gone = rules.hidden_of(upstream, &gone.collect::<Vec<_>>());
    let came = changes.iter().filter(|change| change.before.is_none()).map(|change| &*change.tool);
    let came: Vec<&str> = came.filter(|tool| served.contains(*tool)).collect();
    if !gone.is_empty() && !came.is_empty() {
        let named =
            |tools: &[&str]| tools.iter().map(|tool| format!("'{tool}'")).collect::<Vec<_>>().join(", ");
        let (gone, came) = (named(&gone), named(&came));
        tracing::warn!(
            "upstream '{upstream}': hidden and gone: {gone}; new and served: {came}; if one is the same tool, hide it, too (on_change = \"hold\" serves nothing new)"
        );
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{RawObject, Record};

    use super::*;

    #[test]
    fn u14_a_change_that_comes_on_several_connections_is_said_once() {
        let (said, upstream) = (Said::default(), UpstreamName::parse("kit").unwrap());
        let record = |text: Option<&str>| text.map(|text| Record::of(&RawObject::parse(text).unwrap()));
        let is_news = |tool: &str, now: Option<&str>| {
            let change = DefinitionChange { tool: tool.to_owned(), before: None, now: record(now) };
            said.is_news(&upstream, &change)
        };
        let (a, b) = (Some(r#"{"x":1}"#), Some(r#"{"x":2}"#));
        let news = [("t", a), ("t", a), ("u", a), ("t", b), ("t", b), ("t", a), ("t", None), ("t", None)];
        let news = news.map(|(tool, now)| is_news(tool, now));
        assert_eq!(news, [true, false, true, true, false, true, true, false]);
    }
}
