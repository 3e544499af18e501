//! The strategy of clients that request none: `adaptive`, unless the operator names another (docs/CONTRACT.md S11).

use std::sync::Arc;

use mcp_disclosure_core::{ListSize, Memory, Principal, Selected, Stack};

use crate::{
    catalogue::Published,
    negotiation::{Choice, NamedStrategy},
};

/// `adaptive` with this strategy for lists over the budget.
pub(crate) fn adaptive(over: &NamedStrategy, budget: u64) -> NamedStrategy {
    let adaptive = Stack::clone(&over.1).over_budget(budget);
    (Arc::from(&*adaptive.profile().name), Arc::new(adaptive))
}

/// Which strategy was selected by the size of the list, why, and what that saves; `None` where the size does not decide.
pub(crate) fn selection(published: &Published, served: &Choice) -> Option<String> {
    let page = published.page(&Principal::anonymous(), served, &Memory::default());
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
    use mcp_disclosure_core::{Registry, Snapshot, UpstreamLists, UpstreamName};
    use serde_json::{json, value::to_raw_value};

    use crate::{
        builtin,
        catalogue::Catalogue,
        negotiation::{Strategies, StrategyOptions},
    };

    /// The log line for a catalogue whose complete list is about 5,500 tokens.
    fn said(registry: &Registry, options: StrategyOptions) -> Option<String> {
        let tool = |at: usize| {
            let description = format!("Does number {at}. {}", "It is explained at length. ".repeat(10));
            to_raw_value(
                &json!({"name": format!("tool_{at}"), "description": description, "inputSchema": {}}),
            )
        };
        let tools = (0..75).map(|at| tool(at).unwrap().into()).collect();
        let lists = UpstreamLists { tools, ..UpstreamLists::empty(UpstreamName::parse("u").unwrap()) };
        let snapshot = Snapshot::build(&[lists], &[]);
        Strategies::build(registry, &options).unwrap().selection(&Catalogue::new(snapshot).current())
    }

    #[test]
    fn s11_what_was_selected_is_said_with_what_it_saves() {
        let budget = |budget| StrategyOptions { budget, ..StrategyOptions::default() };
        let over = said(&builtin(), budget(4_000)).unwrap();
        let expected =
            "clients that request no strategy are served by search: the complete list of 75 tools is about ";
        assert!(
            over.starts_with(expected) && over.contains(", over the budget of 4000; it lists about "),
            "{over}"
        );
        let within = said(&builtin(), budget(10_000)).unwrap();
        assert!(
            within.contains("served by full: ") && within.ends_with(", within the budget of 10000"),
            "{within}"
        );
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
        assert!(said.contains("served by full: ") && said.contains(", over the budget of 4000"), "{said}");
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
