//! A strategy that discloses progressively only where that pays: complete lists within a budget, another strategy over it
//! (docs/CONTRACT.md S11).
//!
//! Which of the two serves is a function of the view alone, as lists are: the same catalogue is served in the same way to
//! every client of equal rights, by every replica, in each request. A session is not bound to what served it first. Where
//! the catalogue crosses the budget, its list changes as lists do, with the notification that says so. The own tools of the
//! other strategy are listed over the budget, callable on both sides of it, and their names reserved on both.

use crate::{
    catalogue::view::View,
    printable::{counted, grouped},
    profile::Profile,
    size::{self, ListSize},
};

/// The strategy's name, as in `--fallback`.
pub const NAME: &str = "adaptive";

/// The budget unless configured otherwise, in tokens: what a host spends on its own tools.
pub const DEFAULT_BUDGET: u64 = 4_000;

/// The strategy that serves a view, where a stack selects one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Its name.
    pub name: String,
    /// Why, for operators.
    pub reason: String,
}

impl ListSize {
    /// Measures the complete list of a view, once for each. Narrowing a view makes its list no larger: definitions count as
    /// they are in the snapshot, without what a view adds to them.
    pub fn complete(view: &View) -> Self {
        *view.derived(|view| Self::sum(view.tools().map(|tool| tool.tool().shown_bytes())))
    }
}

/// Whether a complete list serves a view. Of upstreams that are starting nothing is known; lists wait for them.
pub(crate) fn fits(view: &View, budget: u64) -> bool {
    ListSize::complete(view).tokens() <= budget
}

/// Why a view is served as it is, for operators.
pub(crate) fn reason(view: &View, budget: u64) -> String {
    let list = ListSize::complete(view);
    let side = if fits(view, budget) { "within" } else { "over" };
    let so_far = if view.is_complete() { "" } else { " so far" };
    let (tools, tokens) = (counted(list.tools, "tool"), counted(list.tokens(), "token"));
    let (method, budget) = (size::METHOD, grouped(budget));
    format!(
        "the complete list of {tools}{so_far} is about {tokens} ({method}), {side} the budget of {budget}"
    )
}

/// The profile of a stack that lists completely within a budget.
pub(crate) fn profile(over: &Profile, budget: u64) -> Profile {
    let filters = over.name.rsplit_once('+').map_or(String::new(), |(filters, _)| format!("{filters}+"));
    Profile {
        name: format!("{filters}{NAME}").into(),
        summary: format!(
            "Complete definitions up to {} tokens; above that, as {}",
            grouped(budget),
            over.name
        )
        .into(),
        variants: &[],
        // Within the budget nothing of it is served, so neither can be promised.
        extension: None,
        context_size: "",
        ..over.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        context::{ClientTraits, Era},
        fixtures::{keeping, view_with},
        full::Full,
        stack::Stack,
        strategy::DisclosureStrategy,
    };

    proptest! {
        #[test]
        fn s11_what_counts_is_the_complete_list_of_the_view(
            descriptions in proptest::collection::vec("\\PC{0,80}", 0..12),
            budget in 0u64..400,
            kept in 0usize..12,
        ) {
            let adaptive = Stack::of(Vec::new(), Arc::new(Full)).unwrap().over_budget(budget);
            let whole = view_with(descriptions.iter().enumerate().map(|(at, description)| {
                json!({"name": format!("t{at}"), "description": description, "inputSchema": {}})
            }));
            let narrowed = keeping(whole.clone(), |name| name[1..].parse::<usize>().unwrap() < kept);
            for view in [&whole, &narrowed] {
                let list = ListSize::of(&Full.list(view, &ClientTraits::plain(Era::Session)).tools);
                prop_assert_eq!(ListSize::complete(view), list);
                let side = if list.tokens() <= budget { "within the budget" } else { "over the budget" };
                prop_assert!(adaptive.selects(view).unwrap().reason.contains(side));
            }
        }
    }
}
