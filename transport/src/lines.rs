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
    /// Whether such a line was reported before its end.
    is_reported: bool,
    is_terminated: bool,
}

/// Bytes of a line that exceeds the limit that are scanned before it is looked at what they say.
const PART: usize = 4096;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// The line, without its terminator.
    Text(Vec<u8>),
    /// The length in bytes of a line that exceeded the limit and is skipped, and what was seen of it. It may go on: as soon as
    /// it is known which response it is, the rest says nothing, and may never end.
    TooLong(usize, Outline),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines of up to `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        let reader = BufReader::with_capacity(64 * 1024, reader);
        let (line, scan) = (Vec::new(), Scan::default());
        Self { reader, limit, line, length: 0, scan, is_reported: false, is_terminated: false }
    }

    /// Whether the line that was returned last has a terminator; only the last one may lack it.
    pub fn is_terminated(&self) -> bool {
        self.is_terminated
    }

    /// The next line that is not blank; `None` at the end. The last line need not be terminated.
    pub async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            let available = self.reader.fill_buf().await?;
            let at_end = available.is_empty();
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            self.length += piece.len();
            if self.length <= self.limit {
                self.line.extend_from_slice(piece);
            } else if !self.is_reported {
                let begun = std::mem::take(&mut self.line);
                for part in begun.chunks(PART).chain(piece.chunks(PART)) {
                    if self.scan.is_one_response() {
                        break;
                    }
                    self.scan.take(part);
                }
            }
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.is_terminated = end.is_some();
            let (is_over, length) = (self.is_terminated || at_end, self.length);
            if is_over {
                self.length = 0;
            }
            if length > self.limit && !self.is_reported && (is_over || self.scan.is_one_response()) {
                self.is_reported = !is_over;
                return Ok(Some(Line::TooLong(length, std::mem::take(&mut self.scan).into_seen())));
            }
            if !is_over {
                continue;
            }
            self.is_reported = false;
            let line = std::mem::take(&mut self.line);
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
        let long = "x".repeat(200_000);
        let text =
            format!("one\n\n \r\n{{\"x\":\"{long}\",\"id\":7}}\n{{\"id\":8,\"result\":\"{long}\"}}\ntwo");
        let mut lines = Lines::new(text.as_bytes(), 100_000);
        assert_eq!(lines.next().await.unwrap(), Some(Line::Text(b"one".to_vec())));
        let seen = Outline { ids: vec![Id::number(7)], ..Outline::default() };
        assert_eq!(lines.next().await.unwrap(), Some(Line::TooLong(200_015, seen)));
        let seen = Outline { ids: vec![Id::number(8)], is_answer: true, ..Outline::default() };
        let Some(Line::TooLong(length, early)) = lines.next().await.unwrap() else { panic!() };
        assert!(early == seen && length < 200_000, "a response is known before its end: {length}");
        assert_eq!(lines.next().await.unwrap(), Some(Line::Text(b"two".to_vec())));
        assert_eq!(lines.next().await.unwrap(), None);
    }
}
