//! One message a line, on any two byte streams.

use std::sync::Arc;

use futures::StreamExt;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
};
use tokio_util::codec::{FramedRead, LinesCodec};

use super::{Ending, LONGEST_MESSAGE};
use crate::connection::{Connection, Outgoing};

/// Carries messages in a task of its own.
pub(super) fn open(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    connection: &Arc<Connection>,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
) {
    let ending = Ending(Arc::clone(connection));
    tokio::spawn(async move {
        let reason = carry(input, output, &ending.0, outgoing).await;
        ending.0.end(&reason);
    });
}

/// Carries messages until either side ends; why it ended. Both streams are closed then.
pub(super) async fn carry(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    connection: &Connection,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
) -> String {
    tokio::select! {
        reason = read(input, connection) => reason,
        reason = write(output, outgoing, connection) => reason,
        () = connection.closing().cancelled() => "it was closed".to_owned(),
    }
}

async fn read(input: impl AsyncRead + Unpin, connection: &Connection) -> String {
    let mut lines = FramedRead::new(input, LinesCodec::new_with_max_length(LONGEST_MESSAGE));
    while let Some(line) = lines.next().await {
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) if connection.receive(&line) => {}
            Ok(line) => {
                let line = mcp_disclosure_core::brief::shorten(&line, 120);
                tracing::warn!(line, "something that is no MCP message was skipped");
            }
            Err(error) => return format!("the server's output could not be read: {error}"),
        }
    }
    "the server closed its output".to_owned()
}

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    connection: &Connection,
) -> String {
    while let Some(message) = outgoing.recv().await {
        let mut line = match message {
            Outgoing::Request { text, .. }
            | Outgoing::Notification { text, .. }
            | Outgoing::Answer { text } => text,
            Outgoing::Cancel { text, .. } => {
                connection.note_cancelled(&text);
                text
            }
        };
        line.push('\n');
        let written = async {
            output.write_all(line.as_bytes()).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            return format!("the server does not read: {error}");
        }
    }
    "it was closed".to_owned()
}
