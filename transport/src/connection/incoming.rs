//! Incoming messages: responses, notifications and requests.

use std::sync::Arc;

use mcp_disclosure_core::{RawObject, brief::shorten, given};

use super::{Connection, Kind, Outgoing};
use crate::{
    CallError, Direction, ErrorText, Id, Json, Message, Notification, PassageKind, Request, RequestId,
    Response, Settled, beside::aside, outline::Outline,
};

/// The revision with batches. Each message of one is handled as if it had come alone.
const BATCHES: &str = "2025-03-26";

impl Connection {
    /// Processes one message, or a batch where the revision has batches. `about` is the request on whose stream
    /// it arrived, if the transport has such streams.
    pub(crate) fn receive(self: &Arc<Self>, text: &[u8], about: Option<RequestId>) {
        aside(text.len(), || {
            if !self.receive_batch(text, about) {
                self.receive_one(text, about);
            }
        });
    }

    /// Processes a batch; `false` if the text is not a batch, or the negotiated revision has none.
    fn receive_batch(self: &Arc<Self>, text: &[u8], about: Option<RequestId>) -> bool {
        if self.revision() != Some(BATCHES) || text.trim_ascii_start().first() != Some(&b'[') {
            return false;
        }
        let (most, setting) = (self.bounds.batch_messages.most, self.bounds.batch_messages.in_brackets());
        match messages(text, most) {
            Some(messages) if messages.len() > most => {
                let reason = format!("a batch has more than {most} messages{setting}");
                self.fail_meant(&Outline::of(text), &reason, about);
                true
            }
            Some(messages) if !messages.is_empty() => {
                messages.iter().for_each(|message| self.receive_one(message.as_bytes(), about));
                true
            }
            _ => false,
        }
    }

    fn receive_one(self: &Arc<Self>, text: &[u8], about: Option<RequestId>) {
        match Message::parse(text, self.bounds.message_depth) {
            Ok(Message::Response(response)) => self.settle(response, text, about),
            Ok(Message::Notification(notification)) => {
                self.observe(Direction::Received, PassageKind::Notification, &notification.method, text);
                self.handle_notification(notification, about);
            }
            Ok(Message::Request(request)) => {
                self.observe(Direction::Received, PassageKind::Request, &request.method, text);
                self.handle_request(request);
            }
            Err(refused) => self.refuse(text, &refused, about),
        }
    }

    fn settle(&self, response: Response, text: &[u8], about: Option<RequestId>) {
        let id = response.id.as_ref().and_then(RequestId::of);
        let pending = id.and_then(|id| Some((id, self.take_pending(id)?)));
        let method = pending.as_ref().map_or("", |(_, pending)| &pending.method);
        self.observe(Direction::Received, PassageKind::Answer, method, text);
        if let Some((id, pending)) = pending {
            return self.settle_taken(id, pending, Settled::Answered, check(response.outcome));
        }
        if response.id.is_none() {
            return self.settle_without_id(response.outcome, about);
        }
        if let Some(id) = id {
            self.handler.settled(id, Settled::Late);
        }
        // That a cancelled request is answered is normal; any other response is the peer's fault.
        match id.filter(|id| self.was_sent(*id)) {
            Some(id) => tracing::debug!(upstream = self.name(), %id, "late response dropped"),
            None => self.skip_response("it has the id of no request"),
        }
    }

    fn handle_notification(&self, notification: Notification, about: Option<RequestId>) {
        let params = &notification.params;
        match &*notification.method {
            "notifications/progress" => {
                let id = params.member("progressToken").and_then(Id::parse).and_then(|id| RequestId::of(&id));
                if let Some(id) = id.filter(|id| self.was_sent(*id)) {
                    self.note_progress(id);
                    self.handler.handle_progress(id, params);
                }
            }
            "notifications/cancelled" => self.cancel(params),
            _ => self.handler.handle_notification(notification, about),
        }
    }

    /// Cancels the handling of a request from the peer.
    fn cancel(&self, params: &RawObject) {
        let id = params.member("requestId").and_then(Id::parse);
        if let Some(task) = id.and_then(|id| self.asked.lock().remove(&id)) {
            task.abort();
        }
    }

    fn handle_request(self: &Arc<Self>, request: Request) {
        if request.method == "ping" {
            return self.reply(request.id, &request.method, Ok(Json::empty_object()));
        }
        let Some(answer) = self.handler.handle_request(&request) else {
            return self.reply(request.id, &request.method, Err(ErrorText::method_not_found()));
        };
        let (connection, id) = (Arc::clone(self), request.id.clone());
        // Held until the task is registered, so that it cannot finish before.
        let mut asked = self.asked.lock();
        let task = tokio::spawn(async move {
            let outcome = answer.await;
            connection.asked.lock().remove(&request.id);
            connection.reply(request.id, &request.method, outcome);
        });
        asked.insert(id, task.abort_handle());
    }

    pub(super) fn reply(&self, id: Id, method: &str, outcome: Result<Json, ErrorText>) {
        let text = Response::new(id, outcome).encode();
        self.send_or_drop(method, Outgoing { kind: Kind::Response, text, headers: None, owner: None });
    }
}

/// Checks that a result is an object, and that an error has a code and a message.
fn check(outcome: Result<Json, ErrorText>) -> Result<Json, CallError> {
    let shown = |text: &Json| shorten(text.as_str(), 120);
    match outcome {
        Ok(result) if result.as_str().starts_with('{') => Ok(result),
        Ok(result) => {
            Err(CallError::Invalid { what: "its result is not an object".into(), shown: shown(&result) })
        }
        Err(error) if error.is_sound() => Err(CallError::Answered(error)),
        // What it says is for the client, as any error's message is.
        Err(error) => {
            Err(CallError::invalid(format!("its error has no code and message: {}", shown(error.text()))))
        }
    }
}

/// The messages of a batch, of too many one more than `most`; `None` if the text is not a JSON array.
fn messages(text: &[u8], most: usize) -> Option<Vec<&str>> {
    given::items(std::str::from_utf8(text).ok()?, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u7_the_messages_of_a_batch_are_taken_as_they_are_and_not_too_many() {
        let read = |text: &'static str| messages(text.as_bytes(), 2);
        assert_eq!(read(r#" [{"a": 1.0}, [ ]]"#), Some(vec![r#"{"a": 1.0}"#, "[ ]"]));
        assert_eq!(read("[]"), Some(vec![]));
        assert_eq!(read("[1,2,3").map(|messages| messages.len()), Some(3));
        for no_batch in ["[1,2", "[1] 2", "[1,]", "{}", "", "[\u{7f}"] {
            assert_eq!(read(no_batch), None, "{no_batch}");
        }
    }
}
