//! The plot of tokens by the number of used tools.
//!
//! Lines are drawn in a square that is stretched to the available room; circles and labels are positioned by percent
//! over it, so that they are neither distorted nor too small to read.

use maud::{Markup, html};

use super::scale::Scale;
use crate::{
    Report,
    number::{grouped, of},
    report::{Compared, Point},
};

pub(super) fn growth(report: &Report) -> Markup {
    let most_tools = report.tools as f64;
    let points = report.strategies.iter().flat_map(curve);
    let most_tokens = points.map(|point| point.tokens).max().unwrap_or(0) as f64;
    let (across, up) = (Scale::within(most_tools, 8), Scale::above(most_tokens, 5));
    html! {
        (legend(report))
        div.plot role="img" aria-label=(described(report)) {
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
                        polyline class=(format!("line s{at}")) vector-effect="non-scaling-stroke"
                            points=(path(strategy, &across, &up)) {}
                    }
                }
                @for (at, strategy) in report.strategies.iter().enumerate() {
                    @if let Some(point) = break_even(strategy) {
                        circle class=(format!("dot s{at}")) r="5"
                            cx=(format!("{:.2}%", across.percent(point.tools as f64)))
                            cy=(format!("{:.2}%", 100.0 - up.percent(point.tokens as f64))) {}
                    }
                }
            }
            div.across aria-hidden="true" {
                @for tick in across.ticks() {
                    span style=(format!("left:{:.2}%", across.percent(tick))) { (grouped(tick as u64)) }
                }
            }
            div.axis aria-hidden="true" { "tools used" }
        }
    }
}

/// The legend.
pub(super) fn legend(report: &Report) -> Markup {
    html! {
        ul.keys {
            @for (at, strategy) in report.strategies.iter().enumerate() {
                li { i class=(format!("key s{at}")) {} (strategy.name) }
            }
        }
    }
}

fn curve(strategy: &Compared) -> &[Point] {
    strategy.detail.as_ref().map_or(&[], |detail| &detail.curve)
}

fn path(strategy: &Compared, across: &Scale, up: &Scale) -> String {
    let place = |point: &Point| {
        let (x, y) = (across.percent(point.tools as f64), 100.0 - up.percent(point.tokens as f64));
        format!("{x:.3},{y:.3}")
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
