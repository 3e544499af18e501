//! The strategy of clients that request none: `adaptive`, and what is advised where they are listed too much
//! (docs/CONTRACT.md S11).

use std::sync::Arc;

use mcp_disclosure_core::{CompleteList, Kind, Memory, Principal, Stack, View, size};

use crate::{
    catalogue::Published,
    negotiation::{Choice, NamedStrategy},
};

/// `adaptive` with this strategy for lists over the budget.
pub(crate) fn adaptive(over: &NamedStrategy, budget: u64) -> NamedStrategy {
    let adaptive = Stack::clone(&over.1).over_budget(budget);
    (Arc::from(&*adaptive.profile().name), Arc::new(adaptive))
}

/// That clients which request no strategy are listed everything, and what another one would list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    complete: CompleteList,
    budget: u64,
    /// The tokens of the other list.
    instead: u64,
}

impl Advice {
    /// Compares the lists of two strategies for the same client. `None` where the first is within the budget, where it
    /// withholds something already, and where the second lists as much.
    pub(crate) fn of(published: &Published, served: &Choice, instead: &Choice, budget: u64) -> Option<Self> {
        let everyone = Principal::anonymous();
        let complete = CompleteList::of(&View::of(Arc::clone(published.snapshot()), &everyone));
        if complete.tokens() <= budget {
            return None;
        }
        let listed =
            |choice| published.page(&everyone, choice, &Memory::default()).list(Kind::Tools).as_bytes().len();
        let (served, instead) = (listed(served), listed(instead));
        let advises = served >= complete.bytes && instead < served;
        advises.then(|| Self { complete, budget, instead: size::tokens(instead) })
    }

    /// The sentence for the operator; `name` is the other strategy.
    pub(crate) fn sentence(&self, name: &str) -> String {
        let Self { complete, budget, instead } = self;
        let (tools, tokens, method) = (complete.tools, complete.tokens(), size::METHOD);
        format!(
            "clients that request no strategy are listed {tools} complete tools, about {tokens} tokens ({method}), over \
             the budget of {budget}; under '{name}' it would be about {instead} (hint: --fallback adaptive)"
        )
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{Snapshot, UpstreamLists, UpstreamName};
    use serde_json::{json, value::to_raw_value};

    use crate::{
        builtin,
        catalogue::Catalogue,
        negotiation::{Strategies, StrategyOptions},
    };

    /// The advice on a catalogue whose complete list is about 5,500 tokens.
    fn advice(options: StrategyOptions) -> Option<String> {
        let tool = |at: usize| {
            let description = format!("Does number {at}. {}", "It is explained at length. ".repeat(10));
            to_raw_value(
                &json!({"name": format!("tool_{at}"), "description": description, "inputSchema": {}}),
            )
        };
        let tools = (0..75).map(|at| tool(at).unwrap().into()).collect();
        let lists = UpstreamLists { tools, ..UpstreamLists::empty(UpstreamName::parse("u").unwrap()) };
        let snapshot = Snapshot::build(&[lists], &[]);
        Strategies::build(&builtin(), &options).unwrap().advice(&Catalogue::new(snapshot).current())
    }

    #[test]
    fn s11_a_complete_list_over_the_budget_is_advised_on() {
        let options = StrategyOptions::default;
        let said = advice(options()).unwrap();
        assert!(said.starts_with("clients that request no strategy are listed 75 complete tools"), "{said}");
        let info = StrategyOptions { over_budget: "info".to_owned(), ..options() };
        assert!(advice(info).unwrap().contains("under 'info' it would be about "));
    }

    #[test]
    fn s11_nothing_is_advised_on_what_was_decided_or_costs_little_or_withholds() {
        let fallback =
            |name: &str| StrategyOptions { fallback: name.to_owned(), ..StrategyOptions::default() };
        for options in [
            StrategyOptions { pinned: Some("full".to_owned()), ..StrategyOptions::default() },
            StrategyOptions { budget: 10_000, ..StrategyOptions::default() },
            StrategyOptions { over_budget: "full".to_owned(), ..StrategyOptions::default() },
            fallback("resource"),
            fallback("adaptive"),
        ] {
            assert_eq!(advice(options.clone()), None, "{options:?}");
        }
    }

    #[test]
    fn s11_the_fallback_is_behind_the_same_filters_on_both_sides() {
        let options = StrategyOptions {
            fallback: "adaptive".to_owned(),
            over_budget: "concerns+describe".to_owned(),
            ..StrategyOptions::default()
        };
        let strategies = Strategies::build(&builtin(), &options).unwrap();
        let names: Vec<&str> = strategies.all().map(|strategy| &*strategy.profile().name).collect();
        assert!(names.contains(&"concerns+adaptive"), "{names:?}");
        assert!(!strategies.offered().iter().any(|name| name.contains("adaptive")));
    }
}
