//! What a session has chosen, followed by the upstreams that are its client's alone before anything is answered.

use super::{Caller, Gateway};

impl Gateway {
    /// Lets upstreams follow what a caller's session has chosen. Returns whether that took a while.
    pub(super) async fn followed(&self, caller: &Caller) -> bool {
        let Some(session) = caller.session.as_ref().filter(|_| caller.backend.client().is_some()) else {
            return false;
        };
        let current = caller.backend.catalogue().current();
        let page = current.page(&caller.principal, &caller.choice, &session.memory());
        caller.backend.follow(&page.view).await
    }

    /// The caller as its request left it, where upstreams had to follow that.
    pub(super) async fn rechosen(&self, caller: &Caller) -> Option<Caller> {
        let session = caller.session.as_ref()?;
        let followed = self.followed(caller).await;
        followed.then(|| {
            let mut now = caller.clone();
            (now.memory, now.choice) = (session.memory(), session.choice());
            now
        })
    }
}
