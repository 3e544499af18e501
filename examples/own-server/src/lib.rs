//! An ordinary `rmcp` server, which asks its client for three things. Nothing in it knows of disclosure.

#![allow(deprecated, reason = "SEP-2577 deprecates sampling and roots, but hosts have them")]

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::{
    ErrorData, RoleServer,
    handler::server::wrapper::Parameters,
    model::{CreateMessageRequestParams, ProgressNotificationParam, SamplingMessage},
    service::RequestContext,
    tool, tool_router,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Notes that all clients share.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

/// A note.
#[derive(Deserialize, JsonSchema)]
struct Note {
    /// What it says.
    text: String,
}

/// Whether the user means it.
#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Delete all notes?
    delete: bool,
}
rmcp::elicit_safe!(Confirmation);

impl Notes {
    /// No notes.
    pub fn new() -> Self {
        Self::default()
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}

fn unanswered(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

#[tool_router(server_handler)]
impl Notes {
    #[tool(description = "Adds a note.")]
    fn add_note(&self, Parameters(note): Parameters<Note>) -> String {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(note.text);
        format!("{} notes", notes.len())
    }

    #[tool(description = "Deletes all notes, once the user has confirmed it.")]
    async fn delete_notes(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let count = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        let asked = context.peer.elicit::<Confirmation>(format!("Delete {count} notes?")).await;
        let answer = asked.map_err(unanswered)?;
        if !answer.is_some_and(|answer| answer.delete) {
            return Ok("nothing is deleted".to_owned());
        }
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, 1.0).with_total(1.0);
            let _unheard = context.peer.notify_progress(progress).await;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(format!("{count} notes are deleted"))
    }

    #[tool(description = "Summarizes all notes.")]
    async fn summarize_notes(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let question = SamplingMessage::user_text(format!("Summarize in a sentence:\n{}", self.text()));
        let written = context.peer.create_message(CreateMessageRequestParams::new(vec![question], 200)).await;
        let written = written.map_err(unanswered)?.message.content.into_vec();
        Ok(written.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect())
    }

    #[tool(description = "Says in which folders the user works.")]
    async fn list_folders(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let folders = context.peer.list_roots().await.map_err(unanswered)?.roots;
        Ok(folders.into_iter().map(|folder| folder.uri).collect::<Vec<_>>().join("\n"))
    }
}
