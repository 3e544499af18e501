//! Calls of tools, and the other requests that upstreams answer.

mod apart;
mod call;
mod checks;
mod effects;
mod foreign;
mod left;
mod links;
mod listen;
mod passage;
mod read;
mod relay;
mod resolve;
mod rounds;
mod skills;
mod suggestions;
mod tasks;
mod unlisted;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use apart::Apart;
pub use apart::KeptMarks;
pub(super) use call::read_call;
use checks::Checks;
use mcp_disclosure_core::{Context, Handles, Noted, ReceiptKey, Receipts, SessionReceipts};
pub(super) use passage::LIMIT_REACHED;
use rounds::Rounds;
use tasks::Tasks;
pub(super) use unlisted::{looked_for, meant};

use super::{Answer, Common, RequestContext, Sessions};

/// Calls of tools, and the other requests that upstreams answer.
#[derive(Debug)]
pub(crate) struct Calls {
    common: Arc<Common>,
    sessions: Arc<Sessions>,
    /// The tasks of clients.
    pub(super) tasks: Tasks,
    pub(super) rounds: Rounds,
    /// The key that signs receipt handles.
    receipt_key: ReceiptKey,
    /// How long a handle is valid.
    receipt_lifetime: Duration,
    apart: Apart,
    checks: Checks,
}

impl Calls {
    pub(super) fn new(
        common: Arc<Common>,
        sessions: Arc<Sessions>,
        receipt_key: ReceiptKey,
        receipt_lifetime: Duration,
        kept_marks: Option<Arc<dyn KeptMarks>>,
    ) -> Self {
        let checks = Checks::new(common.limits.compiled_schemas_bytes);
        let apart = Apart::new(kept_marks);
        let (tasks, rounds) = (Tasks::default(), Rounds::default());
        Self { common, sessions, tasks, rounds, receipt_key, receipt_lifetime, apart, checks }
    }

    /// The context that strategies receive with this request.
    fn context<'a>(&'a self, cx: &'a RequestContext<'_>) -> Context<'a> {
        let handles = || Handles {
            key: &self.receipt_key,
            principal: cx.principal.id(),
            lifetime: self.receipt_lifetime,
            now: SystemTime::now(),
        };
        let receipts = match (&cx.session, cx.choice.strategy.profile().receipts) {
            (None, _) | (_, SessionReceipts::Signed) => Receipts::Handles(handles()),
            (Some(session), SessionReceipts::Session) => Receipts::Marks(&session.marks),
            (Some(session), SessionReceipts::Auto) => {
                let signs = self.apart.is_known(cx);
                Receipts::Both { marks: &session.marks, handles: handles(), signs }
            }
        };
        Context {
            view: &cx.page.view,
            client: &cx.choice.traits,
            noted: Noted::new(&cx.memory, &cx.choice.strategy.profile().name),
            receipts,
            session: &cx.label,
            services: cx,
            effects: &cx.made.effects,
        }
    }
}
