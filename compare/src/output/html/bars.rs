//! Stacked bars for each strategy.

use maud::{Markup, html};

use crate::{
    Report,
    number::{grouped, kilobytes, milliseconds},
    report::{Compared, Detail},
};

/// The cost at the start, until the used tools can be called, and over a conversation.
pub(super) fn tokens(report: &Report) -> Markup {
    let once = |strategy: &Compared| {
        vec![strategy.initial_tokens as f64, strategy.discovery_tokens.unwrap_or(0) as f64]
    };
    let conversation = |strategy: &Compared| vec![strategy.conversation_tokens.unwrap_or(0) as f64];
    let shown = |tokens: f64| grouped(tokens as u64);
    html! {
        (start(report))
        h3 { "Read once" }
        (stacked(report, &["start", "learning"], once, shown))
        h3 { (format!("Read over {} turns", report.turns)) }
        (stacked(report, &["start and learning, with every request"], conversation, shown))
    }
}

/// The parts of the start.
fn start(report: &Report) -> Markup {
    let parts = |strategy: &Compared| {
        let initial = strategy.detail.as_ref().map(|detail| detail.initial);
        initial.map_or_else(Vec::new, |initial| {
            [initial.tools, initial.resources, initial.instructions].map(|tokens| tokens as f64).into()
        })
    };
    stacked(report, &["tools", "resources", "instructions"], parts, |tokens| grouped(tokens as u64))
}

/// Round trips and times.
pub(super) fn trips_and_times(report: &Report) -> Markup {
    let trips = |strategy: &Compared| {
        let whole = |detail: &Detail| {
            let learning = detail.steps.iter().map(|step| step.requests).sum::<u64>();
            let calls = detail.calls.count as u64;
            let others = strategy.round_trips.saturating_sub(learning + calls);
            [others, learning, calls].map(|count| count as f64).into()
        };
        strategy.detail.as_ref().map_or_else(Vec::new, whole)
    };
    let times = |strategy: &Compared| {
        let times = &strategy.latency_ms;
        vec![times.connect + times.list, times.discover, times.call]
    };
    html! {
        h3 { "Requests" }
        (stacked(report, &["handshake and lists", "learning", "calls"], trips, |count| format!("{count:.0}")))
        h3 { "Milliseconds" }
        (stacked(report, &["handshake and lists", "learning", "one call"], times, milliseconds))
        h3 { "Kilobytes of messages" }
        (stacked(report, &["both ways"], |strategy| vec![strategy.wire_bytes as f64], |bytes| kilobytes(bytes as u64)))
    }
}

fn stacked(
    report: &Report,
    labels: &[&str],
    parts: impl Fn(&Compared) -> Vec<f64>,
    shown: impl Fn(f64) -> String,
) -> Markup {
    let rows: Vec<(&str, Vec<f64>)> =
        report.strategies.iter().map(|strategy| (&*strategy.name, parts(strategy))).collect();
    let whole = |parts: &[f64]| parts.iter().sum::<f64>();
    let most = rows.iter().map(|(_, parts)| whole(parts)).fold(f64::MIN_POSITIVE, f64::max);
    html! {
        ul.keys { @for (at, label) in labels.iter().enumerate() { li { i class=(format!("key p{at}")) {} (label) } } }
        div.bars {
            @for (name, parts) in &rows {
                span.name { (name) }
                svg role="img" aria-label=(spoken(labels, parts, &shown)) {
                    @for (at, part) in parts.iter().enumerate() {
                        rect class=(format!("p{at}")) height="100%"
                            x=(percent(whole(&parts[..at]), most)) width=(percent(*part, most)) {}
                    }
                }
                span.value { (shown(whole(parts))) }
            }
        }
    }
}

fn percent(part: f64, whole: f64) -> String {
    format!("{:.2}%", part / whole * 100.0)
}

/// The text alternative of a bar.
fn spoken(labels: &[&str], parts: &[f64], shown: impl Fn(f64) -> String) -> String {
    let parts = labels.iter().zip(parts).map(|(label, part)| format!("{label} {}", shown(*part)));
    parts.collect::<Vec<_>>().join(", ")
}
