//! Extracts what is recognizable from a message that cannot be parsed: its top-level keys.

use crate::{ErrorText, Id, Message, Response, message::LONGEST_LABEL};

/// The recognizable keys of the outermost object, or of the objects in an outermost array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Every `id` that is a string or a number.
    pub(crate) ids: Vec<Id>,
    /// Whether there is a `method`.
    pub(crate) has_method: bool,
    /// Whether there is a `result` or an `error`.
    pub(crate) is_answer: bool,
    /// Whether there is a `jsonrpc`.
    pub(crate) is_json_rpc: bool,
}

/// Maximum ids taken from one text.
const MOST_IDS: usize = 1_000;

impl Outline {
    /// Scans any bytes, without recursion and without requiring valid JSON.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut scan = Scan::default();
        scan.take(text);
        scan.into_seen()
    }

    /// What is refused of a client for this reason: a response fails what it answers, and is not answered itself.
    ///
    /// # Errors
    /// The response to anything else, with its id if that was recognized.
    pub fn refuse(self, reason: ErrorText) -> Result<Message, Response> {
        // Without an id it may have broken off before its method.
        let is_response = self.is_answer || (self.is_response() && !self.ids.is_empty());
        // In a batch some may be requests, for which a client waits.
        let is_response = is_response && !(self.has_method && self.ids.len() > 1);
        let id = <[Id; 1]>::try_from(self.ids).ok().map(|[id]| id);
        let refused = Response { id, outcome: Err(reason) };
        if is_response { Ok(Message::Response(refused)) } else { Err(refused) }
    }

    /// Whether it is, or looks like, a response.
    pub(crate) fn is_response(&self) -> bool {
        self.is_answer || (!self.has_method && self.is_json_rpc)
    }
}

/// A scan of a text that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    outline: Outline,
    depth: usize,
    /// The depth at which keys are, once the text has begun: in a batch, they are one level deeper.
    level: usize,
    /// What was read at that depth since the last bracket, colon or comma, as far as it may be a key or an id.
    token: Vec<u8>,
    /// Whether a string has begun, and whether its next byte is escaped.
    string: Option<bool>,
    /// Whether the next value is an id's.
    is_id: bool,
}

