//! Lines of limited length from a byte stream.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::outline::{Outline, Scan};

/// A line reader. Partial lines survive a dropped future.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    length: usize,
    /// Of a line that exceeds the limit.
    scan: Scan,
}

/// Bytes of a line that exceeds the limit that are scanned before it is looked at what they say.
const PART: usize = 4096;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// The line, without its terminator.
    Text(Vec<u8>),
    /// The length in bytes of a line that exceeded the limit and was skipped, and what was seen of it.
    TooLong(usize, Outline),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines of up to `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        let reader = BufReader::with_capacity(64 * 1024, reader);
        Self { reader, limit, line: Vec::new(), length: 0, scan: Scan::default() }
    }

    /// The next line that is not blank; `None` at the end. The last line need not be terminated.
    pub async fn next(&mut self) -> std::io::Result<Option<Line>> {
        self.next_with(|_| {}).await
    }

    /// The same. `seen` is told of a line that exceeds the limit while it is read, since such a line may never end.
    pub(crate) async fn next_with(&mut self, mut seen: impl FnMut(&Scan)) -> std::io::Result<Option<Line>> {
        loop {
            let available = self.reader.fill_buf().await?;
            let at_end = available.is_empty();
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            self.length += piece.len();
            if self.length <= self.limit {
                self.line.extend_from_slice(piece);
            } else {
                let begun = std::mem::take(&mut self.line);
                for part in begun.chunks(PART).chain(piece.chunks(PART)) {
                    // What else a response has says nothing, and may be long.
                    if self.scan.is_one_response() {
                        break;
                    }
                    self.scan.take(part);
                    seen(&self.scan);
                }
            }
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_none() && !at_end {
                continue;
            }
            let length = std::mem::take(&mut self.length);
            let line = std::mem::take(&mut self.line);
            let scan = std::mem::take(&mut self.scan);
            if length > self.limit {
                return Ok(Some(Line::TooLong(length, scan.into_seen())));
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(Line::Text(line)));
            }
            if at_end {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[tokio::test]
    async fn reads_lines_skips_blank_ones_and_bounds_the_rest() {
        let text = format!("one\n\n \r\n{{\"x\":\"{}\",\"id\":7}}\ntwo", "x".repeat(200_000));
        let mut lines = Lines::new(text.as_bytes(), 100_000);
        assert_eq!(lines.next().await.unwrap(), Some(Line::Text(b"one".to_vec())));
        let seen = Outline { ids: vec![Id::number(7)], ..Outline::default() };
        assert_eq!(lines.next().await.unwrap(), Some(Line::TooLong(200_015, seen)));
        assert_eq!(lines.next().await.unwrap(), Some(Line::Text(b"two".to_vec())));
        assert_eq!(lines.next().await.unwrap(), None);
    }
}
