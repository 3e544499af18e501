//! What upstreams' definitions were, and what is said when they are others: a line for each, and one event for observers.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use mcp_disclosure_core::{
    DefinitionChange, OnChange, Rules, Snapshot, ToolName, UpstreamLists, UpstreamName, changes_between,
};

use crate::observe::{Observer, ToolChanges};

/// The definitions of a backend's own upstreams, as they were last listed.
#[derive(Debug)]
pub(super) struct KnownDefinitions {
    observer: Arc<dyn Observer>,
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
    pub(super) fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, of: HashMap::new() }
    }

    /// Takes what an upstream lists, and what of it the next snapshot serves. What it lists first is compared with what was
    /// reviewed, if anything was.
    pub(super) fn note(&mut self, lists: &Arc<UpstreamLists>, rules: &Rules, snapshot: &Snapshot) {
        let (name, lock) = (&lists.name, &rules.review.lock);
        let served: HashSet<ToolName> = snapshot.own_names(name).cloned().collect();
        let known = self.of.get(&**name);
        let changes = match known {
            Some(known) if Arc::ptr_eq(&known.lists, lists) => Vec::new(),
            Some(known) => changes_between(&known.lists.definitions(), &lists.definitions()),
            None if lock.knows(name) => lock.changes(name, &lists.definitions()),
            None => Vec::new(),
        };
        let on_change = rules.review.on_change(name);
        changes.iter().for_each(|change| say(name, change, on_change));
        let mut new: Vec<&str> = match known {
            Some(known) => {
                warn_of_renamed(name, known, &changes, &served);
                served.difference(&known.served).map(ToolName::as_str).collect()
            }
            None => {
                let added = changes.iter().filter(|change| change.before.is_none());
                added.map(|change| &*change.tool).filter(|tool| served.contains(*tool)).collect()
            }
        };
        if known.is_none() || !changes.is_empty() || !new.is_empty() {
            new.sort_unstable();
            self.observer.tools_changed(&ToolChanges { upstream: name, changes: &changes, new: &new });
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
    known: &Known,
    changes: &[DefinitionChange],
    served: &HashSet<ToolName>,
) {
    let gone = |change: &&DefinitionChange| change.now.is_none() && !known.served.contains(&*change.tool);
    let came = |change: &&DefinitionChange| change.before.is_none() && served.contains(&*change.tool);
    let named = |changes: Vec<&DefinitionChange>| {
        changes.iter().map(|change| format!("'{}'", change.tool)).collect::<Vec<_>>().join(", ")
    };
    let gone: Vec<&DefinitionChange> = changes.iter().filter(gone).collect();
    let came: Vec<&DefinitionChange> = changes.iter().filter(came).collect();
    if !gone.is_empty() && !came.is_empty() {
        let (gone, came) = (named(gone), named(came));
        tracing::warn!(
            "upstream '{upstream}': {gone}, which is hidden, is gone, and {came} is new and served; if it is the same tool, hide it, too (on_change = \"hold\" serves nothing new)"
        );
    }
}
