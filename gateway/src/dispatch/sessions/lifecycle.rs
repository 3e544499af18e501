//! What clients say of themselves beside their requests: strategies hear it, and what they record is kept in the session.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use mcp_disclosure_core::{
    Context, Digest, Effects, Lifecycle, Marks, Noted, RawObject, Receipts, ToolName, Unlimited,
};
use mcp_disclosure_transport::{ErrorText, Id, Json, LoggingLevel, Notification, code, printable::Short};

use super::{ServedSession, Sessions};
use crate::{
    dispatch::{Answer, Caller, RequestContext, common::panicked},
    session::{
        Outlet,
        store::{Delta, MessageKind, Recorded},
    },
};

impl Caller {
    /// What strategies record of a client that comes in: of its address, and then of the settings that it offers. It is in
    /// the caller's memory from now on.
    ///
    /// # Errors
    /// -32600 if the strategy rejects the address; its error if it rejects the settings.
    pub(crate) async fn comes_in(
        &mut self,
        parameters: &[(String, String)],
        settings: &RawObject,
    ) -> Result<Delta, ErrorText> {
        let mut delta = self.arrives(parameters).await?;
        self.memory = delta.noted_in(&self.memory);
        if !settings.is_empty() {
            let opened = self.notes(&Lifecycle::Opened(settings))?;
            self.memory = opened.noted_in(&self.memory);
            delta.notes.extend(opened.notes);
            delta.native |= opened.native;
        }
        Ok(delta)
    }

    /// Passes the address at which the client came in to its strategy, before anything that it says itself.
    ///
    /// # Errors
    /// -32600 if the strategy rejects the address.
    async fn arrives(&self, parameters: &[(String, String)]) -> Result<Delta, ErrorText> {
        let arrived = Lifecycle::Arrived(parameters);
        let mut noted = self.notes(&arrived);
        if noted.is_err() && !self.backend.is_settled() {
            // An upstream that is starting may declare what the address names.
            Box::pin(self.backend.settled()).await;
            noted = self.notes(&arrived);
        }
        // The address is no parameter of the request.
        noted.map_err(|error| match error.code() {
            code::INVALID_PARAMS => error.recoded(code::INVALID_REQUEST),
            _ => error,
        })
    }

    /// What the strategy records of a lifecycle event.
    ///
    /// # Errors
    /// The strategy's error.
    fn notes(&self, event: &Lifecycle<'_>) -> Result<Delta, ErrorText> {
        let view = self.view();
        // Nothing is delivered here.
        let (none, effects) = (Marks::default(), Effects::default());
        let cx = Context {
            view: &view,
            client: &self.choice.traits,
            noted: Noted::new(&self.memory, &self.choice.strategy.profile().name),
            receipts: Receipts::Marks(self.session.as_ref().map_or(&none, |session| &session.marks)),
            session: &self.label,
            services: &Unlimited,
            effects: &effects,
        };
        let called = catch_unwind(AssertUnwindSafe(|| self.choice.strategy.lifecycle(&cx, event)));
        called.map_err(|_| panicked("lifecycle"))??;
        let mut delta = Delta::default();
        delta.extend(effects.take());
        Ok(delta)
    }
}

impl Sessions {
    /// The client of a session that is being opened, and of what it says beside its requests.
    pub(super) fn client_of(&self, session: &Arc<ServedSession>) -> Caller {
        let (outlet, _) = Outlet::new(&session.peer, &self.common.limits);
        Caller::of_session(session, session.principal(), Vec::new(), outlet)
    }

    /// A change of which the operator may not want a part.
    pub(super) fn allowed(&self, delta: Delta) -> Delta {
        Delta { native: delta.native && self.common.strategies.withdraws_bridges(), ..delta }
    }

    /// Handles a notification in a session. Its effect is visible to every message sent after it.
    ///
    /// # Errors
    /// -32006 if what it says could not be kept, since the session's store cannot be used.
    pub(crate) async fn handle_notification(
        self: &Arc<Self>,
        session: &Arc<ServedSession>,
        notification: &Notification,
    ) -> Result<(), ErrorText> {
        let most = self.common.limits.client_info_bytes;
        match &*notification.method {
            "notifications/initialized" if notification.params.text().len() > most => {
                let session = Short(session.id());
                tracing::warn!(%session, "parameters of notifications/initialized have more than {most} bytes; ignored");
            }
            "notifications/initialized" => {
                let initialized = Lifecycle::Initialized(&notification.params);
                match self.client_of(session).notes(&initialized) {
                    Ok(delta) => self.record(session, self.allowed(delta)).await?,
                    Err(error) => {
                        tracing::warn!(session = %Short(session.id()), error = error.message(), "strategy rejected notifications/initialized");
                    }
                }
            }
            "notifications/cancelled" => {
                let id = notification.params.member("requestId").and_then(Id::parse);
                if let Some(id) = id.filter(|id| !session.in_flight.cancel(id)) {
                    // It may be in progress at another replica.
                    self.mention(session, MessageKind::Cancelled(id.as_str().to_owned())).await;
                }
            }
            "notifications/roots/list_changed" => {
                self.roots_changed(session);
                self.mention(session, MessageKind::Roots).await;
            }
            _ => {}
        }
        Ok(())
    }

    /// Forwards `notifications/roots/list_changed` to upstreams that may request this client's roots.
    pub(super) fn roots_changed(&self, session: &ServedSession) {
        if session.backend().client().is_some() {
            session.backend().roots_changed();
        }
    }

    /// `logging/setLevel`.
    pub(crate) async fn set_level(self: &Arc<Self>, cx: &RequestContext<'_>) -> Answer {
        let level = cx.params.string("level").and_then(|level| level.parse::<LoggingLevel>().ok());
        let level =
            level.ok_or_else(|| ErrorText::invalid_params("params.level must be a log level of RFC 5424"))?;
        if let Some(session) = &cx.session {
            self.record(session, Delta { log_level: Some(level), ..Delta::default() }).await?;
        }
        cx.backend.relay_log_level();
        Ok(Json::empty_object())
    }

    /// Records definitions that a list delivers to a session, before it is sent.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used: the list depends on it, and is not sent.
    pub(crate) async fn delivered(
        self: &Arc<Self>,
        caller: &Caller,
        marks: Vec<(ToolName, Digest)>,
    ) -> Result<(), ErrorText> {
        let Some(session) = &caller.session else { return Ok(()) };
        self.record(session, Delta { marks, ..Delta::default() }).await
    }

    /// Changes a session, and notifies its client of lists that changed as a result, even if it cancels the request.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used.
    pub(crate) async fn remember(
        self: &Arc<Self>,
        session: &Arc<ServedSession>,
        delta: Delta,
    ) -> Result<(), ErrorText> {
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        let changing = async move {
            let before = sessions.write(&session, sessions.allowed(delta)).await?;
            notify_differences(&session, &before);
            Ok(())
        };
        self.finishing(changing).await
    }
}

/// Notifies a session's client of lists that differ from those it had when this was recorded of it. They are the session's, whatever
/// variant a request named.
pub(super) fn notify_differences(session: &ServedSession, before: &Recorded) {
    let (before, now) = (session.viewer_with(before), session.viewer());
    if before.memory == now.memory && before.choice.traits == now.choice.traits {
        return;
    }
    let current = session.backend().catalogue().current();
    // What it chose by may have changed what it is listed to choose by.
    let (before, page) = (before.page(&current), now.page(&current));
    session.notify_changed(&before.changes(&page));
    now.announces(&before, &page).iter().for_each(|news| session.client.outbox().notify(news));
}
