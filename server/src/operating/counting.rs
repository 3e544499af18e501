//! Tokens of lists, counted by a thread beside the workers that serve clients: once for each list, and for each view that is
//! listed completely; of lists that clients filter, once for each tool.

use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{Kind, RawObject, View, brief::shorten, printable::one_line};
use mcp_disclosure_gateway::{
    catalogue::Page,
    observe::{Cost, Who},
};
use parking_lot::Mutex;
use serde_json::value::RawValue;

use super::{metrics::Counts, started};
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
    waiting: SyncSender<New>,
    counters: Counts,
    /// The principals that have a label of their own.
    principals: Mutex<HashSet<Arc<str>>>,
}

/// A list that was sent before it was counted.
struct New {
    strategy: Box<str>,
    principal: Arc<str>,
    page: Arc<Page>,
    /// The tools of it that were sent; `None` for all.
    names: Option<Vec<String>>,
}

/// The tokens of a view's complete list.
struct Full(u64);

/// The tokens of each definition of a view.
struct FullByName(HashMap<String, u64>);

impl Counting {
    pub(super) fn start(counters: Counts) -> Result<Self, Failure> {
        // A rate needs a zero to start from.
        for counter in [&counters.listed_to, &counters.full_to] {
            let _zero = counter.with_label_values(&[OTHERS]);
        }
        let (waiting, new) = sync_channel(MOST_WAITING);
        let counting = counters.clone();
        started("tokens", move || count(&new, &counting))?;
        Ok(Self { waiting, counters, principals: Mutex::default() })
    }

    /// The label of a principal: one of the first [`MOST_PRINCIPALS`], or that of all others. Empty without principals.
    fn label(&self, principal: Option<&str>) -> Arc<str> {
        let Some(principal) = principal else { return Arc::default() };
        let principal = one_line(&shorten(principal, LONGEST_LABEL)).into_owned();
        let mut seen = self.principals.lock();
        if let Some(label) = seen.get(&*principal) {
            return Arc::clone(label);
        }
        if seen.len() >= MOST_PRINCIPALS {
            return OTHERS.into();
        }
        let label = Arc::<str>::from(principal);
        seen.insert(Arc::clone(&label));
        label
    }

    /// A list of tools was sent, or the tools of it with these names.
    pub(super) fn sent(&self, who: &Who<'_>, page: &Arc<Page>, names: Option<&[String]>) {
        let (strategy, principal) = (who.strategy, self.label(who.principal));
        if let Some(cost) = page.costs.of(names) {
            return self.counters.add(strategy, &principal, cost);
        }
        let (strategy, page, names) = (strategy.into(), Arc::clone(page), names.map(<[_]>::to_vec));
        let is_long = names.as_ref().is_some_and(|names| names.len() > MOST_NAMES);
        if is_long || self.waiting.try_send(New { strategy, principal, page, names }).is_err() {
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
        let counting = AssertUnwindSafe(|| {
            if names.is_some() {
                page.costs.tools.get_or_init(|| costs(&page));
            } else {
                page.costs.whole.get_or_init(|| cost(&page));
            }
            page.costs.of(names.as_deref())
        });
        match catch_unwind(counting) {
            Ok(Some(cost)) => counters.add(&strategy, &principal, cost),
            _ => counters.uncounted.inc(),
        }
    }
}

fn cost(page: &Page) -> Cost {
    let list = page.list(Kind::Tools);
    let tools = RawObject::parse(list.as_str()).ok().and_then(|list| Some(tokens(list.member("tools")?)));
    let full = page.view.derived(|view| Full(tokens(&complete(view))));
    Cost { listed: tools.unwrap_or_default(), full: full.0 }
}

/// The cost of each tool of a list. The strategy's own are in no complete list.
fn costs(page: &Page) -> HashMap<String, Cost> {
    let full = page.view.derived(|view| {
        let tools = view.tools().map(|tool| tool.tool());
        FullByName(tools.map(|tool| (tool.key().to_string(), tokens(tool.definition().text()))).collect())
    });
    let list = RawObject::parse(page.list(Kind::Tools).as_str()).ok();
    let tools = list.and_then(|list| serde_json::from_str::<Vec<Box<RawValue>>>(list.member("tools")?).ok());
    let cost = |tool: Box<RawValue>| {
        let name = RawObject::parse(tool.get()).ok()?.string("name")?;
        let full = full.0.get(&name).copied().unwrap_or_default();
        Some((name, Cost { listed: tokens(tool.get()), full }))
    };
    tools.unwrap_or_default().into_iter().filter_map(cost).collect()
}

/// The list of all definitions of a view.
fn complete(view: &View) -> String {
    let definitions: Vec<&str> = view.tools().map(|tool| tool.tool().definition().text()).collect();
    format!("[{}]", definitions.join(","))
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}
