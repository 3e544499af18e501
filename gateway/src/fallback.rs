//! The strategy of clients that request none: `adaptive`, and what is advised where they are listed too much
//! (docs/CONTRACT.md S11).

use std::sync::Arc;

use mcp_disclosure_core::{Adaptive, CompleteList, DisclosureStrategy, Kind, Memory, Principal, View, estimate};

use crate::{
    catalogue::Published,
    negotiation::{Choice, NamedStrategy},
};

/// `adaptive` with this strategy for lists over the budget, and `complete`, which has the same filters, within it.
pub(crate) fn adaptive(
    complete: NamedStrategy,
    over: NamedStrategy,
    budget: u64,
) -> NamedStrategy {
    let adaptive = Adaptive::new(complete.1, over.1, budget);
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
        let listed = |choice| {
            published.page(&everyone, choice, &Memory::default()).list(Kind::Tools).as_bytes().len()
        };
        let (served, instead) = (listed(served), listed(instead));
        let advises = served >= complete.bytes && instead < served;
        advises.then(|| Self { complete, budget, instead: estimate::tokens(instead) })
    }

    /// The sentence for the operator; `name` is the other strategy.
    pub(crate) fn sentence(&self, name: &str) -> String {
        let Self { complete, budget, instead } = self;
        let (tools, tokens, method) = (complete.tools, complete.tokens(), estimate::METHOD);
        format!(
            "clients that request no strategy are listed {tools} complete tools, about {tokens} tokens ({method}), over \
             the budget of {budget}; under '{name}' it would be about {instead} (hint: --fallback adaptive)"
        )
    }
}
