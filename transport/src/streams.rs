//! Servers on byte streams: one message per line.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufWriter};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Bounds, Connection, Handler, Line, Lines, Reason,
    connection::{Carrier, Queued, Taken},
};

/// Bytes of small messages that are written together.
const BATCH: usize = 64 * 1024;

/// Connects to a server that reads `output` and writes `input`, for example over a `tokio::io::duplex`.
pub fn connect(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> Arc<Connection> {
    Connection::carried(handler, bounds, Carrier::Streams, |connection, queued| async move {
        match carry(input, output, &connection, queued).await {
            Ok(()) if connection.closing().is_cancelled() => "the connection was closed".into(),
            Ok(()) => "it closed its output".into(),
            Err(reason) => reason,
        }
    })
}

/// Transfers messages until either side ends, then closes both streams.
///
/// # Errors
/// Why the server's output cannot be read.
pub(crate) async fn carry(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Send + Unpin + 'static,
    connection: &Arc<Connection>,
    queued: Queued,
) -> Result<(), Reason> {
    // In its own task, so that reading continues while a write is blocked, and vice versa.
    // Aborted at the end, which closes the stream.
    let _writing = AbortOnDropHandle::new(tokio::spawn(write(output, queued, Arc::clone(connection))));
    connection.closing().run_until_cancelled(read(input, connection)).await.unwrap_or(Ok(()))
}

async fn write(output: impl AsyncWrite + Unpin, mut queued: Queued, connection: Arc<Connection>) {
    // Queued small messages are written together.
    let mut output = BufWriter::with_capacity(BATCH, output);
    loop {
        let mut next = Some(queued.next().await);
        let written = async {
            // A message counts as queued until it is written, or among the small ones that are written together.
            while let Some(Taken { outgoing, room: _room }) = next.take() {
                output.write_all(&outgoing.text).await?;
                output.write_all(b"\n").await?;
                next = queued.try_next();
            }
            output.flush().await
        };
        if written.await.is_err() {
            // The server closed its input and cannot receive requests; the reader will provide the reason.
            return connection.closing().cancel();
        }
    }
}

async fn read(input: impl AsyncRead + Unpin, connection: &Arc<Connection>) -> Result<(), Reason> {
    let unreadable =
        |error: std::io::Error| Reason::from("cannot read its output").because(&error.to_string());
    let mut lines = Lines::new(input, connection.bounds().message_bytes.most);
    while let Some(line) = lines.next().await.map_err(unreadable)? {
        match line {
            Line::Text(text) => connection.receive(&text, None),
            Line::TooLong(_, seen) => connection.refuse_overlong(&seen),
        }
    }
    Ok(())
}
