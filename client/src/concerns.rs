//! The user's choices of concerns, in time and again (seed 002, options A to D).
//!
//! `initialize` brings them all, for servers that filter from the first word; `initialized` brings those that the
//! server declared, for servers that read them there. Later changes are told where there is a session, and go with
//! every request where there is none.

use mcp_disclosure_core::{Era, RawObject};

use crate::{
    Concerns, Error, Host,
    dialect::Dress,
    host::{Inner, object_of},
    server,
};

/// What came of changed choices of concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcernUpdate {
    /// The choices in force. On 2026-07-28 servers do not say; then these are the choices sent.
    pub effective: RawObject,
    /// What the server did not take as it was meant.
    pub warnings: Vec<String>,
    /// The tools listed under them.
    pub tools: Vec<RawObject>,
}

impl Host {
    /// The user's choices of concerns, as they were sent last.
    pub fn concerns(&self) -> Concerns {
        self.0.state().concerns.clone()
    }

    /// The concerns that the server declares, asked for anew where it can be asked (002 "listConcerns").
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn list_concerns(&self) -> Result<Vec<RawObject>, Error> {
        let result = self.0.ask("listConcerns", RawObject::empty()).await?;
        Ok(result.member("concerns").map(server::list).unwrap_or_default())
    }

    /// Changes choices of concerns, name by name, and lists anew.
    ///
    /// With sessions the server is told at once (002 "updateConcerns"); without, the choices go with every
    /// request from now on.
    ///
    /// # Errors
    /// Why the server did not take them; then the old ones stay in force.
    pub async fn update_concerns(&self, changes: &Concerns) -> Result<ConcernUpdate, Error> {
        let before = self.concerns();
        let mut chosen = before.clone();
        chosen.extend(changes.clone());
        let told = match self.0.server.era {
            Era::Session => {
                let params = RawObject::empty().with_value("concerns", changes);
                Some(self.0.ask("updateConcerns", params).await?)
            }
            Era::Stateless => None,
        };
        self.0.choose(chosen.clone());
        self.0.memory.forget_tools();
        let tools = self.list().await;
        if tools.is_err() && told.is_none() {
            // The list was the first to bring them, and it is that which was refused.
            self.0.choose(before);
        }
        let effective = told.as_ref().and_then(|told| told.object("concerns"));
        let warnings = told.as_ref().and_then(|told| serde_json::from_str(told.member("warnings")?).ok());
        Ok(ConcernUpdate {
            effective: effective.unwrap_or_else(|| object_of(&chosen).unwrap_or_default()),
            warnings: warnings.unwrap_or_default(),
            tools: tools?,
        })
    }
}

impl Inner {
    /// These are the choices from now on.
    fn choose(&self, concerns: Concerns) {
        let mut state = self.state();
        if state.dress.era() == Era::Stateless {
            state.dress = Dress::stateless(&self.preferences, &concerns);
        }
        state.concerns = concerns;
    }
}
