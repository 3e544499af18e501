//! Servers on byte streams: one message per line.

use std::{io, pin::pin, sync::Arc, time::Duration};

use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufWriter};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Bounds, Connection, Handler, Line, Lines, Reason,
    connection::{Carrier, Queued, Taken},
};

/// Bytes of small messages that are written together.
const BATCH: usize = 64 * 1024;

/// How long a server that closed its input may still write.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// Connects to a server that reads `output` and writes `input`, for example over a `tokio::io::duplex`.
pub fn connect(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> Arc<Connection> {
    Connection::carried(handler, bounds, Carrier::Streams, |connection, queued| async move {
        carry(input, output, &connection, queued).await.err().unwrap_or_else(|| closed(&connection))
    })
}

/// Why a connection is over whose streams had no error.
pub(crate) fn closed(connection: &Connection) -> Reason {
    let by_us = connection.closing().is_cancelled();
    if by_us { "the connection was closed".into() } else { "it closed its input or output".into() }
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
    let mut writing = AbortOnDropHandle::new(tokio::spawn(write(output, queued)));
    let carried = async {
        let mut reading = pin!(read(input, connection));
        tokio::select! {
            read = &mut reading => return read,
            _ = &mut writing => {}
        }
        // The server closed its input, but what it answered before may still have to be read.
        tokio::time::timeout(LAST_OUTPUT, reading).await.unwrap_or(Ok(()))
    };
    connection.closing().run_until_cancelled(carried).await.unwrap_or(Ok(()))
}

/// Writes messages until the server does not read them any more.
async fn write(output: impl AsyncWrite + Unpin, mut queued: Queued) -> io::Result<()> {
    // Queued small messages are written together.
    let mut output = BufWriter::with_capacity(BATCH, output);
    loop {
        let mut next = Some(queued.next().await);
        // A message counts as queued until it is written, or among the small ones that are written together.
        while let Some(Taken { outgoing, room: _room }) = next.take() {
            output.write_all(&outgoing.text).await?;
            output.write_all(b"\n").await?;
            next = queued.try_next();
        }
        output.flush().await?;
    }
}

async fn read(input: impl AsyncRead + Unpin, connection: &Arc<Connection>) -> Result<(), Reason> {
    let unreadable = |error: io::Error| Reason::from("cannot read its output").because(&error.to_string());
    let mut lines = Lines::new(input, connection.bounds().message_bytes.most);
    while let Some(line) = lines.next().await.map_err(unreadable)? {
        match line {
            // It ended in the midst of a message: that is the reason why no response came.
            Line::Text(text)
                if !lines.is_terminated() && serde_json::from_slice::<IgnoredAny>(&text).is_err() =>
            {
                break;
            }
            Line::Text(text) => connection.receive(&text, None),
            Line::TooLong(_, seen) => connection.refuse_overlong(&seen),
        }
    }
    Ok(())
}
