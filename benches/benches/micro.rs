//! The gateway's own work in parts, without processes and sockets.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use divan::{Bencher, black_box, counter::ItemsCount};
use futures::FutureExt;
use mcp_disclosure_benches::catalogue::{self, CALLED};
use mcp_disclosure_core::{
    Context, Digest, Effects, Era, Handles, Kind, Marks, Memory, Noted, Permits, Principal, RawText, Receipt,
    ReceiptKey, Receipts, Snapshot, ToolCall, ToolName, Unlimited, View,
};
use mcp_disclosure_gateway::{
    Offer,
    catalogue::{Catalogue, Page},
    negotiation::{Choice, Strategies, StrategyOptions},
};
use mcp_disclosure_transport::{Bound, Id, Json, Message, Response};
use serde_json::{json, value::to_raw_value};

const DEPTH: Bound = Bound { most: 128, setting: "limits.message_depth" };

const SIZES: [usize; 3] = [10, 1_000, 10_000];

fn main() {
    divan::main();
}

fn snapshot(count: usize) -> Snapshot {
    Snapshot::build(&[catalogue::lists(count)], &[])
}

fn choice(strategy: &str) -> Choice {
    let options = StrategyOptions { pinned: Some(strategy.to_owned()), ..StrategyOptions::default() };
    let strategies = Strategies::build(&mcp_disclosure_gateway::builtin(), &options);
    strategies.expect("both are built in").choose(None, &Permits::all(), &Offer::default(), Era::Session)
}

/// From an upstream's list to a snapshot.
#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn snapshot_build(bencher: Bencher<'_, '_>, count: usize) {
    let lists = [catalogue::lists(count)];
    bencher.counter(ItemsCount::new(count)).bench_local(|| Snapshot::build(black_box(&lists), &[]));
}

/// The search over a view (S9): the index, made with the first query, and a query after that.
mod search {
    use mcp_disclosure_ranking::{BuiltIn, LexicalSettings, Query};

    use super::*;

    fn view(count: usize) -> View {
        View::of(Arc::new(snapshot(count)), &Principal::anonymous())
    }

    #[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
    fn index(bencher: Bencher<'_, '_>, count: usize) {
        let ranker = BuiltIn::new(&LexicalSettings::default());
        bencher
            .with_inputs(|| view(count))
            .bench_local_refs(|view| ranker.rank_now(view, &Query::new("list the records", 5)));
    }

    #[divan::bench(args = SIZES)]
    fn query(bencher: Bencher<'_, '_>, count: usize) {
        let (ranker, view) = (BuiltIn::new(&LexicalSettings::default()), view(count));
        let query = Query::new("find the customers who did not pay the last invoice", 5);
        ranker.rank_now(&view, &query);
        bencher.bench_local(|| ranker.rank_now(black_box(&view), &query));
    }
}

/// Computes the digests that `changes` needs; entries are computed at first use.
#[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
fn snapshot_changes_first(bencher: Bencher<'_, '_>, count: usize) {
    bencher
        .counter(ItemsCount::new(count))
        .with_inputs(|| (snapshot(count), snapshot(count)))
        .bench_local_refs(|(old, new)| old.changes(new));
}

mod page {
    use super::*;

    const STRATEGIES: [&str; 2] = ["full", "resource"];

    /// The first list for clients with equal traits.
    #[divan::bench(args = STRATEGIES, consts = SIZES, sample_count = 20, sample_size = 1)]
    fn first<const COUNT: usize>(bencher: Bencher<'_, '_>, strategy: &str) {
        let choice = choice(strategy);
        bencher
            .counter(ItemsCount::new(COUNT))
            .with_inputs(|| Catalogue::new(snapshot(COUNT)))
            .bench_local_refs(|catalogue| {
                catalogue.current().page(&Principal::anonymous(), &choice, &Memory::default())
            });
    }

    /// Any later list: look the page up, and write the response.
    #[divan::bench(args = STRATEGIES, consts = SIZES)]
    fn later<const COUNT: usize>(bencher: Bencher<'_, '_>, strategy: &str) {
        let (choice, catalogue) = (choice(strategy), Catalogue::new(snapshot(COUNT)));
        let principal = Principal::anonymous();
        bencher.bench_local(|| {
            let result = catalogue.current().page(&principal, &choice, &Memory::default()).list(Kind::Tools);
            Response::new(Id::number(1), Ok(result)).encode()
        });
    }
}

/// The manifest of a complete list (SEP-2636).
mod manifest {
    use super::*;

    fn page(count: usize) -> Arc<Page> {
        let catalogue = Catalogue::new(snapshot(count));
        catalogue.current().page(&Principal::anonymous(), &choice("full"), &Memory::default())
    }

    /// The first one of a snapshot: each definition is brought into its canonical form and digested.
    #[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
    fn first(bencher: Bencher<'_, '_>, count: usize) {
        let size = |page: &Arc<Page>| page.manifest().map(|prepared| prepared.result.as_bytes().len());
        bencher
            .counter(ItemsCount::new(count))
            .with_inputs(|| page(count))
            .bench_local_refs(|page| size(page));
    }

