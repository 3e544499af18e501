//! A client as the lists that it sees depend on it.

use mcp_disclosure_core::{Extension, Memory, Principal, RawObject};
use mcp_disclosure_transport::Notification;

use crate::{catalogue::Published, negotiation::Choice};

/// Everything about a client that its lists depend on.
#[derive(Clone, Debug)]
pub struct Viewer {
    pub principal: Principal,
    pub choice: Choice,
    pub memory: Memory,
}

impl Viewer {
    /// The extension by which it uses its strategy, if it declared it.
    pub fn extension(&self) -> Option<Extension> {
        self.choice.strategy.profile().extension.filter(|_| self.choice.traits.declared)
    }

    /// The notification of that extension, if its list differs between two catalogues.
    pub fn news(&self, before: &Published, now: &Published) -> Option<Notification> {
        let extension = self.extension()?;
        let digest = |of: &Published| of.announced(&self.principal, &self.choice, &self.memory);
        let is_new = digest(before) != digest(now);
        is_new.then(|| Notification::new(extension.changed, RawObject::empty()))
    }
}
