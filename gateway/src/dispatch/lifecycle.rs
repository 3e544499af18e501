//! Lifecycle events of clients: strategies receive them, and what they record is kept in the session.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use mcp_disclosure_core::{
    Context, Effect, Effects, Lifecycle, Marks, Memory, Noted, Notes, Principal, RawObject, Receipts,
};
use mcp_disclosure_transport::{ErrorText, Notification, code, printable::Short};

use super::{Caller, Gateway, fetches::Fetcher, requests::panicked};
use crate::{
    dialect::Offer,
    negotiation::Choice,
    session::{
        Address, Session,
        store::{Delta, MessageKind},
    },
};

impl Gateway {
    /// The memory of a client without session, for one request.
    ///
    /// # Errors
    /// -32600 if the strategy rejects the address; its error if it rejects the client's settings.
    pub(super) async fn opened(
        &self,
        caller: &Caller,
        address: &Address,
        offer: &Offer,
    ) -> Result<Memory, ErrorText> {
        let arrived = Lifecycle::Arrived(&address.parameters);
        let mut noted = self.notes_of(caller, &arrived);
        if noted.is_err() && !caller.backend.is_settled() {
            // An upstream that is starting may declare what the address names.
            Box::pin(caller.backend.settled()).await;
            noted = self.notes_of(caller, &arrived);
        }
        let mut noted = noted.map_err(of_address)?;
        if !offer.settings.is_empty() {
            noted.extend(self.notes_of(caller, &Lifecycle::Opened(&offer.settings))?);
        }
        let noted = noted.into_iter();
        Ok(noted.fold(Memory::default(), |memory, (strategy, changes)| memory.with(&strategy, changes)))
    }

    /// What the strategy records of a lifecycle event of a client without session.
    fn notes_of(&self, caller: &Caller, event: &Lifecycle<'_>) -> Result<Vec<(String, Notes)>, ErrorText> {
        let view = caller.backend.catalogue().current().view(&caller.principal, &caller.choice);
        let (fetches, effects) =
            (self.fetches.of(&caller.fetcher, caller.peer.name(), &caller.allowances), Effects::default());
        // Nothing is delivered here, and handles would cost each request a nonce more.
        let marks = Marks::default();
        let cx = Context {
            view: &view,
            client: &caller.choice.traits,
            noted: Noted::new(&caller.memory, &caller.choice.strategy.profile().name),
            receipts: Receipts::Marks(&marks),
            session: &caller.label,
            services: &fetches,
            effects: &effects,
        };
        lifecycle(&caller.choice, &cx, event)?;
        Ok(notes(effects))
    }

    /// Passes the address at which a session is opened to its strategy, before anything that the client says itself.
    ///
    /// # Errors
    /// -32600 if the strategy rejects the address.
    pub(super) async fn arrive(
        &self,
        session: &Session,
        parameters: &[(String, String)],
    ) -> Result<(), ErrorText> {
        let arrived = Lifecycle::Arrived(parameters);
        let mut outcome = self.notify_strategy(session, &arrived);
        if outcome.is_err() && !session.backend().is_settled() {
            session.backend().settled().await;
            outcome = self.notify_strategy(session, &arrived);
        }
        outcome.map_err(of_address)
    }

    /// Passes a lifecycle event of a session to its strategy and keeps what the strategy records.
    ///
    /// # Errors
    /// The strategy's error; nothing is recorded then.
    pub(super) fn notify_strategy(&self, session: &Session, event: &Lifecycle<'_>) -> Result<(), ErrorText> {
        let delta = self.noted_in(session, event)?;
        // It is being opened: no other replica knows it yet.
        drop(session.apply(delta));
        Ok(())
    }

    /// What the strategy records of a lifecycle event of a session.
    fn noted_in(&self, session: &Session, event: &Lifecycle<'_>) -> Result<Delta, ErrorText> {
        let backend = Arc::clone(session.backend());
        let choice = session.choice();
        let view = backend.catalogue().current().view(&session.principal(), &choice);
        let fetcher = Fetcher::Session(Arc::clone(session.id()));
        let fetches = self.fetches.of(&fetcher, session.peer().name(), &[]);
        let (effects, label) = (Effects::default(), Short(session.id()).to_string());
        let memory = session.memory();
        let cx = Context {
            view: &view,
            client: &choice.traits,
            noted: Noted::new(&memory, &choice.strategy.profile().name),
            receipts: Receipts::Marks(&session.marks),
            session: &label,
            services: &fetches,
            effects: &effects,
        };
        lifecycle(&choice, &cx, event)?;
        let mut delta = Delta::default();
        for effect in effects.into_vec() {
            match effect {
                Effect::Remember { strategy, changes } => delta.notes.push((strategy, changes)),
                Effect::Native => delta.native |= self.strategies.withdraws_bridges(),
                other => not_allowed(&other),
            }
        }
        Ok(delta)
    }