    /// Any later one, with the response.
    #[divan::bench(args = SIZES)]
    fn later(bencher: Bencher<'_, '_>, count: usize) {
        let page = page(count);
        page.manifest();
        bencher.bench_local(|| {
            let result = page.manifest().map(|prepared| prepared.result.clone())?;
            Some(Response::new(Id::number(1), Ok(result)).encode())
        });
    }

    /// Fifty definitions, with the response.
    #[divan::bench(args = SIZES)]
    fn describe_fifty(bencher: Bencher<'_, '_>, count: usize) {
        let page = page(count);
        let names = page.manifest().map(|prepared| prepared.manifest.entries());
        let names: Vec<String> =
            names.into_iter().flatten().take(50).map(|entry| entry.name().to_owned()).collect();
        bencher.bench_local(|| {
            let text = page.manifest()?.manifest.described(black_box(&names)).ok()?;
            Some(Response::new(Id::number(1), Ok(text.into())).encode())
        });
    }
}

mod receipts {
    use super::*;

    fn tool() -> (ToolName, Digest) {
        (ToolName::parse(CALLED).expect("it is not empty"), Digest::of("{}"))
    }

    fn handles(key: &ReceiptKey) -> Receipts<'_> {
        let (lifetime, now) = (Duration::from_secs(86_400), SystemTime::now());
        Receipts::Handles(Handles { key, principal: None, lifetime, now })
    }

    #[divan::bench]
    fn mark_check(bencher: Bencher<'_, '_>) {
        let ((tool, digest), marks) = (tool(), Marks::default());
        marks.mark(tool.clone(), digest);
        bencher.bench_local(|| Receipts::Marks(&marks).check(&tool, &digest, None));
    }

    #[divan::bench]
    fn handle_sign(bencher: Bencher<'_, '_>) {
        let ((tool, digest), key) = (tool(), ReceiptKey::new(&[7; 32]).expect("it is long enough"));
        bencher.bench_local(|| handles(&key).issue(&tool, &digest));
    }

    #[divan::bench]
    fn handle_check(bencher: Bencher<'_, '_>) {
        let ((tool, digest), key) = (tool(), ReceiptKey::new(&[7; 32]).expect("it is long enough"));
        let Receipt::Handle(handle) = handles(&key).issue(&tool, &digest) else { return };
        bencher.bench_local(|| handles(&key).check(&tool, &digest, Some(&handle)));
    }
}

mod info {
    use super::*;

    /// An answer without transport: the overview, a category, a tool, and what is unknown.
    #[divan::bench(args = ["overview", "bench", CALLED, "something else"], consts = SIZES)]
    fn ask<const COUNT: usize>(bencher: Bencher<'_, '_>, topic: &str) {
        let (choice, marks) = (choice("info"), Marks::default());
        let view = View::of(Arc::new(snapshot(COUNT)), &Principal::anonymous());
        let (receipts, effects) = (Receipts::Marks(&marks), Effects::default());
        let cx = Context {
            view: &view,
            client: &choice.traits,
            noted: Noted::new(&Memory::EMPTY, "info"),
            receipts,
            session: "bench",
            services: &Unlimited,
            effects: &effects,
        };
        let name = ToolName::parse("info").expect("it is not empty");
        let arguments = to_raw_value(&json!({"topic": topic})).ok().map(RawText::from);
        bencher.bench_local(|| {
            let call = ToolCall { name: name.clone(), arguments: arguments.clone() };
            choice.strategy.before_call(&cx, call).now_or_never().map(|decision| decision.is_ok())
        });
    }
}

mod message {
    use super::*;

    fn call() -> String {
        let params = json!({"name": CALLED, "arguments": catalogue::arguments()});
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string()
    }

    #[divan::bench]
    fn parse_call(bencher: Bencher<'_, '_>) {
        let text = call();
        bencher.bench_local(|| Message::parse(black_box(text.as_bytes()), DEPTH));
    }

    #[divan::bench]
    fn encode_call(bencher: Bencher<'_, '_>) {
        let message = Message::parse(call().as_bytes(), DEPTH).expect("it is a message");
        bencher.bench_local(|| message.encode());
    }

    #[divan::bench]
    fn parse_result(bencher: Bencher<'_, '_>) {
        let text = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}"#;
        bencher.bench_local(|| Message::parse(black_box(text.as_bytes()), DEPTH));
    }

    #[divan::bench]
    fn encode_result(bencher: Bencher<'_, '_>) {
        let result = Json::of(&json!({"content": [{"type": "text", "text": "done"}]}));
        let response = Response::new(Id::number(7), Ok(result));
        bencher.bench_local(|| response.encode());
    }
}

mod arguments {
    use super::*;

    fn view() -> View {
        View::of(Arc::new(snapshot(10)), &Principal::anonymous())
    }

    /// The first call of each tool.
    #[divan::bench]
    fn compile(bencher: Bencher<'_, '_>) {
        bencher.with_inputs(view).bench_local_refs(|view| {
            view.tool(CALLED).is_some_and(|tool| tool.tool().argument_check().memory() > 0)
        });
    }

    #[divan::bench]
    fn check(bencher: Bencher<'_, '_>) {
        let view = view();
        let tool = view.tool(CALLED).expect("it is one of ten").tool();
        let (check, given) = (tool.argument_check(), catalogue::arguments().to_string());
        bencher.bench_local(|| check.apply(black_box(&given)).is_ok());
    }
}
