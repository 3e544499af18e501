//! Tokens of lists, counted by a thread beside the workers that serve clients: once for each list, and for each view that is
//! listed completely; of lists that clients filter, once for each tool.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{Kind, RawObject, View};
use mcp_disclosure_gateway::{
    catalogue::Page,
    observe::{Cost, Step},
};
use prometheus::{IntCounter, IntCounterVec};
use serde_json::value::RawValue;

use crate::failure::Failure;

/// Lists that wait to be counted. Clients choose what distinguishes lists, so there can be many at once.
const MOST_WAITING: usize = 256;

/// Names of a filtered list that waits.
const MOST_NAMES: usize = 1_000;

/// The counter of tokens. Its thread ends with it.
#[derive(Debug)]
pub(super) struct Counting {
    waiting: SyncSender<New>,
    counters: Counters,
}

#[derive(Clone, Debug)]
struct Counters {
    listed: IntCounterVec,
    full: IntCounterVec,
    uncounted: IntCounter,
}

/// A list that is sent for the first time.
struct New {
    strategy: Box<str>,
    page: Arc<Page>,
    part: Part,
}

/// What was sent of a list.
enum Part {
    All,
    /// These tools.
    Named(Vec<String>),
}

/// The tokens of a view's complete list.
struct Full(u64);

/// The tokens of each definition of a view.
struct FullByName(HashMap<String, u64>);

impl Counting {
    pub(super) fn start(
        listed: IntCounterVec,
        full: IntCounterVec,
        uncounted: IntCounter,
    ) -> Result<Self, Failure> {
        let counters = Counters { listed, full, uncounted };
        let (waiting, new) = sync_channel(MOST_WAITING);
        let counting = counters.clone();
        thread::Builder::new()
            .name("tokens".to_owned())
            .spawn(move || count(&new, &counting))
            .map_err(|source| Failure::Io { what: "cannot start a thread", source })?;
        Ok(Self { waiting, counters })
    }

    /// Some tools of a list were sent.
    pub(super) fn sent_some(&self, strategy: &str, page: &Arc<Page>, names: &[String]) {
        if let Some(cost) = page.tool_costs.of(names) {
            return self.counters.add(strategy, cost, 1);
        }
        let part = Part::Named(names.to_vec());
        let new = New { strategy: strategy.into(), page: Arc::clone(page), part };
        if names.len() > MOST_NAMES || self.waiting.try_send(new).is_err() {
            self.counters.uncounted.inc();
        }
    }

    /// A list of tools was sent.
    pub(super) fn sent(&self, strategy: &str, page: &Arc<Page>) {
        match page.tally.sent() {
            Step::Wait => {}
            Step::Add(cost) => self.counters.add(strategy, cost, 1),
            Step::Count => {
                let new = New { strategy: strategy.into(), page: Arc::clone(page), part: Part::All };
                if self.waiting.try_send(new).is_err() {
                    self.counters.uncounted.inc_by(page.tally.give_up());
                }
            }
        }
    }
}

impl Counters {
    fn add(&self, strategy: &str, cost: Cost, times: u64) {
        self.listed.with_label_values(&[strategy]).inc_by(cost.listed.saturating_mul(times));
        self.full.with_label_values(&[strategy]).inc_by(cost.full.saturating_mul(times));
    }
}

fn count(new: &Receiver<New>, counters: &Counters) {
    while let Ok(New { strategy, page, part }) = new.recv() {
        match part {
            Part::All => match catch_unwind(AssertUnwindSafe(|| cost(&page))) {
                Ok(cost) => counters.add(&strategy, cost, page.tally.settle(cost)),
                Err(_) => counters.uncounted.inc_by(page.tally.give_up()),
            },
            Part::Named(names) => {
                let counted = catch_unwind(AssertUnwindSafe(|| page.tool_costs.settle(|| costs(&page))));
                match counted.ok().and_then(|()| page.tool_costs.of(&names)) {
                    Some(cost) => counters.add(&strategy, cost, 1),
                    None => counters.uncounted.inc(),
                }
            }
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
