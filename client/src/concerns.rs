//! The user's choices of concerns, at the start and later (concern-based-filtering, options A to D).
//!
//! `initialize` has all of them, for servers that filter from the first request; `initialized` has those that the
//! server declares, for servers that read them there. Later changes are sent at once in the session era, and with every
//! request in the stateless era.

use mcp_disclosure_core::{Era, RawObject};

use crate::{
    Concerns, Error, Host,
    host::{Inner, object_of},
};

/// The result of changed choices of concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcernUpdate {
    /// The choices in force. In the stateless era, where servers do not return them, the choices that were sent.
    pub effective: RawObject,
    /// The server's warnings about choices that were ignored or replaced.
    pub warnings: Vec<String>,
    /// The tools that are listed with these choices.
    pub tools: Vec<RawObject>,
}

impl Host {
    /// The user's choices of concerns, as sent last.
    pub fn concerns(&self) -> Concerns {
        self.0.state.lock().concerns.clone()
    }

    /// Changes choices of concerns, name by name, and lists the tools again.
    ///
    /// In the session era the choices are sent at once (concern-based-filtering "updateConcerns"); in the stateless
    /// era, with every request from now on.
    ///
    /// # Errors
    /// Why the server refused them; the previous choices then stay in force.
    pub async fn update_concerns(&self, changes: &Concerns) -> Result<ConcernUpdate, Error> {
        let before = self.concerns();
        let mut chosen = before.clone();
        chosen.extend(changes.clone());
        let updated = match self.0.server.era {
            Era::Session => {
                let params = RawObject::empty().with_value("concerns", changes);
                Some(self.0.ask("updateConcerns", params).await?)
            }
            Era::Stateless => None,
        };
        self.0.choose(chosen.clone());
        self.0.memory.forget_tools();
        let tools = self.list().await;
        if tools.is_err() && updated.is_none() {
            // The list was the first request with these choices, so it is the choices that were refused.
            self.0.choose(before);
        }
        let effective = updated.as_ref().and_then(|updated| updated.object("concerns"));
        let warnings = updated.as_ref().and_then(|updated| updated.value("warnings"));
        Ok(ConcernUpdate {
            effective: effective.unwrap_or_else(|| object_of(&chosen).unwrap_or_default()),
            warnings: warnings.unwrap_or_default(),
            tools: tools?,
        })
    }
}

impl Inner {
    /// Replaces the choices.
    fn choose(&self, concerns: Concerns) {
        let mut state = self.state.lock();
        if self.server.era == Era::Stateless {
            state.meta = self.preferences.stateless_meta(&concerns);
        }
        state.concerns = concerns;
    }
}
