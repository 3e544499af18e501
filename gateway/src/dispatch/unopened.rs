//! A session before it is added to the others.

use std::sync::Arc;

use super::Gateway;

/// A session that is being opened: its upstreams end if the client hangs up meanwhile.
pub(super) struct Unopened<'g> {
    gateway: &'g Gateway,
    id: Option<Arc<str>>,
}

impl<'g> Unopened<'g> {
    /// The session of this id.
    pub(super) fn new(gateway: &'g Gateway, id: &Arc<str>) -> Self {
        Self { gateway, id: Some(Arc::clone(id)) }
    }

    /// It was opened.
    pub(super) fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for Unopened<'_> {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.gateway.backends.end_session(id);
        }
    }
}
