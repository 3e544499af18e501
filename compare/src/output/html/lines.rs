//! The plot of tokens by the number of used tools.
//!
//! Lines are drawn in a square that is stretched to the available room; circles and labels are positioned by percent
//! over it, so that they are neither distorted nor too small to read. Each line has its name at its end.

use maud::{Markup, html};

use super::scale::Scale;
use crate::{
    Report,
    number::{grouped, of},
    report::{Compared, Point},
};

/// The least distance between two names, in percent of the height.
const BETWEEN_NAMES: f64 = 8.0;

pub(super) fn growth(report: &Report) -> Markup {
    let most_tools = report.tools as f64;
    let points = report.strategies.iter().flat_map(curve);
    let most_tokens = points.map(|point| point.tokens).max().unwrap_or(0) as f64;
    let (across, up) = (Scale::within(most_tools, 6), Scale::above(most_tokens, 5));
    html! {
        div.plot role="img" aria-label=(described(report)) {
            div.axis aria-hidden="true" { "tokens" }
            div.up aria-hidden="true" {
                @for tick in up.ticks() {
                    span style=(format!("bottom:{:.2}%", up.percent(tick))) { (grouped(tick as u64)) }
                }
            }
            svg.area aria-hidden="true" {
                @for tick in up.ticks() {
                    @let y = format!("{:.2}%", 100.0 - up.percent(tick));
                    line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                }
                svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" {
                    @for (at, strategy) in report.strategies.iter().enumerate() {
                        polyline class=(format!("line {}", colour(at))) vector-effect="non-scaling-stroke"
                            points=(path(strategy, &across, &up)) {}
                    }
                }
                @for (at, strategy) in report.strategies.iter().enumerate() {
                    @if let Some(point) = break_even(strategy) {
                        circle class=(format!("dot {}", colour(at))) r="5"
                            cx=(format!("{:.2}%", across.percent(point.tools as f64)))
                            cy=(format!("{:.2}%", 100.0 - up.percent(point.tokens as f64))) {}
                    }
                }
            }
            div.names aria-hidden="true" {
                @for (at, height) in heights(report, &up) {
                    span class=(colour(at)) style=(format!("bottom:{height:.2}%")) { (report.strategies[at].name) }
                }
            }
            div.across aria-hidden="true" {
                @for tick in across.ticks() {
                    span style=(format!("left:{:.2}%", across.percent(tick))) { (grouped(tick as u64)) }
                }
            }
            div.under aria-hidden="true" { "tools used" }
        }
    }
}

/// The class of a strategy's colour.
fn colour(at: usize) -> String {
    format!("s{}", at % 8)
}

/// The positions of names, from the bottom: at the ends of their lines, but not on each other.
fn heights(report: &Report, up: &Scale) -> Vec<(usize, f64)> {
    let end = |strategy: &Compared| {
        curve(strategy).last().map_or(strategy.initial_tokens, |point| point.tokens) as f64
    };
    let mut heights: Vec<(usize, f64)> =
        report.strategies.iter().map(|strategy| up.percent(end(strategy))).enumerate().collect();
    heights.sort_by(|one, other| one.1.total_cmp(&other.1));
    for at in 1..heights.len() {
        heights[at].1 = heights[at].1.max(heights[at - 1].1 + BETWEEN_NAMES);
    }
    // What was pushed over the top pushes down what is below.
    let mut ceiling = 100.0;
    for height in heights.iter_mut().rev() {
        height.1 = height.1.min(ceiling);
        ceiling = height.1 - BETWEEN_NAMES;
    }
    heights
}

fn curve(strategy: &Compared) -> &[Point] {
    strategy.detail.as_ref().map_or(&[], |detail| &detail.curve)
}

fn path(strategy: &Compared, across: &Scale, up: &Scale) -> String {
    let place = |point: &Point| {
        let (x, y) = (across.percent(point.tools as f64), 100.0 - up.percent(point.tokens as f64));
        format!("{x:.2},{y:.2}")
    };
    curve(strategy).iter().map(place).collect::<Vec<_>>().join(" ")
}

fn break_even(strategy: &Compared) -> Option<&Point> {
    let tools = strategy.break_even_tools?;
    curve(strategy).iter().find(|point| point.tools == tools)
}

/// The text alternative of the plot.
fn described(report: &Report) -> String {
    let lines = report.strategies.iter().map(|strategy| {
        let last = curve(strategy).last();
        let end = last.map_or_else(String::new, |point| {
            format!(", {} tokens with {}", grouped(point.tokens), of(point.tools, "tool"))
        });
        format!("{}: {} tokens at the start{end}", strategy.name, grouped(strategy.initial_tokens))
    });
    lines.collect::<Vec<_>>().join("; ")
}
