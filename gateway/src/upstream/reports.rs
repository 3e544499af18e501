//! What reaches a client about its request before the result, and about its task afterwards.

use std::sync::{Arc, Weak};

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{LoggingLevel, Notification};
use parking_lot::Mutex;

use super::ClientTask;
use crate::session::{Outlet, ReplyRoute};

/// Relays progress, under the client's own token, and log messages of one request, in order.
#[derive(Debug)]
pub struct Reports {
    to: Mutex<To>,
    /// Whether it may be answered with a task, of which progress follows.
    pub(crate) is_of_task: bool,
}

#[derive(Clone, Debug)]
struct To {
    token: Option<String>,
    outlet: Outlet,
    least: Option<LoggingLevel>,
    /// The task whose client takes what follows the answer, on its general stream.
    afterwards: Option<Weak<ClientTask>>,
}

impl To {
    fn of(route: ReplyRoute, params: &RawObject) -> Self {
        let token = params.meta().and_then(|meta| Some(meta.member("progressToken")?.to_owned()));
        Self { token, outlet: route.outlet, least: route.log_level, afterwards: None }
    }
}

impl Reports {
    /// On a request with these parameters, to this route; `None` if it asked for neither progress nor log messages.
    pub(crate) fn of(route: ReplyRoute, params: &RawObject) -> Option<Arc<Self>> {
        let to = To::of(route, params);
        (to.token.is_some() || to.least.is_some()).then(|| Self::new(to, false))
    }

    /// On a call that may become a task.
    pub(crate) fn of_task(route: ReplyRoute, params: &RawObject) -> Arc<Self> {
        Self::new(To::of(route, params), true)
    }

    fn new(to: To, is_of_task: bool) -> Arc<Self> {
        Arc::new(Self { to: Mutex::new(to), is_of_task })
    }

    /// The call was answered with this task, whose progress takes the general stream of its client.
    pub(crate) fn continue_with(&self, task: &Arc<ClientTask>) {
        self.to.lock().afterwards = Some(Arc::downgrade(task));
    }

    /// Redirects to the client's follow-up request.
    pub(crate) fn redirect(&self, route: ReplyRoute, params: &RawObject) {
        *self.to.lock() = To::of(route, params);
    }

    fn to(&self) -> To {
        self.to.lock().clone()
    }

    /// A progress notification: its parameters, under the upstream's token.
    pub(super) fn progress(&self, params: &RawObject) {
        let to = self.to();
        if let Some(token) = &to.token {
            let params = params.with("progressToken", token);
            let progress = Notification::new("notifications/progress", params);
            match to.afterwards {
                Some(task) => {
                    let client = task.upgrade().and_then(|task| task.client());
                    client.iter().for_each(|client| client.outbox().notify(&progress));
                }
                None => drop(to.outlet.notify(&progress)),
            }
        }
    }

    /// A log message that belongs to the request.
    pub(super) fn log(&self, level: LoggingLevel, message: &Notification) {
        let to = self.to();
        if to.least.is_some_and(|least| level >= least) {
            to.outlet.notify(message);
        }
    }

    /// Whether to request progress.
    pub(super) fn wants_progress(&self) -> bool {
        self.to.lock().token.is_some()
    }
}
