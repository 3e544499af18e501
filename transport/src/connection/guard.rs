//! Cancellation of requests whose caller no longer waits.

use mcp_disclosure_core::RawObject;

use super::Connection;
use crate::RequestId;

/// Cancels a request whose caller no longer waits.
pub(super) struct Guard<'a> {
    pub(super) connection: &'a Connection,
    pub(super) id: RequestId,
    pub(super) finished: bool,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let Self { connection, id, finished } = *self;
        let withdrawn = if finished { None } else { connection.withdraw(id, false) };
        if withdrawn.is_some_and(|withdrawn| !withdrawn.is_unsent && withdrawn.is_cancelled_by_message) {
            let params = RawObject::empty().with("requestId", &id.to_string());
            connection.notify("notifications/cancelled", params);
        }
    }
}