impl Scan {
    /// Scans the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        piece.iter().for_each(|byte| self.step(*byte));
    }

    /// What was recognized.
    pub(crate) fn into_seen(self) -> Outline {
        self.outline
    }

    /// Whether it is one response, whose id is known.
    pub(crate) fn is_one_response(&self) -> bool {
        self.level == 1 && self.outline.is_answer && !self.outline.ids.is_empty()
    }

    fn step(&mut self, byte: u8) {
        if let Some(is_escaped) = self.string {
            self.string = (is_escaped || byte != b'"').then_some(!is_escaped && byte == b'\\');
            return self.keep(byte);
        }
        match byte {
            b'"' => {
                // Where a comma is missing, the value before it ends here.
                if !self.token.is_empty() {
                    self.end_value();
                }
                self.string = Some(false);
            }
            b':' => return self.end_key(),
            b',' => return self.end_value(),
            b'{' | b'[' => {
                self.is_id &= self.depth != self.level;
                if self.level == 0 {
                    self.level = if byte == b'[' { 2 } else { 1 };
                }
                self.depth += 1;
                return self.token.clear();
            }
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
                return;
            }
            _ => {}
        }
        self.keep(byte);
    }

    fn keep(&mut self, byte: u8) {
        let is_blank = self.token.is_empty() && byte.is_ascii_whitespace();
        if self.depth == self.level && self.token.len() <= LONGEST_LABEL && !is_blank {
            self.token.push(byte);
        }
    }

    fn end_key(&mut self) {
        if self.level > 0 && self.depth == self.level {
            match self.token.trim_ascii() {
                b"\"id\"" => self.is_id = true,
                b"\"method\"" => self.outline.has_method = true,
                b"\"result\"" | b"\"error\"" => self.outline.is_answer = true,
                b"\"jsonrpc\"" => self.outline.is_json_rpc = true,
                _ => {}
            }
            self.token.clear();
        }
    }

    /// Records the value of an `id`, if it is one: a sequence of digits and signs need not be a number.
    fn end_value(&mut self) {
        if self.depth != self.level {
            return;
        }
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.is_id)
            && token.len() <= LONGEST_LABEL
            && self.outline.ids.len() < MOST_IDS
        {
            let text = std::str::from_utf8(&token).ok();
            let text = text.filter(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
            self.outline.ids.extend(text.and_then(Id::parse));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code;

    fn ids(text: &[u8]) -> Vec<String> {
        Outline::of(text).ids.iter().map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn finds_ids_where_nothing_can_be_parsed() {
        let blank = " ".repeat(1_000);
        for (text, expected) in [
            (&br#"{"jsonrpc":"2.0","id":3,"result":{"a":NaN}}"#[..], &["3"][..]),
            (br#" {"result":{"id":7,"x":["id"]}, "id" : "a\"b" , "error":{}}"#, &[r#""a\"b""#]),
            (br#"{"jsonrpc":"2.0","id":12,"result":{"content":[{"ty"#, &["12"]),
            (b"{\"id\":4,\"result\":\"\xff\xfe\"}", &["4"]),
            (br#"{"id":1,"id":2}"#, &["1", "2"]),
            (br#"[{"id":1,"result":{}},{"id":2,"result":{"id":3}}]"#, &["1", "2"]),
            (br#"{"id":null,"result":{}}"#, &[]),
            (br#"{"result":{},"id":1"#, &[]),
            (br#"{"result":{},"id":"1"#, &[]),
            (br#"{"result":{},"id":"#, &[]),
            (br#"{"result":"id","x":{"id":5}}"#, &[]),
            (br#"{"jsonrpc":"2.0" "id":7 "method":"ping" "params":{}}"#, &["7"]),
            (format!(r#"{{{blank}"id":{blank}7{blank}}}"#).as_bytes(), &["7"]),
            (b"computing... id: 7", &[]),
            (b"", &[]),
            (b"\"\\", &[]),
        ] {
            assert_eq!(ids(text), expected, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn tells_requests_answers_and_mere_words_apart() {
        let seen = |text: &str| {
            let outline = Outline::of(text.as_bytes());
            (outline.has_method, outline.is_answer, outline.is_json_rpc)
        };
        assert_eq!(
            seen(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"result":1}}"#),
            (true, false, true)
        );
        assert_eq!(seen(r#"{"id":1,"error":Infinity}"#), (false, true, false));
        assert_eq!(seen(r#"{"half": "#), (false, false, false));
        assert_eq!(seen(r#"the "result": 7"#), (false, false, false));
    }

    #[test]
    fn p6_a_response_is_never_answered_and_a_request_by_its_id() {
        let refused = |text: &str| {
            let reason = ErrorText::new(code::PARSE_ERROR, "x");
            let refused = Outline::of(text.as_bytes()).refuse(reason);
            let is_answered = refused.is_err();
            let id = match refused {
                Ok(Message::Response(refused)) | Err(refused) => refused.id,
                other => panic!("{other:?}"),
            };
            (is_answered, id.map(|id| id.as_str().to_owned()))
        };
        for (text, is_answered, id) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":NaN}}"#, true, Some("1")),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}"#, false, Some("1")),
            (r#"{"jsonrpc":"2.0","id":1}"#, false, Some("1")),
            (r#"{"jsonrpc":"2.0","result":NaN}"#, false, None),
            (r#"{"jsonrpc":"#, true, None),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]"#, true, None),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"result":{}}]"#, true, None),
            ("hello?", true, None),
        ] {
            assert_eq!(refused(text), (is_answered, id.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn pieces_are_scanned_like_the_whole() {
        let text = br#" [{"id" : "a\"b", "result":{"id":7}},{"error":1,"id":-1.5e3 }]"#;
        let mut scan = Scan::default();
        text.chunks(1).for_each(|piece| scan.take(piece));
        assert_eq!(scan.into_seen(), Outline::of(text));
        assert_eq!(ids(text), [r#""a\"b""#, "-1.5e3"]);
    }

    #[test]
    fn deep_and_long_texts_take_no_stack_and_no_quadratic_time() {
        Outline::of("[".repeat(4_000_000).as_bytes());
        Outline::of("{\"id\":".repeat(1_000_000).as_bytes());
        Outline::of(format!("{{{}", "\"id\":\"1\",".repeat(400_000)).as_bytes());
        Outline::of(format!("{{\"id\":{}", "1".repeat(4_000_000)).as_bytes());
    }
}
