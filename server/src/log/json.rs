//! The log as JSON: one object a line, with the fields of the event and of the request that it belongs to.

use std::{
    fmt::{self, Write as _},
    ops::Range,
};

use mcp_disclosure_transport::printable::Bounded;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{FIELDS_IN_A_MESSAGE, lines::put, longest_field, write_now};

/// What every line has; fields of these names are left out.
const OWN: [&str; 4] = ["timestamp", "level", "message", "target"];

/// About how long a line is, in bytes.
const LINE: usize = 512;

/// Writes events to stderr.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonLines;

/// The fields of an event or a span: names, and values as JSON, escaped and cut.
#[derive(Debug)]
struct Fields {
    /// The values, one after another.
    text: String,
    /// Each name, and where its value is.
    places: Vec<(&'static str, Range<usize>)>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for JsonLines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::new();
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
        let mut own = Fields::new();
        event.record(&mut own);
        let metadata = event.metadata();
        let mut line = Line::begin(*metadata.level(), own.of("message").unwrap_or("\"\""));
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
        let mut text = String::with_capacity(LINE);
        text.push_str("{\"timestamp\":\"");
        write_now(&mut text);
        for part in ["\",\"level\":\"", level.as_str(), "\",\"message\":", message] {
            text.push_str(part);
        }
        Self { level, text, names: Vec::with_capacity(16) }
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
        for (name, place) in &fields.places {
            if !OWN.contains(name) && !self.names.contains(name) {
                self.add(name, &fields.text[place.clone()]);
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
    let mut text = String::with_capacity(64);
    quote(&mut text, value, most);
    text
}

fn quote(text: &mut String, value: fmt::Arguments<'_>, most: usize) {
    text.push('"');
    // Writing to a string does not fail, and a value that cannot be shown is cut.
    let _cut = Bounded::new(Quoted(text), most).write_fmt(value);
    text.push('"');
}

/// Escapes what JSON has escapes for, of text without control characters.
struct Quoted<'a>(&'a mut String);

impl fmt::Write for Quoted<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !text.contains(['"', '\\']) {
            self.0.push_str(text);
            return Ok(());
        }
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
    fn new() -> Self {
        Self { text: String::with_capacity(LINE / 2), places: Vec::with_capacity(16) }
    }

    fn of(&self, name: &str) -> Option<&str> {
        let (_, place) = self.places.iter().find(|(known, _)| *known == name)?;
        Some(&self.text[place.clone()])
    }

    fn set(&mut self, field: &Field, write: impl FnOnce(&mut String)) {
        let begin = self.text.len();
        write(&mut self.text);
        let place = begin..self.text.len();
        match self.places.iter_mut().find(|(name, _)| *name == field.name()) {
            Some((_, known)) => *known = place,
            None => self.places.push((field.name(), place)),
        }
    }

    fn set_shown(&mut self, field: &Field, value: impl fmt::Display) {
        self.set(field, |text| {
            // Writing to a string does not fail.
            let _ = write!(text, "{value}");
        });
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set_shown(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set_shown(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set_shown(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has neither infinity nor NaN. A whole number keeps its point, as a float.
        match value.is_finite() {
            true => self.set_shown(field, format_args!("{value:?}")),
            false => self.set_shown(field, "null"),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let fields = if field.name() == "message" { FIELDS_IN_A_MESSAGE } else { 1 };
        let most = longest_field().saturating_mul(fields);
        self.set(field, |text| quote(text, format_args!("{value:?}"), most));
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
