//! What carries messages: lines on byte streams, or HTTP.

mod child;
mod http;
mod lines;

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::{
    Error,
    connection::{Connection, Outgoing},
    link::{Link, Way},
};

/// An answer may be so long: results carry images.
const LONGEST_MESSAGE: usize = 256 * 1024 * 1024;

/// A handler in this process is written to at most so far ahead.
const PIPE: usize = 64 * 1024;

/// Opens the link and carries messages until the connection is closed, or the other side is gone.
/// `listens` says whether to keep a stream open for what the server tells unasked, where that takes one.
///
/// # Errors
/// [`Error::Start`] if there is no such program.
pub(crate) fn open(
    link: &mut Link,
    listens: bool,
    connection: &Arc<Connection>,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
) -> Result<(), Error> {
    match &mut link.0 {
        Way::Command(command) => return child::open(command, connection, outgoing),
        Way::Url { url, headers } => {
            http::open(url.clone(), headers.clone(), listens, connection, outgoing);
        }
        Way::Handler(serve) => {
            let (near, far) = tokio::io::duplex(PIPE);
            serve(far);
            let (input, output) = tokio::io::split(near);
            lines::open(input, output, connection, outgoing);
        }
        streams => {
            if let Way::Streams(input, output) = std::mem::replace(streams, Way::Spent) {
                lines::open(input, output, connection, outgoing);
            }
        }
    }
    Ok(())
}

/// Ends the connection when its transport's task does, however that ends.
struct Ending(Arc<Connection>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end("the task that carried it was dropped");
    }
}
