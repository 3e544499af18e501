//! The log on stderr: one line per event, whatever text peers put into it.
//!
//! Every field and message passes through here, so that call sites need not escape: control characters and direction
//! overrides are escaped, and long values are cut. `json` is the format for programs.

mod json;
mod lines;

use std::{
    fmt::{self, Write},
    io::IsTerminal,
    sync::OnceLock,
};

use mcp_disclosure_transport::printable::{Bounded, one_line};
use tracing::{Level, field::Field};
use tracing_subscriber::{
    EnvFilter, Layer,
    field::MakeExt,
    filter::{FilterExt, filter_fn},
    fmt::{
        FormatFields,
        format::{Writer, debug_fn},
        time::{FormatTime, SystemTime},
    },
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use lines::Lines;
pub(crate) use lines::{finish, gather, show};
use mcp_disclosure_gateway::limits::Limits;

use crate::cli::folded_on_stderr;

/// A message may be as long as this many fields, since it contains a few values.
const FIELDS_IN_A_MESSAGE: usize = 4;

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// The format in use.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Writes events to stderr, since stdout belongs to the protocol.
pub(crate) fn to_stderr(filter: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    // It logs authorization codes, and answers that hold tokens. What matters of it is in our own errors.
    let filter = match "rmcp::transport::auth=off".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    };
    let registry = tracing_subscriber::registry();
    // A program that embeds this one may have set up logging already.
    let _already = match format {
        LogFormat::Text => {
            lines::precede_panics();
            // Whether something would be logged is asked without being either.
            let is_no_span = filter_fn(|metadata| !metadata.is_span());
            registry.with(text().with_filter(filter.and(is_no_span))).try_init()
        }
        LogFormat::Json => {
            json::report_panics();
            registry.with(json::JsonLines.with_filter(filter)).try_init()
        }
    };
    let _first = FORMAT.set(format);
}

/// Lines for people. The line of a call names what its span has, so spans are not made for it.
fn text<S>() -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    let colour =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let layer = tracing_subscriber::fmt::layer().with_writer(|| Lines).with_ansi(colour);
    // If stderr is closed, reporting that there would panic.
    layer.log_internal_errors(false).fmt_fields(fields()).with_target(false)
}

/// Reports why the program ends, whatever is logged.
pub(crate) fn report(text: &str, hint: Option<&str>) {
    if FORMAT.get() == Some(&LogFormat::Json) {
        return json::say(Level::ERROR, text, hint);
    }
    let hint = hint.map(|hint| format!("hint: {hint}"));
    for line in text.lines().chain(hint.as_deref()) {
        let line = format!("mcp-disclosure: {}", one_line(line));
        lines::put(format!("{}\n", folded_on_stderr(&line)).as_bytes());
    }
}

/// Says something to people, whatever is logged.
pub(crate) fn note(text: &str) {
    if FORMAT.get() == Some(&LogFormat::Json) {
        return json::say(Level::INFO, text, None);
    }
    lines::put(format!("mcp-disclosure: {}\n", one_line(text)).as_bytes());
}

/// The time, as in every line: RFC 3339 in UTC.
pub(crate) fn now() -> String {
    let mut now = String::with_capacity(32);
    // Writing to a string does not fail.
    let _ = SystemTime.format_time(&mut Writer::new(&mut now));
    now
}

fn longest_field() -> usize {
    Limits::default().log_field_characters
}

/// Writes the fields of events: the message as it is, the others as `name=value`.
fn fields() -> impl for<'writer> FormatFields<'writer> {
    let field = |writer: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug| {
        let mut longest = longest_field();
        if field.name() == "message" {
            longest = longest.saturating_mul(FIELDS_IN_A_MESSAGE);
        } else if writer.has_ansi_escapes() {
            write!(writer, "\u{1b}[3m{}\u{1b}[0m\u{1b}[2m=\u{1b}[0m", field.name())?;
        } else {
            write!(writer, "{}=", field.name())?;
        }
        Bounded::new(writer, longest).write_fmt(format_args!("{value:?}"))
    };
    debug_fn(field).delimited(" ")
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use mcp_disclosure_transport::printable::is_active;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(log: impl FnOnce()) -> String {
        let written = Written::default();
        let to = written.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || to.clone()).with_ansi(false);
        tracing::subscriber::with_default(subscriber.fmt_fields(fields()).without_time().finish(), log);
        let bytes = written.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn nothing_that_a_peer_says_forges_a_line_or_moves_a_terminal_p11() {
        let evil = "a\n2030-01-01 ERROR all is lost\u{1b}[2J\u{9b}31m\r\u{202e}\u{2028}\u{7f}\u{0}b";
        let text = logged(|| {
            tracing::info!(tool = evil, shown = %evil, debug = ?[evil], "message: {evil}");
            let span = tracing::info_span!("span", tool = evil, shown = %evil);
            span.in_scope(|| tracing::info!("in a span"));
        });
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.lines().all(|line| !line.chars().any(is_active)), "{text:?}");
        assert!(text.contains("all is lost\\u001b[2J") && text.contains("in a span"), "{text}");
    }

    #[test]
    fn what_is_long_is_cut_p11() {
        let long = "x".repeat(100_000);
        for text in [
            logged(|| tracing::info!(field = %long, "m")),
            logged(|| tracing::info!(field = long, "m")),
            logged(|| tracing::info!(field = ?[&long], "m")),
        ] {
            let (_, field) = text.split_once("field=").unwrap();
            assert_eq!((field.trim_end().chars().count(), field.trim_end().ends_with('…')), (256, true));
        }
        let text = logged(|| tracing::info!("{long}"));
        assert!(text.chars().count() < 1100, "{}", text.len());
    }
}
