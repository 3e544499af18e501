//! Replacing declarations while backends serve.

use mcp_disclosure_core::Kind;
use tokio::sync::{mpsc, oneshot, watch};

use crate::{catalogue::Declared, upstream::Upstreams};

/// A set of declarations to put in force as a whole.
#[derive(Debug)]
pub struct Declaration {
    pub(super) declared: Declared,
    /// Takes the kinds whose lists changed, if the declaration is to be answered.
    pub(super) reply: Option<oneshot::Sender<Vec<Kind>>>,
}

/// Where a backend's new declarations come from.
#[derive(Debug)]
pub(super) enum Declarations {
    /// Requests; what they declare is passed on to the other backends.
    Asked { asked: mpsc::Receiver<Declaration>, in_force: watch::Sender<Declared> },
    /// The first backend.
    PassedOn(watch::Receiver<Declared>),
}

impl Declarations {
    /// Waits for new declarations, indefinitely if there is no source.
    pub(super) async fn next(&mut self) -> Declaration {
        let new = match self {
            Self::Asked { asked, in_force } => asked.recv().await.map(|Declaration { declared, reply }| {
                let declared = Declared { upstreams: upstreams(&declared, &in_force.borrow()), ..declared };
                Declaration { declared, reply }
            }),
            Self::PassedOn(in_force) => match in_force.changed().await {
                Ok(()) => Some(Declaration { declared: in_force.borrow_and_update().clone(), reply: None }),
                Err(_) => None,
            },
        };
        match new {
            Some(new) => new,
            None => std::future::pending().await,
        }
    }

    /// Passes declarations that are in force on to the other backends.
    pub(super) fn pass_on(&self, declared: Declared) {
        if let Self::Asked { in_force, .. } = self {
            in_force.send_replace(declared);
        }
    }
}

/// The declared upstreams, where unchanged ones keep their identity.
fn upstreams(declared: &Declared, before: &Declared) -> Option<Upstreams> {
    let before = before.upstreams.clone().unwrap_or_default();
    Some(declared.upstreams.as_ref().map_or_else(|| before.clone(), |declared| declared.keeping(&before)))
}
