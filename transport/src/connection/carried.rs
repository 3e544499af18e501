//! What carries a connection: a task that sends what is queued, receives what comes, and says in the end why it ends.

use std::sync::Arc;

use super::{Carrier, Connection, Queued, Taken};
use crate::{Bounds, Handler, Reason};

impl Connection {
    /// A connection that a task of its own carries, until that returns why the connection ended.
    pub(crate) fn carried<C: Future<Output = Reason> + Send + 'static>(
        handler: Arc<dyn Handler>,
        bounds: Bounds,
        carrier: Carrier,
        carry: impl FnOnce(Arc<Self>, Queued) -> C,
    ) -> Arc<Self> {
        let (connection, queued) = Self::new(handler, bounds, carrier);
        // However the task ends.
        let ending = scopeguard::guard(Arc::clone(&connection), |connection| {
            connection.end("the task that carried it was dropped");
        });
        let carrying = carry(Arc::clone(&connection), queued);
        tokio::spawn(async move {
            let reason = carrying.await;
            ending.end(reason);
        });
        connection
    }

    /// The next message to send; `None` once the connection is to be closed.
    pub(crate) async fn next_queued(&self, queued: &mut Queued) -> Option<Taken> {
        tokio::select! {
            taken = queued.next() => Some(taken),
            () = self.closing.cancelled() => None,
        }
    }
}
