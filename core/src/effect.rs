//! Effects: what the server does on behalf of a strategy.

use std::{
    mem,
    sync::{Mutex, PoisonError},
};

use crate::{digest::Digest, memory::Notes, name::ToolName};

/// An action of the server on behalf of a strategy, before it sends the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The definition of this digest was delivered: mark it in the session.
    Delivered {
        /// The tool's name in the snapshot.
        tool: ToolName,
        /// The delivered definition.
        digest: Digest,
    },
    /// A tool was called in a session in which nothing was delivered, and refused for that.
    CalledUnread {
        /// The tool's name in the snapshot.
        tool: ToolName,
    },
    /// Change a strategy's notes on the client, name by name; `null` removes a note. If the client's lists change, the
    /// server notifies it.
    Remember {
        /// The strategy, by the name in its profile.
        strategy: String,
        /// The changes.
        changes: Notes,
    },
    /// The client uses a filter's own methods or members: filters list no tools for it from now on.
    Native,
    /// Count what the request did, for the operator's metrics.
    Noted(Note),
    /// Count that the request was refused by this code.
    Refused(&'static str),
}

/// What a request did, for the operator's metrics. It is counted once for each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It delivered descriptions.
    Delivered,
    /// It was served without a model that the operator chose: a search without its embeddings.
    FellBack,
    /// It searched, and found nothing or only weak hits.
    Missed,
}

/// The effects of one request, in order.
#[derive(Debug, Default)]
pub struct Effects(Mutex<Vec<Effect>>);

impl Effects {
    pub(crate) fn push(&self, effect: Effect) {
        // A panic while the lock was held cannot have left the list inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(effect);
    }

    /// Takes the effects, to be carried out.
    pub fn take(&self) -> Vec<Effect> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
