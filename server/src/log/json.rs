//! The log as JSON: one object a line, with the fields of the event and of the request that it belongs to.

use std::fmt::{self, Write as _};

use mcp_disclosure_transport::printable::Bounded;
use serde_json::{Map, Value, json};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{FIELDS_IN_A_MESSAGE, lines::put, longest_field, now};

/// Writes events to stderr.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonLines;

/// The fields of an event or a span, escaped and cut.
#[derive(Debug, Default)]
struct Fields(Map<String, Value>);

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
        let message = own.0.get("message").cloned().unwrap_or_else(|| "".into());
        let mut line = begun(*metadata.level(), message);
        line["target"] = whole(metadata.target());
        own.add_to(&mut line);
        // The innermost span is the nearest to what happened.
        for span in context.event_scope(event).into_iter().flatten() {
            span.extensions().get::<Fields>().into_iter().for_each(|fields| fields.add_to(&mut line));
        }
        write(&line);
    }
}

/// The beginning of a line.
fn begun(level: Level, message: Value) -> Value {
    json!({"timestamp": now(), "level": level.as_str(), "message": message})
}

/// Whole lines, so that those of several threads do not mix.
fn write(line: &Value) {
    put(format!("{line}\n").as_bytes());
}

/// Writes what the program says besides events, with a hint if there is one.
pub(super) fn say(level: Level, text: &str, hint: Option<&str>) {
    let mut line = begun(level, whole(text));
    hint.iter().for_each(|hint| line["hint"] = whole(hint));
    write(&line);
}

/// Writes panics in the same form.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let said = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let said = said.unwrap_or("a value that is no text");
        let mut line = begun(Level::ERROR, "panicked".into());
        line["panic"] = text_of(format_args!("{said}"), longest_field());
        if let Some(place) = panic.location() {
            line["place"] = whole(&place.to_string());
        }
        write(&line);
    }));
}

/// A text of ours, escaped for people as well.
fn whole(text: &str) -> Value {
    text_of(format_args!("{text}"), usize::MAX)
}

/// A text, escaped for people as well, and cut.
fn text_of(value: fmt::Arguments<'_>, most: usize) -> Value {
    let mut text = String::new();
    // Writing to a string does not fail, and a value that cannot be shown is cut.
    let _cut = Bounded::new(&mut text, most).write_fmt(value);
    text.into()
}

impl Fields {
    /// Adds what a line does not have.
    fn add_to(&self, line: &mut Value) {
        let Some(line) = line.as_object_mut() else { return };
        for (name, value) in &self.0 {
            line.entry(name).or_insert_with(|| value.clone());
        }
    }

    fn set(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has neither infinity nor NaN.
        self.set(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let fields = if field.name() == "message" { FIELDS_IN_A_MESSAGE } else { 1 };
        self.set(field, text_of(format_args!("{value:?}"), longest_field().saturating_mul(fields)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_what_peers_say_is_one_json_string_p11() {
        let evil = "\"}\n{\"level\":\"ERROR\"} \\ \u{1b}[31m\u{202e}";
        let text = text_of(format_args!("{evil}"), 256).to_string();
        let read: String = serde_json::from_str(&text).unwrap();
        assert!(
            read.starts_with("\"}\\n{\"level\"") && !text.contains(['\n', '\u{1b}', '\u{202e}']),
            "{text}"
        );
        let long = text_of(format_args!("{}", "\"".repeat(1_000)), 256).to_string();
        assert_eq!(serde_json::from_str::<String>(&long).unwrap().chars().count(), 256);
    }
}
