//! YAML: the first document, with the core schema.

use granit_parser::{Event, Parser, ScalarStyle, ScanError};

use super::{Member, Node, SyntaxError, Value};

/// Maximum depth; hosts' files have a depth of about five.
const DEEPEST: usize = 64;

/// The number that stands for no anchor.
const NONE: usize = 0;

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| refused(text, &error))?;
        let at = span.start.byte_offset().unwrap_or_default();
        let end = span.end.byte_offset().unwrap_or(at);
        let node = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = tag.is_none() && style == ScalarStyle::Plain;
                let value = if is_plain { plain(&text) } else { Value::Text(text.into_owned()) };
                Node { is_anchor: anchor != NONE, ..Node::new(at, end, value) }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => Node::new(at, end, Value::Alias),
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEEPEST => {
                return Err(SyntaxError { at, message: format!("nested deeper than {DEEPEST}") });
            }
            Event::SequenceStart(_, anchor, _) => {
                open.push(Open { at, is_anchor: anchor != NONE, value: Value::List(Vec::new()), key: None });
                continue;
            }
            Event::MappingStart(_, anchor, _) => {
                open.push(Open { at, is_anchor: anchor != NONE, value: Value::Table(Vec::new()), key: None });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open { at, is_anchor, value, .. }) => Node { is_anchor, ..Node::new(at, end, value) },
                None => continue,
            },
            Event::DocumentEnd => break,
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.add(node)?,
            None => return Ok(node),
        }
    }
    Ok(Node::new(0, 0, Value::Null))
}

fn refused(text: &str, error: &ScanError) -> SyntaxError {
    let at = error.marker().byte_offset().unwrap_or_default();
    SyntaxError { at: at.min(text.len()), message: error.info() }
}

/// A collection that is not yet closed.
struct Open {
    at: usize,
    is_anchor: bool,
    /// A list or a table.
    value: Value,
    /// The key of a table that has no value yet.
    key: Option<(String, usize, usize)>,
}

impl Open {
    fn add(&mut self, node: Node) -> Result<(), SyntaxError> {
        match &mut self.value {
            Value::Table(members) => match self.key.take() {
                Some((name, at, name_end)) => members.push(Member { name, at, name_end, node }),
                None => {
                    let name = match node.value {
                        Value::Null => Some("null".to_owned()),
                        _ => node.scalar(),
                    };
                    let message = || format!("a key must be text, not {}", node.kind());
                    let name = name.ok_or_else(|| SyntaxError { at: node.at, message: message() })?;
                    self.key = Some((name, node.at, node.end));
                }
            },
            Value::List(items) => items.push(node),
            _ => {}
        }
        Ok(())
    }
}

/// The value of an unquoted scalar.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'))
            && text.parse::<f64>().is_ok() =>
        {
            Value::Number(text.to_owned())
        }
        _ => Value::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_with_places() {
        let text = "# a comment\nmcpServers:\r\n  - name: \"a\"\r\n    env: {PORT: 8080, ON: true, OFF: 'true'}\n    x: ~\n";
        let server = parse(text).unwrap();
        let server = &server.get("mcpServers").unwrap().items()[0];
        assert_eq!(server.get("name").unwrap().text(), Some("a"));
        let env = server.get("env").unwrap();
        assert!(matches!(&env.get("PORT").unwrap().value, Value::Number(number) if number == "8080"));
        assert_eq!(env.get("ON").unwrap().as_bool(), Some(true));
        assert_eq!(env.get("OFF").unwrap().text(), Some("true"));
        assert!(server.get("x").is_none());
        assert_eq!(&text[env.members()[0].at..][..4], "PORT");
        assert_eq!(&text[server.members()[1].at..][..3], "env");
    }

    #[test]
    fn aliases_are_not_followed_and_depth_is_bounded() {
        let node = parse("a: &a [1, 1]\nb: [*a, *a]\n").unwrap();
        assert!(node.get("b").unwrap().items().iter().all(|item| matches!(item.value, Value::Alias)));
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse("a: [").is_err() && parse("? [1]\n: 2\n").is_err() && parse("a: *none\n").is_err());
        assert!(matches!(parse("").unwrap().value, Value::Null));
    }
}
