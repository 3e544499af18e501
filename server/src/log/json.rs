//! The log as JSON: one object a line, with the fields of the event and of the request that it belongs to.

use std::{
    fmt::{self, Write as _},
    io::Write as _,
};

use mcp_disclosure_transport::printable::Bounded;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{FIELDS_IN_A_MESSAGE, longest_field, now};

/// What every line has; fields of these names are left out.
const OWN: [&str; 4] = ["timestamp", "level", "message", "target"];

/// About how long a line is, in bytes.
const LINE: usize = 512;

/// Writes events to stderr.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonLines;

/// The fields of an event or a span: names, and values as JSON, escaped and cut.
#[derive(Debug, Default)]
struct Fields(Vec<(&'static str, String)>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for JsonLines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut own = Fields::default();
        event.record(&mut own);
        let metadata = event.metadata();
        let mut line = Line::begin(metadata.level().as_str(), own.of("message").unwrap_or("\"\""));
        line.add("target", &json(format_args!("{}", metadata.target()), usize::MAX));
        line.extend(&own);
        // The innermost span is the nearest to what happened.
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(fields) = span.extensions().get::<Fields>() {
                line.extend(fields);
            }
        }
        line.write();
    }
}

/// A line, and the names of its fields so far.
struct Line {
    text: String,
    names: Vec<&'static str>,
}

impl Line {
    fn begin(level: &str, message: &str) -> Self {
        let mut text = String::with_capacity(LINE);
        // Writing to a string does not fail.
        let _ = write!(text, r#"{{"timestamp":"{}","level":"{level}","message":{message}"#, now());
        Self { text, names: Vec::with_capacity(16) }
    }

    fn add(&mut self, name: &str, value: &str) {
        let _ = write!(self.text, r#","{name}":{value}"#);
    }

    /// Adds what the line does not have.
    fn extend(&mut self, fields: &Fields) {
        for (name, value) in &fields.0 {
            if !OWN.contains(name) && !self.names.contains(name) {
                self.add(name, value);
                self.names.push(name);
            }
        }
    }

    /// One write for each line, so that those of several threads do not mix. If stderr is closed, nothing else can be done.
    fn write(mut self) {
        self.text.push_str("}\n");
        let _unread = std::io::stderr().write_all(self.text.as_bytes());
    }
}

/// Writes the reason why the program ends.
pub(super) fn failure(text: &str, hint: Option<&str>) {
    let mut line = Line::begin("ERROR", &json(format_args!("{text}"), usize::MAX));
    if let Some(hint) = hint {
        line.add("hint", &json(format_args!("{hint}"), usize::MAX));
    }
    line.write();
}

/// Writes what is said to people.
pub(super) fn note(text: &str) {
    Line::begin("INFO", &json(format_args!("{text}"), usize::MAX)).write();
}

/// Writes panics in the same form.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let owned = || payload.downcast_ref::<String>().map(String::as_str);
        let said =
            payload.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("a value that is no text");
        let mut line = Line::begin("ERROR", "\"panicked\"");
        line.add("panic", &json(format_args!("{said}"), longest_field()));
        if let Some(place) = panic.location() {
            line.add("place", &json(format_args!("{place}"), usize::MAX));
        }
        line.write();
    }));
}

/// A JSON string of this text, escaped for people as well, and cut.
fn json(value: fmt::Arguments<'_>, most: usize) -> String {
    let mut text = String::with_capacity(64);
    text.push('"');
    // Writing to a string does not fail, and a value that cannot be shown is cut.
    let _cut = Bounded::new(Quoted(&mut text), most).write_fmt(value);
    text.push('"');
    text
}

/// Escapes what JSON has escapes for, of text without control characters.
struct Quoted<'a>(&'a mut String);

impl fmt::Write for Quoted<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| self.write_char(character))
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        if matches!(character, '"' | '\\') {
            self.0.push('\\');
        }
        self.0.push(character);
        Ok(())
    }
}

impl Fields {
    fn of(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn set(&mut self, field: &Field, value: String) {
        match self.0.iter_mut().find(|(name, _)| *name == field.name()) {
            Some((_, known)) => *known = value,
            None => self.0.push((field.name(), value)),
        }
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value.to_string());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value.to_string());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value.to_string());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has neither infinity nor NaN. A whole number keeps its point, as a float.
        self.set(field, if value.is_finite() { format!("{value:?}") } else { "null".to_owned() });
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let fields = if field.name() == "message" { FIELDS_IN_A_MESSAGE } else { 1 };
        self.set(field, json(format_args!("{value:?}"), longest_field().saturating_mul(fields)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_what_peers_say_is_one_json_string_p11() {
        let evil = "\"}\n{\"level\":\"ERROR\"} \\ \u{1b}[31m\u{202e}";
        let text = json(format_args!("{evil}"), 256);
        let read: String = serde_json::from_str(&text).unwrap();
        assert!(
            read.starts_with("\"}\\n{\"level\"") && !text.contains(['\n', '\u{1b}', '\u{202e}']),
            "{text}"
        );
        let long = json(format_args!("{}", "\"".repeat(1_000)), 256);
        assert_eq!(serde_json::from_str::<String>(&long).unwrap().chars().count(), 256);
    }
}
