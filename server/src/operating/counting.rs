//! Tokens of lists, counted by a thread beside the workers that serve clients: once for each tool of a list, and for each
//! definition of a view.

use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc::Receiver},
};

use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{Kind, RawObject, brief::shorten, printable::one_line};
use mcp_disclosure_gateway::{
    catalogue::Page,
    observe::{Cost, Costs, Who},
};
use parking_lot::Mutex;

use super::{metrics::Counts, worker::Worker};
use crate::failure::Failure;

/// Lists that wait to be counted. Clients choose what distinguishes lists, so there can be many at once.
const MOST_WAITING: usize = 1_024;

/// Principals with a label of their own: those that came first, since tokens may name any number.
const MOST_PRINCIPALS: usize = 50;

/// Maximum length of a label, in characters.
const LONGEST_LABEL: usize = 100;

/// The label of the others.
const OTHERS: &str = "other";

/// Names of a filtered list that waits.
const MOST_NAMES: usize = 1_000;

/// The counter of tokens. Its thread ends with it.
#[derive(Debug)]
pub(super) struct Counting {
    waiting: Worker<New>,
    counters: Counts,
    /// The principals that have a label of their own.
    principals: Mutex<HashSet<Arc<str>>>,
}

/// A list that was sent before it was counted.
#[derive(Debug)]
struct New {
    strategy: Box<str>,
    principal: Arc<str>,
    page: Arc<Page>,
    /// The tools of it that were sent; `None` for all.
    names: Option<Vec<String>>,
}

/// The tokens of each definition of a view.
struct Full(HashMap<String, u64>);

impl Counting {
    pub(super) fn start(counters: Counts) -> Result<Self, Failure> {
        // A rate needs a zero to start from.
        for counter in [&counters.listed_to, &counters.full_to] {
            let _zero = counter.with_label_values(&[OTHERS]);
        }
        let counting = counters.clone();
        let waiting = Worker::start("tokens", MOST_WAITING, move |new| count(new, &counting))?;
        Ok(Self { waiting, counters, principals: Mutex::default() })
    }

    /// The label of a principal: one of the first [`MOST_PRINCIPALS`], or that of all others. Empty without principals.
    fn label(&self, principal: Option<&str>) -> Arc<str> {
        let Some(principal) = principal else { return Arc::default() };
        let label = Arc::<str>::from(one_line(&shorten(principal, LONGEST_LABEL)));
        let mut seen = self.principals.lock();
        if seen.len() >= MOST_PRINCIPALS && !seen.contains(&label) {
            return OTHERS.into();
        }
        seen.insert(Arc::clone(&label));
        label
    }

    /// A list of tools was sent, or the tools of it with these names.
    pub(super) fn sent(&self, who: &Who<'_>, page: &Arc<Page>, names: Option<&[String]>) {
        let (strategy, principal) = (who.strategy, self.label(who.principal));
        if let Some(costs) = page.costs.get() {
            return self.counters.add(strategy, &principal, costs.of(names));
        }
        let (strategy, page, names) = (strategy.into(), Arc::clone(page), names.map(<[_]>::to_vec));
        let is_long = names.as_ref().is_some_and(|names| names.len() > MOST_NAMES);
        if is_long || !self.waiting.send(New { strategy, principal, page, names }) {
            self.counters.uncounted.inc();
        }
    }
}

impl Counts {
    fn add(&self, strategy: &str, principal: &str, Cost { listed, full }: Cost) {
        self.listed.with_label_values(&[strategy]).inc_by(listed);
        self.full.with_label_values(&[strategy]).inc_by(full);
        if !principal.is_empty() {
            self.listed_to.with_label_values(&[principal]).inc_by(listed);
            self.full_to.with_label_values(&[principal]).inc_by(full);
        }
    }
}

fn count(new: &Receiver<New>, counters: &Counts) {
    while let Ok(New { strategy, principal, page, names }) = new.recv() {
        let costs = AssertUnwindSafe(|| page.costs.get_or_init(|| costs(&page)));
        match catch_unwind(costs) {
            Ok(costs) => counters.add(&strategy, &principal, costs.of(names.as_deref())),
            Err(_) => counters.uncounted.inc(),
        }
    }
}

/// What a list costs, and each of its tools. The strategy's own tools are in no complete list.
fn costs(page: &Page) -> Costs {
    let full = page.view.derived(|view| {
        let tools = view.tools().map(|tool| tool.tool());
        Full(tools.map(|tool| (tool.key().to_string(), tokens(tool.definition().text()))).collect())
    });
    let list = RawObject::parse(page.list(Kind::Tools).as_str()).ok();
    let tools: Option<Vec<RawObject>> = list.and_then(|list| list.value("tools"));
    let cost = |tool: RawObject| {
        let name = tool.string("name")?;
        let full = full.0.get(&name).copied().unwrap_or_default();
        Some((name, Cost { listed: tokens(tool.text()), full }))
    };
    let each: HashMap<String, Cost> = tools.into_iter().flatten().filter_map(cost).collect();
    let all = Cost { listed: each.values().map(|cost| cost.listed).sum(), full: full.0.values().sum() };
    Costs { all, each }
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}
