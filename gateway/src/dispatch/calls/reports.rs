//! What reaches a client about its request before the result, and about its task afterwards.

use std::sync::Arc;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{LoggingLevel, Notification};
use parking_lot::Mutex;

use crate::{
    dialect::RequestMeta,
    dispatch::Caller,
    session::{Client, Outlet},
    upstream::Reports,
};

/// Relays progress, under the client's own token, and log messages of one request.
#[derive(Debug)]
pub(super) struct Relay {
    to: Mutex<To>,
    asks_for_log: bool,
    is_of_task: bool,
}

#[derive(Clone, Debug)]
struct To {
    token: Option<String>,
    outlet: Outlet,
    least: Option<LoggingLevel>,
    /// The client whose general stream takes what follows the answer.
    afterwards: Option<Arc<Client>>,
}

impl To {
    fn of(caller: &Caller, params: &RawObject) -> Self {
        let token = params.object("_meta").and_then(|meta| Some(meta.member("progressToken")?.to_owned()));
        Self { token, outlet: caller.outlet.clone(), least: caller.log_level, afterwards: None }
    }
}

impl Relay {
    /// A relay for a request with these parameters; `None` if it asked for neither progress nor log messages.
    pub(super) fn of(caller: &Caller, params: &RawObject) -> Option<Arc<Self>> {
        let to = To::of(caller, params);
        if to.token.is_none() && to.least.is_none() {
            return None;
        }
        let asks_for_log = RequestMeta::asks_for_log(params);
        Some(Arc::new(Self { to: Mutex::new(to), asks_for_log, is_of_task: false }))
    }

    /// A relay for a call that is to become a task.
    pub(super) fn of_task(caller: &Caller, params: &RawObject) -> Arc<Self> {
        let asks_for_log = RequestMeta::asks_for_log(params);
        Arc::new(Self { to: Mutex::new(To::of(caller, params)), asks_for_log, is_of_task: true })
    }

    /// The call was answered with a task, whose progress takes the general stream of its client.
    pub(super) fn continue_at(&self, client: &Arc<Client>) {
        self.to.lock().afterwards = Some(Arc::clone(client));
    }

    /// Redirects to the client's follow-up request.
    pub(super) fn redirect(&self, caller: &Caller, params: &RawObject) {
        *self.to.lock() = To::of(caller, params);
    }

    fn to(&self) -> To {
        self.to.lock().clone()
    }
}

impl Reports for Relay {
    fn progress(&self, params: &RawObject) {
        let to = self.to();
        if let Some(token) = &to.token {
            let params = params.with("progressToken", token);
            let progress = Notification::new("notifications/progress", params);
            match to.afterwards {
                Some(client) => client.outbox().notify(&progress),
                None => drop(to.outlet.notify(&progress)),
            }
        }
    }

    fn log(&self, level: LoggingLevel, message: &Notification) {
        let to = self.to();
        if to.least.is_some_and(|least| level >= least) {
            to.outlet.notify(message);
        }
    }

    fn wants_progress(&self) -> bool {
        self.to().token.is_some()
    }

    fn wants_log(&self) -> bool {
        self.asks_for_log
    }

    fn outlasts_answer(&self) -> bool {
        self.is_of_task
    }
}
