//! The log as JSON: one object a line, with the fields of the event and of the request that it belongs to.

use std::{
    fmt::{self, Write as _},
    io::Write as _,
};

use mcp_disclosure_transport::printable::Bounded;
use serde_json::{Map, Value, json};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{FIELDS_IN_A_MESSAGE, longest_field, now};

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
        let mut line = head(metadata.level().as_str(), own.0.remove("message").unwrap_or_else(|| "".into()));
        line.insert("target".into(), metadata.target().into());
        add(&mut line, &own.0);
        // The innermost span is the nearest to what happened.
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(fields) = span.extensions().get::<Fields>() {
                add(&mut line, &fields.0);
            }
        }
        write(&Value::Object(line));
    }
}

/// Adds what the line does not have.
fn add(line: &mut Map<String, Value>, fields: &Map<String, Value>) {
    for (name, value) in fields {
        if !line.contains_key(name) {
            line.insert(name.clone(), value.clone());
        }
    }
}

fn head(level: &str, message: Value) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("timestamp".into(), now().into());
    head.insert("level".into(), level.into());
    head.insert("message".into(), message);
    head
}

/// Writes the reason why the program ends.
pub(super) fn failure(text: &str, hint: Option<&str>) {
    let mut line = head("ERROR", escaped(format_args!("{text}"), usize::MAX).into());
    line.extend(hint.map(|hint| ("hint".into(), escaped(format_args!("{hint}"), usize::MAX).into())));
    write(&Value::Object(line));
}

/// Writes what is said to people.
pub(super) fn note(text: &str) {
    write(&Value::Object(head("INFO", escaped(format_args!("{text}"), usize::MAX).into())));
}

/// Writes panics in the same form.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let said = panic.payload_as_str().unwrap_or("a value that is no text");
        let mut line = head("ERROR", json!("panicked"));
        line.insert("panic".into(), escaped(format_args!("{said}"), longest_field()).into());
        line.extend(panic.location().map(|place| ("place".into(), place.to_string().into())));
        write(&Value::Object(line));
    }));
}

/// One write for each line, so that those of several threads do not mix. If stderr is closed nothing else can be done.
fn write(line: &Value) {
    let mut bytes = line.to_string().into_bytes();
    bytes.push(b'\n');
    let _unread = std::io::stderr().write_all(&bytes);
}

fn escaped(value: fmt::Arguments<'_>, most: usize) -> String {
    let mut text = String::new();
    // Writing to a string does not fail, and a value that cannot be shown is cut.
    let _cut = Bounded::new(&mut text, most).write_fmt(value);
    text
}

impl Fields {
    fn insert(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.insert(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let fields = if field.name() == "message" { FIELDS_IN_A_MESSAGE } else { 1 };
        let most = longest_field().saturating_mul(fields);
        self.insert(field, escaped(format_args!("{value:?}"), most).into());
    }
}
