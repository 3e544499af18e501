//! Requests and notifications from an upstream, routed to the client or backend they are for.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures::future::BoxFuture;
use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{
    Budget, ErrorText, Handler, Json, LoggingLevel, Notification, Request, RequestId, Settled, Share,
};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};

use super::{
    Configured, addresses,
    tasks::{TaskNames, named, related},
    under_way::UnderWay,
};
use crate::{limits::Limits, session::Client};

/// The handler of a connection to an upstream.
#[derive(Debug)]
pub(super) struct UpstreamHandler {
    pub(super) configured: Arc<Configured>,
    pub(super) signals: Arc<Signals>,
    /// The client, if the connection is dedicated to one.
    pub(super) client: Option<Arc<Client>>,
    pub(super) work: Arc<Mutex<UnderWay>>,
    pub(super) tasks: Arc<TaskNames>,
    /// Budget for resource updates not yet delivered.
    pub(super) updates: Budget,
    pub(super) limits: Limits,
    /// Whether a request to open a URL was refused: one line of the log says so.
    pub(super) has_refused: AtomicBool,
    /// How many signs of life there were: answers, and progress.
    pub(super) signs: watch::Sender<u64>,
}

impl UpstreamHandler {
    /// It gave a sign of life, for which hardly any request waits.
    fn lives(&self) {
        self.signs.send_if_modified(|signs| {
            *signs += 1;
            self.signs.receiver_count() > 0
        });
    }

    /// Whether its client has not answered a request of the upstream's.
    pub(super) fn is_asking(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.has_open_requests())
    }

    fn handle_update(&self, params: RawObject) {
        match self.updates.take_one(params.text().len()) {
            Some(share) => {
                self.signals.send(Event::ResourceUpdated(self.configured.number, params, share));
            }
            None => tracing::debug!(upstream = self.name(), "resource update dropped: queue is full"),
        }
    }

    /// Forwards a log message to the client it is about. It is dropped if that is uncertain, since it may
    /// contain another client's data.
    fn handle_log(&self, message: &Notification, about: Option<RequestId>) {
        let level = message.params.string("level").and_then(|level| level.parse().ok());
        let level = level.unwrap_or(LoggingLevel::Info);
        let reports = self.work.lock().reports_about(about, self.client.is_some());
        match (reports, &self.client) {
            (Some(reports), _) => reports.log(level, message),
            // What belongs to a request of the gateway takes the general stream.
            (None, Some(client)) => {
                let route = about.is_none().then(|| self.work.lock().route()).flatten();
                client.log(route, level, message);
            }
            (None, None) => {
                tracing::debug!(upstream = self.name(), "log message dropped: not attributable to a client");
            }
        }
    }
}

impl Handler for UpstreamHandler {
    fn name(&self) -> String {
        self.configured.called()
    }

    fn handle_request(&self, request: &Request) -> Option<BoxFuture<'static, Result<Json, ErrorText>>> {
        let client = self.client.clone().filter(|client| client.supports(&request.method))?;
        if let Some(scheme) = addresses::refused_in(&request.params) {
            let method = &*request.method;
            if !self.has_refused.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    upstream = self.name(),
                    method,
                    scheme,
                    "its requests to open such URLs are refused"
                );
            }
            return Some(Box::pin(std::future::ready(Err(addresses::refusal(&scheme)))));
        }
        let (name, limits) = (self.name(), self.limits);
        let (method, params) = (request.method.clone(), request.params.clone());
        let (tasks, work) = (Arc::clone(&self.tasks), Arc::clone(&self.work));
        Some(Box::pin(async move {
            tasks.known(&params).await;
            let route = || work.lock().route();
            let renamed = tasks.renamed(&params);
            let answer = client.request(&name, &limits, &method, renamed, route).await?;
            let Some(own) = related(&params) else { return Ok(answer) };
            let object = RawObject::of(&answer);
            Ok(object.map_or(answer, |answer| named(&answer, Some(&own)).into()))
        }))
    }

    fn handle_notification(&self, notification: Notification, about: Option<RequestId>) {
        match &*notification.method {
            "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/groups/list_changed" => self.signals.lists.notify_one(),
            "notifications/resources/updated" => self.handle_update(notification.params),
            "notifications/message" => {
                let params = self.tasks.renamed(&notification.params);
                self.handle_log(&Notification { params, ..notification }, about);
            }
            "notifications/tasks/status" => {
                if let Some(task) = self.tasks.observe(&notification.params)
                    && let Some(client) = task.client()
                {
                    let params = notification.params.with_value("taskId", &*task.id);
                    client.outbox().notify(&Notification { params, ..notification });
                }
            }
            "notifications/elicitation/complete" => {
                if let Some(client) = &self.client {
                    let route = self.work.lock().route();
                    client.notify(route, &notification);
                }
            }
            "notifications/subscriptions/acknowledged" => {}
            method => tracing::debug!(upstream = self.name(), method, "unknown notification dropped"),
        }
    }

    fn handle_progress(&self, request: RequestId, params: &RawObject) {
        self.lives();
        let reports = self.work.lock().reports_about(Some(request), true);
        if let Some(reports) = reports {
            reports.progress(&self.tasks.renamed(params));
        }
    }

    fn lists_may_have_changed(&self) {
        self.signals.lists.notify_one();
    }

    fn settled(&self, request: RequestId, how: Settled) {
        if matches!(how, Settled::Answered | Settled::Late) {
            self.lives();
        }
        self.work.lock().settle(request, how);
    }

    fn extends_timeouts(&self) -> bool {
        self.is_asking()
    }
}

/// What a backend learns of an upstream of its own.
#[derive(Debug)]
pub enum Event {
    /// The status of its slot changed.
    Changed,
    /// A subscribed resource changed: the upstream's number, the notification's parameters, and the queue space they take.
    ResourceUpdated(usize, RawObject, Share),
}

/// Signals of an upstream's connections: events for the backend whose own it is, and changed lists for its slot.
#[derive(Debug)]
pub struct Signals {
    /// Where events are sent to.
    pub events: mpsc::UnboundedSender<Event>,
    /// That lists of the upstream may have changed; while nothing waits, several times are one.
    pub lists: Notify,
}

impl Signals {
    /// Sends an event to the backend, if it is still there.
    pub fn send(&self, event: Event) {
        let _backend_is_gone = self.events.send(event);
    }
}
