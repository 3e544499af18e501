//! The log as JSON: one object a line, with the fields of the event and of the request that it belongs to.

use std::fmt::{self, Write as _};

use mcp_disclosure_transport::printable::Bounded;
use serde_json::Value;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{FIELDS_IN_A_MESSAGE, lines::put, longest_field, now};

/// What every line has; fields of these names are left out.
const OWN: [&str; 4] = ["timestamp", "level", "message", "target"];

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
        let message = own.0.iter().find(|(name, _)| *name == "message");
        let mut line = Line::begin(*metadata.level(), message.map_or("\"\"", |(_, message)| message));
        line.say("target", metadata.target());
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
    level: Level,
    text: String,
    names: Vec<&'static str>,
}

impl Line {
    fn begin(level: Level, message: &str) -> Self {
        let text = format!("{{\"timestamp\":\"{}\",\"level\":\"{level}\",\"message\":{message}", now());
        Self { level, text, names: OWN.to_vec() }
    }

    /// Adds a field whose value is JSON.
    fn add(&mut self, name: &str, value: &str) {
        for part in [",\"", name, "\":", value] {
            self.text.push_str(part);
        }
    }

    /// Adds a field whose value is a text of ours.
    fn say(&mut self, name: &str, text: &str) {
        self.add(name, &json(format_args!("{text}"), usize::MAX));
    }

    /// Adds what the line does not have.
    fn extend(&mut self, fields: &Fields) {
        for (name, value) in &fields.0 {
            if !self.names.contains(name) {
                self.add(name, value);
                self.names.push(name);
            }
        }
    }

    /// Whole lines, so that those of several threads do not mix.
    fn write(mut self) {
        self.text.push_str("}\n");
        put(self.text.as_bytes(), self.level);
    }
}

/// Writes the reason why the program ends.
pub(super) fn failure(text: &str, hint: Option<&str>) {
    let mut line = Line::begin(Level::ERROR, &json(format_args!("{text}"), usize::MAX));
    hint.iter().for_each(|hint| line.say("hint", hint));
    line.write();
}

/// Writes the message, which is for people.
pub(super) fn note(text: &str) {
    Line::begin(Level::INFO, &json(format_args!("{text}"), usize::MAX)).write();
}

/// Writes panics in the same form.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let said = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let said = said.unwrap_or("a value that is no text");
        let mut line = Line::begin(Level::ERROR, "\"panicked\"");
        line.add("panic", &json(format_args!("{said}"), longest_field()));
        if let Some(place) = panic.location() {
            line.say("place", &place.to_string());
        }
        line.write();
    }));
}

/// A JSON string of this text, escaped for people as well, and cut.
fn json(value: fmt::Arguments<'_>, most: usize) -> String {
    let mut text = String::new();
    // Writing to a string does not fail, and a value that cannot be shown is cut.
    let _cut = Bounded::new(&mut text, most).write_fmt(value);
    Value::from(text).to_string()
}

impl Fields {
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
        // JSON has neither infinity nor NaN.
        self.set(field, Value::from(value).to_string());
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
