//! What reaches a client about its request before the result, and about its task afterwards.

use std::sync::{Arc, Weak};

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{LoggingLevel, Notification};
use parking_lot::Mutex;

use super::ClientTask;
use crate::session::ReplyRoute;

/// Relays progress, under the client's own token, and log messages of one request, in order. What its upstream asks meanwhile can
/// take the same route.
#[derive(Debug)]
pub struct Reports {
    to: Mutex<To>,
    /// Whether it may be answered with a task, of which progress follows.
    pub(crate) is_of_task: bool,
    /// Whether the upstream may ask something because of it.
    takes_questions: bool,
}

#[derive(Clone, Debug)]
struct To {
    token: Option<String>,
    route: ReplyRoute,
    /// The task whose client takes what follows the answer, on its general stream.
    afterwards: Option<Weak<ClientTask>>,
}

impl To {
    fn of(route: ReplyRoute, params: &RawObject) -> Self {
        let token = params.meta().and_then(|meta| Some(meta.member("progressToken")?.to_owned()));
        Self { token, route, afterwards: None }
    }
}

impl Reports {
    /// On a request with these parameters, to this route. What an upstream asks about a task takes the route of the request that
    /// waits for the result, and of no other about the task.
    pub(crate) fn of(method: &str, route: ReplyRoute, params: &RawObject, is_of_task: bool) -> Arc<Self> {
        let takes_questions = method == "tasks/result" || !method.starts_with("tasks/");
        Arc::new(Self { to: Mutex::new(To::of(route, params)), is_of_task, takes_questions })
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

    /// Where the client can be asked something now.
    pub(super) fn route(&self) -> Option<ReplyRoute> {
        self.takes_questions.then(|| self.to().route)
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
                None => drop(to.route.outlet.notify(&progress)),
            }
        }
    }

    /// A log message that belongs to the request.
    pub(super) fn log(&self, level: LoggingLevel, message: &Notification) {
        let ReplyRoute { outlet, log_level, .. } = self.to().route;
        if log_level.is_some_and(|least| level >= least) {
            outlet.notify(message);
        }
    }

    /// Whether to request progress.
    pub(super) fn wants_progress(&self) -> bool {
        self.to.lock().token.is_some()
    }
}
