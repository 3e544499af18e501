//! The line reader: the lines do not depend on how the input is split into chunks.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io,
    pin::Pin,
    task::{Context, Poll},
};

use futures::FutureExt;
use mcp_disclosure_transport::{Line, Lines, Outline};
use tokio::io::{AsyncRead, ReadBuf};

const LIMITS: &[usize] = &[0, 1, 16, 200, 4096, 1 << 24];
const PIECES: &[usize] = &[1, 3, 50, 1000, 1 << 24];

/// Reads lines, in chunks and with a limit that depend on the input only.
pub(crate) fn check(input: &[u8]) -> Vec<Line> {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let chance = hasher.finish() as usize;
    let limit = LIMITS[chance % LIMITS.len()];
    let most = PIECES[chance / LIMITS.len() % PIECES.len()];
    let found = read(Pieces { rest: input, most, ready: false }, limit);
    assert_eq!(found, expected(input, limit), "limit {limit}, pieces of up to {most}");
    // Again without a limit, for the caller to inspect.
    expected(input, usize::MAX)
}

/// The lines of an input, by the simplest implementation.
fn expected(input: &[u8], limit: usize) -> Vec<Line> {
    let lines = input.split(|byte| *byte == b'\n').filter_map(|line| match line.len() {
        length if length > limit => Some(Line::TooLong(0, Outline::default())),
        _ if line.iter().all(u8::is_ascii_whitespace) => None,
        _ => Some(Line::Text(line.to_vec())),
    });
    lines.collect()
}

/// Every future that is not ready at once is dropped, and the line requested again.
fn read(pieces: Pieces<'_>, limit: usize) -> Vec<Line> {
    let mut lines = Lines::new(pieces, limit);
    let mut found = Vec::new();
    loop {
        match lines.next().now_or_never() {
            None => {}
            // How much of it is looked at depends on the chunks.
            Some(Ok(Some(Line::TooLong(..)))) => found.push(Line::TooLong(0, Outline::default())),
            Some(Ok(Some(line))) => found.push(line),
            Some(Ok(None)) => return found,
            Some(Err(error)) => panic!("{error}"),
        }
    }
}

/// Yields chunks, and is pending every other time.
struct Pieces<'a> {
    rest: &'a [u8],
    most: usize,
    ready: bool,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.ready = !self.ready;
        if !self.ready {
            return Poll::Pending;
        }
        let length = self.most.min(self.rest.len()).min(buffer.remaining());
        let (piece, rest) = self.rest.split_at(length);
        buffer.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}
