//! Servers on byte streams: one message per line.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use crate::{
    Bound, Bounds, Connection, Handler, Line, Lines, Reason, Share,
    connection::{Carrier, Queued, Taken},
};

/// Queued small messages are written together, up to about this many bytes.
const BATCH: usize = 64 * 1024;

/// Connects to a server that reads `output` and writes `input`, for example over a `tokio::io::duplex`.
pub fn connect(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> Arc<Connection> {
    let (connection, queued) = Connection::new(handler, bounds, Carrier::Streams);
    let ending = Ending(Arc::clone(&connection));
    tokio::spawn(async move {
        let reason = match carry(input, output, &ending.0, queued).await {
            Ok(()) if ending.0.closing().is_cancelled() => "the connection was closed".into(),
            Ok(()) => "it closed its output".into(),
            Err(reason) => reason,
        };
        ending.0.end(reason);
    });
    connection
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
    let writing = Writing(tokio::spawn(write(output, queued, Arc::clone(connection))));
    let carried = tokio::select! {
        read = read(input, connection) => read,
        () = connection.closing().cancelled() => Ok(()),
    };
    drop(writing);
    carried
}

/// Aborts the writing task, which closes the stream.
struct Writing(tokio::task::JoinHandle<()>);

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Ends the connection when the task that carries it ends, in whatever way.
pub(crate) struct Ending(pub(crate) Arc<Connection>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end("the task that carried it was dropped");
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut queued: Queued, connection: Arc<Connection>) {
    loop {
        // A message counts as queued while it is being written.
        let (batch, _shares) = next_batch(&mut queued).await;
        let written = async {
            output.write_all(&batch).await?;
            output.flush().await
        };
        if written.await.is_err() {
            // The server closed its input and cannot receive requests; the reader will provide the reason.
            return connection.closing().cancel();
        }
    }
}

/// The next messages as lines. A single message, which may be long, is not copied.
async fn next_batch(queued: &mut Queued) -> (Vec<u8>, Vec<Share>) {
    let Taken { outgoing, share } = queued.next().await;
    let (mut batch, mut shares) = (outgoing.text, vec![share]);
    batch.push(b'\n');
    while batch.len() < BATCH
        && let Some(Taken { outgoing, share }) = queued.try_next()
    {
        batch.extend_from_slice(&outgoing.text);
        batch.push(b'\n');
        shares.push(share);
    }
    (batch, shares)
}

async fn read(input: impl AsyncRead + Unpin, connection: &Arc<Connection>) -> Result<(), Reason> {
    let unreadable = |detail: String| Reason::from("cannot read its output").because(detail);
    let Bound { most, setting } = connection.bounds().message_bytes;
    let mut lines = Lines::new(input, most);
    while let Some(line) = lines.next().await.map_err(|error| unreadable(error.to_string()))? {
        match line {
            Line::Text(text) => connection.receive(&text, None),
            Line::TooLong(bytes) => {
                let reason =
                    format!("a message of {bytes} bytes is too long; at most {most} are read ({setting})");
                // If several requests are pending, it is unknown whose response is lost, and all would wait
                // in vain.
                if !connection.fail_only(&reason) {
                    return Err(unreadable(reason));
                }
            }
        }
    }
    Ok(())
}