    /// Handles a notification in a session. Its effect is visible to every message sent after it.
    ///
    /// # Errors
    /// -32006 if what it says could not be kept, since the session's store cannot be used.
    pub async fn handle_notification(
        self: &Arc<Self>,
        session: &Arc<Session>,
        notification: &Notification,
    ) -> Result<(), ErrorText> {
        let most = self.limits().client_info_bytes;
        match &*notification.method {
            "notifications/initialized" if notification.params.text().len() > most => {
                let session = Short(session.id());
                tracing::warn!(%session, "parameters of notifications/initialized exceed limits.client_info_bytes = {most}; ignored");
            }
            "notifications/initialized" => {
                match self.noted_in(session, &Lifecycle::Initialized(&notification.params)) {
                    Ok(delta) => drop(self.record(session, delta).await?),
                    Err(error) => {
                        tracing::warn!(session = %Short(session.id()), error = error.message(), "strategy rejected notifications/initialized");
                    }
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
    pub(super) fn roots_changed(&self, session: &Session) {
        let backend = Arc::clone(session.backend());
        if backend.client().is_some() {
            backend.roots_changed();
        }
    }

    /// Changes a caller's session, and notifies the client of lists that changed as a result, even if it cancels the request.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used.
    pub(super) async fn remember(
        self: &Arc<Self>,
        caller: &Caller,
        session: &Arc<Session>,
        delta: Delta,
    ) -> Result<(), ErrorText> {
        let is_noted = !delta.notes.is_empty();
        let (gateway, session) = (Arc::clone(self), Arc::clone(session));
        let (principal, choice) = (caller.principal.clone(), caller.choice.clone());
        self.finishing(async move {
            let (before, after) = gateway.write(&session, delta).await?;
            if is_noted {
                gateway.notify_differences(&session, &principal, &choice, &before, &after);
            }
            Ok(())
        })
        .await
    }

    /// Notifies a session's client of lists that differ from those of this choice and memory.
    pub(super) fn notify_differences(
        &self,
        session: &Session,
        principal: &Principal,
        chosen: &Choice,
        before: &Memory,
        after: &Memory,
    ) {
        let choice = session.choice();
        if before == after && choice.traits == chosen.traits {
            return;
        }
        let current = session.backend().catalogue().current();
        let page = |choice: &Choice, memory| current.page(principal, choice, memory);
        // What it chose by may have changed what it is listed to choose by.
        session.notify_changed(&page(chosen, before).changes(&page(&choice, after)));
        let announced = |choice: &Choice, memory| current.announced(principal, choice, memory);
        let extension = choice.strategy.profile().extension;
        let is_new = announced(chosen, before) != announced(&choice, after);
        if let Some(extension) = extension.filter(|_| is_new) {
            session.client.outbox().notify(&Notification::new(extension.changed, RawObject::empty()));
        }
    }
}

/// The error for an address that the strategy rejects. It is no parameter of the request.
fn of_address(error: ErrorText) -> ErrorText {
    if error.code() == code::INVALID_PARAMS { error.recoded(code::INVALID_REQUEST) } else { error }
}

/// Calls the strategy. A panic becomes an error.
fn lifecycle(choice: &Choice, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), ErrorText> {
    let outcome = catch_unwind(AssertUnwindSafe(|| choice.strategy.lifecycle(cx, event)));
    Ok(outcome.map_err(|_| panicked("lifecycle"))??)
}

/// The notes among the effects, by strategy. The rest is about sessions.
fn notes(effects: Effects) -> Vec<(String, Notes)> {
    let noted = effects.into_vec().into_iter().filter_map(|effect| match effect {
        Effect::Remember { strategy, changes } => Some((strategy, changes)),
        Effect::Native => None,
        other => {
            not_allowed(&other);
            None
        }
    });
    noted.collect()
}

fn not_allowed(effect: &Effect) {
    tracing::error!(?effect, "effect not allowed in a lifecycle event");
}
