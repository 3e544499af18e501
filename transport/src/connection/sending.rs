//! Outgoing messages: encoded, and queued where there is room.

use mcp_disclosure_core::RawObject;

use super::{
    Call, Carrier, Connection,
    queue::{Full, Kind, Outgoing, Room},
};
use crate::{
    CallError, Direction, PassageKind, Settled, depth::is_deeper_than, headers, message::request_line,
};

/// The owner of all requests that have none, such as subscriptions, which are shared: together they have one share.
const NO_OWNER: &str = "";

impl Connection {
    /// Encodes a request. Over HTTP, one whose parameters name a revision is stateless, and has the headers
    /// of that revision.
    pub(super) fn prepare(&self, call: &Call) -> Outgoing {
        let Call { id, method, params, mirrored, wants_progress, owner } = call;
        let headers =
            if self.carrier == Carrier::Http { headers::standard(method, params, mirrored) } else { None };
        let id = id.0.to_string();
        let text = match wants_progress {
            true => request_line(&id, method, &with_progress_token(params, &id)),
            false => request_line(&id, method, params),
        };
        // Over HTTP each request is an exchange of its own, and does not wait for others.
        let has_share = self.carrier == Carrier::Streams;
        let owner = has_share.then(|| owner.clone().unwrap_or_else(|| NO_OWNER.into()));
        Outgoing { kind: Kind::Request(call.id), text, headers, owner }
    }

    /// Reserves queue space for a message, if it may be sent.
    pub(super) fn admit(&self, outgoing: &Outgoing) -> Result<Room, CallError> {
        if self.is_ended() {
            return Err(self.how_it_ended(true));
        }
        // A message within the limit when received may exceed it when embedded in another.
        let depth = self.bounds.message_depth;
        if is_deeper_than(&outgoing.text, depth.most) {
            return Err(CallError::TooDeep(depth));
        }
        let (reserved, given_way) = self.outgoing.reserve(outgoing);
        for id in given_way {
            if let Some(pending) = self.take_pending(id) {
                let full = CallError::QueueFull(self.bounds.queue_bytes);
                self.settle_taken(id, pending, Settled::Unsent, Err(full));
            }
        }
        reserved.map_err(|full| match full {
            Full::Share => CallError::ShareFull(self.bounds.queue_share_bytes),
            Full::Queue { .. } => CallError::QueueFull(self.bounds.queue_bytes),
        })
    }

    /// Queues a message that has no response, or drops it.
    pub(super) fn send_or_drop(&self, method: &str, outgoing: Outgoing) {
        let kind = match outgoing.kind {
            Kind::Response => PassageKind::Answer,
            _ => PassageKind::Notification,
        };
        let pushed = self.admit(&outgoing).and_then(|room| {
            self.observe(Direction::Sent, kind, method, &outgoing.text);
            if self.outgoing.push(outgoing, room) { Ok(()) } else { Err(self.how_it_ended(true)) }
        });
        if let Err(error) = pushed {
            tracing::debug!(upstream = self.name(), method, %error, "message dropped");
        }
    }
}

/// The token is the request's id, since tokens of several clients could collide on one connection.
fn with_progress_token(params: &RawObject, token: &str) -> RawObject {
    let meta = params.meta().cloned().unwrap_or_default();
    params.with("_meta", meta.with("progressToken", token).text())
}
