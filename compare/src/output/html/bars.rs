//! A bar for each strategy: start and learning, beside those of the others.

use maud::{Markup, html};

use crate::{Report, report::Compared};

/// The bars, in the order of the strategies.
pub(super) fn totals(report: &Report) -> Vec<Markup> {
    let whole = |strategy: &Compared| strategy.initial_tokens + strategy.discovery_tokens.unwrap_or(0);
    let most = report.strategies.iter().map(whole).max().unwrap_or(0).max(1) as f64;
    let percent = |tokens: u64| format!("{:.2}%", tokens as f64 / most * 100.0);
    let bar = |strategy: &Compared| {
        html! {
            // The figures beside it say the same.
            svg.bar aria-hidden="true" {
                rect.start height="100%" width=(percent(strategy.initial_tokens)) {}
                @if let Some(learning) = strategy.discovery_tokens {
                    rect.learning height="100%" x=(percent(strategy.initial_tokens)) width=(percent(learning)) {}
                }
            }
        }
    };
    report.strategies.iter().map(bar).collect()
}
