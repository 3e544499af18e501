//! What came back for one request.

use mcp_disclosure_core::RawObject;
use serde_json::Value;

use crate::{
    http::{Answer, Events},
    inbox::Inbox,
};

/// What came back for one request.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: Option<u16>,
    /// The session that was opened.
    pub session: Option<String>,
    /// When to try again.
    pub retry_after: Option<String>,
    /// Notifications that came before the answer.
    pub notifications: Vec<Value>,
    /// The answer as it came.
    pub text: Option<String>,
}

impl Reply {
    /// Reads what comes back over HTTP, and puts each message of it into an inbox.
    ///
    /// # Errors
    /// That of the connection, before the end of an answer that is no stream.
    pub async fn read(mut answer: Answer, inbox: &Inbox) -> std::io::Result<Self> {
        let status = Some(answer.status);
        let [session, retry_after] =
            ["mcp-session-id", "retry-after"].map(|name| answer.header(name).map(str::to_owned));
        let mut messages = Vec::new();
        if answer.header("content-type") == Some("text/event-stream") {
            let mut events = Events::default();
            while let Ok(Some(piece)) = answer.piece().await {
                messages
                    .extend(events.take(&piece).into_iter().inspect(|message| inbox.put(message.clone())));
            }
        } else {
            messages.push(answer.rest().await?);
            inbox.put(messages[0].clone());
        }
        let is_answer = |text: &mut String| {
            serde_json::from_str::<Value>(text).is_ok_and(|message| message.get("method").is_none())
        };
        let text = messages.pop_if(is_answer);
        let notifications =
            messages.iter().filter_map(|message| serde_json::from_str(message).ok()).collect();
        Ok(Self { status, session, retry_after, notifications, text })
    }

    /// The answer.
    pub fn answer(&self) -> Value {
        let text = self.text.as_deref().unwrap_or_else(|| panic!("no answer: {self:?}"));
        serde_json::from_str(text).unwrap()
    }

    /// The result.
    pub fn result(&self) -> Value {
        let answer = self.answer();
        answer.get("result").unwrap_or_else(|| panic!("no result: {answer}")).clone()
    }

    /// The result as exact text.
    pub fn result_text(&self) -> String {
        let answer = RawObject::parse(self.text.as_deref().unwrap()).unwrap();
        answer.member("result").unwrap().to_owned()
    }

    /// The error.
    pub fn error(&self) -> Value {
        let answer = self.answer();
        answer.get("error").unwrap_or_else(|| panic!("no error: {answer}")).clone()
    }

    /// The error, whose message has this part.
    #[track_caller]
    pub fn error_with(&self, part: &str) -> Value {
        let error = self.error();
        assert!(error["message"].as_str().unwrap().contains(part), "{part:?} is not in {error}");
        error
    }

    /// The error's code.
    pub fn code(&self) -> i64 {
        self.error()["code"].as_i64().unwrap()
    }

    /// What a tool of a scenario was given.
    pub fn given(&self) -> Value {
        self.result()["structuredContent"]["given"].take()
    }

    /// The error of this code that a tool's result tells, in its text as in its structure.
    #[track_caller]
    pub fn refusal(&self, code: &str) -> Value {
        let (result, told) = (self.result(), self.text_as_json());
        assert_eq!(told, result["structuredContent"]);
        assert_eq!((&result["isError"], &told["error"]["code"]), (&true.into(), &code.into()), "{result}");
        told["error"].clone()
    }

    /// The text of the first of a resource's contents, or of a tool's, as JSON.
    pub fn text_as_json(&self) -> Value {
        let result = self.result();
        let text = result.pointer("/contents/0/text").or(result.pointer("/content/0/text"));
        let text = text.and_then(Value::as_str).unwrap_or_else(|| panic!("no text: {result}"));
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}
