//! Explanations for the operator of how each client is served.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use mcp_disclosure_core::{Era, ListSize, Memory, Permits, Principal, Selected};
use parking_lot::Mutex;

use crate::{
    catalogue::{Page, Published},
    dialect::{Offer, Revision},
    negotiation::{Choice, EXPLANATIONS, Strategies},
};
use mcp_disclosure_transport::printable::printable;

/// How the client of this name or address, of this offer, is served: by a strategy that recorded this of it.
pub(crate) fn explanation(
    client: &str,
    revision: Revision,
    offer: &Offer,
    choice: &Choice,
    page: &Page,
    memory: &Memory,
) -> String {
    let said = match (&*offer.strategies, offer.settings.is_empty() && !offer.omit_input_schema) {
        ([], true) if choice.traits.declared => "declared the extension of a strategy".to_owned(),
        ([], true) => "declared no disclosure support".to_owned(),
        ([], false) => "offered no strategy".to_owned(),
        (strategies, _) => format!("offered {}", printable(&strategies.join(", "))),
    };
    let mut parts = vec![
        format!("client '{}' ({revision}) {said}", printable(client)),
        format!("served by {}: {}", choice.name, choice.reason),
    ];
    let selects = |Selected { name, reason }: &Selected| format!("{} selects {name}: {reason}", choice.name);
    parts.extend(page.selected.as_ref().map(selects));
    if !page.own_tools.is_empty() {
        parts.push(format!("own tools listed: {}", page.own_tools.join(", ")));
    }
    parts.extend(offer.omit_input_schema.then(|| "lists without inputSchema, as requested".to_owned()));
    parts.extend(offer.shortest.then(|| "the shortest lists, as requested".to_owned()));
    for (strategy, notes) in memory.iter() {
        let note = |(name, value)| printable(&format!("{strategy}: {name} = {value}")).to_string();
        parts.extend(notes.iter().map(note));
    }
    parts.join("; ")
}

/// Maximum explanations remembered; beyond it, all may be logged again.
const MOST_KEPT: usize = 1024;

/// Explanations logged so far. A stateless client is negotiated with in every request, but explained once.
#[derive(Debug, Default)]
pub(crate) struct Explained(Mutex<HashSet<String>>);

impl Explained {
    /// Logs an explanation once. It is built only if its log level is enabled.
    pub(crate) fn explain(&self, explanation: impl FnOnce() -> String) {
        if !tracing::enabled!(target: EXPLANATIONS, tracing::Level::DEBUG) {
            return;
        }
        let Some(text) = built(explanation) else { return };
        let mut given = self.0.lock();
        if given.len() >= MOST_KEPT {
            given.clear();
        }
        if given.insert(text.clone()) {
            tracing::debug!(target: EXPLANATIONS, "{text}");
        }
    }
}

/// An explanation. It may call a strategy, which may panic: that is answered where the request is.
fn built(explanation: impl FnOnce() -> String) -> Option<String> {
    catch_unwind(AssertUnwindSafe(explanation)).ok()
}

/// Which strategy serves clients that request none, why, and what that saves; `None` where the size of the list does not
/// decide (docs/CONTRACT.md S11).
pub(crate) fn selection(published: &Published, strategies: &Strategies) -> Option<String> {
    let served = strategies.choose(None, &Permits::all(), &Offer::default(), Era::Session);
    let page = published.page(&Principal::anonymous(), &served, &Memory::default());
    let Selected { name, reason } = page.selected.as_ref()?;
    let (complete, listed) = (ListSize::complete(&page.view).tokens(), page.size().tokens());
    let saving = match complete.saturating_sub(listed) * 100 / complete.max(1) {
        0 => String::new(),
        saved => format!("; it lists about {listed}, {saved} % less"),
    };
    Some(format!("clients that request no strategy are served by {name}: {reason}{saving}"))
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{Registry, Snapshot, fixtures::upstream};
    use serde_json::json;

    use super::{built, selection};
    use crate::{
        builtin,
        catalogue::Catalogue,
        negotiation::{Strategies, StrategyOptions},
    };

    /// The log line for a catalogue whose complete list is about 5,500 tokens.
    fn said(registry: &Registry, options: StrategyOptions) -> Option<String> {
        let tool = |at: usize| {
            let description = format!("Does number {at}. {}", "It is explained at length. ".repeat(10));
            json!({"name": format!("tool_{at}"), "description": description, "inputSchema": {}})
        };
        let snapshot = Snapshot::build(&[upstream("u", (0..75).map(tool))], &[]);
        let strategies = Strategies::build(registry, &options).unwrap();
        selection(&Catalogue::new(snapshot).current(), &strategies)
    }

    #[test]
    fn f6_a_strategy_that_panics_where_it_is_explained_costs_no_answer() {
        assert_eq!(built(|| panic!("as if")), None);
    }

    #[test]
    fn s11_nothing_is_said_where_the_operator_decided() {
        for options in [
            StrategyOptions { pinned: Some("full".to_owned()), ..StrategyOptions::default() },
            StrategyOptions { fallback: "full".to_owned(), ..StrategyOptions::default() },
        ] {
            assert_eq!(said(&builtin(), options.clone()), None, "{options:?}");
        }
    }

    #[test]
    fn s11_a_program_without_search_lists_completely() {
        let said = said(&Registry::new(), StrategyOptions::default()).unwrap();
        assert!(said.contains("served by full: ") && said.contains(", over the budget of 4,000"), "{said}");
    }

    #[test]
    fn s11_the_fallback_is_behind_the_same_filters_on_both_sides() {
        let options =
            StrategyOptions { over_budget: "concerns+describe".to_owned(), ..StrategyOptions::default() };
        let strategies = Strategies::build(&builtin(), &options).unwrap();
        let names: Vec<&str> = strategies.all().map(|strategy| &*strategy.profile().name).collect();
        assert!(names.contains(&"concerns+adaptive"), "{names:?}");
        assert!(!strategies.offered().iter().any(|name| name.contains("adaptive")));
    }
}
