//! Tokens of lists, counted by a thread beside the workers that serve clients: once for each list, and for each view that is
//! listed completely.

use std::{
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

use crate::failure::Failure;

/// Lists that wait to be counted. Clients choose what distinguishes lists, so there can be many at once.
const MOST_WAITING: usize = 256;

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
}

/// The tokens of a view's complete list.
struct Full(u64);

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

    /// A list of tools was sent that is not counted.
    pub(super) fn skipped(&self) {
        self.counters.uncounted.inc();
    }

    /// A list of tools was sent.
    pub(super) fn sent(&self, strategy: &str, page: &Arc<Page>) {
        match page.tally.sent() {
            Step::Wait => {}
            Step::Add(cost) => self.counters.add(strategy, cost, 1),
            Step::Count => {
                let new = New { strategy: strategy.into(), page: Arc::clone(page) };
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
    while let Ok(New { strategy, page }) = new.recv() {
        match catch_unwind(AssertUnwindSafe(|| cost(&page))) {
            Ok(cost) => counters.add(&strategy, cost, page.tally.settle(cost)),
            Err(_) => counters.uncounted.inc_by(page.tally.give_up()),
        }
    }
}

fn cost(page: &Page) -> Cost {
    let list = page.list(Kind::Tools);
    let tools = RawObject::parse(list.as_str()).ok().and_then(|list| Some(tokens(list.member("tools")?)));
    let full = page.view.derived(|view| Full(tokens(&complete(view))));
    Cost { listed: tools.unwrap_or_default(), full: full.0 }
}

/// The list of all definitions of a view.
fn complete(view: &View) -> String {
    let definitions: Vec<&str> = view.tools().map(|tool| tool.tool().definition().text()).collect();
    format!("[{}]", definitions.join(","))
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}
