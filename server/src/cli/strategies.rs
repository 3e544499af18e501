//! The command `strategies`, and building the strategies of a command.

use mcp_disclosure_core::{Registry, adaptive};
use mcp_disclosure_gateway::{
    Problem,
    negotiation::{Strategies, StrategyOptions},
};

use super::{Program, print_text, width::folded};
use crate::failure::Failure;

/// Prints each strategy's name, summary and requirements.
///
/// # Errors
/// If stdout cannot be written.
pub fn strategies(program: &Program) -> Result<(), Failure> {
    let line = |name: &str, text: &str| format!("{}\n", folded(&format!("{name:<10} {text}"), 11));
    let default = build(&program.registry, &StrategyOptions::default()).map_err(Failure::Configuration)?;
    let default = default.all().find(|strategy| strategy.profile().name.ends_with(adaptive::NAME));
    if let Some(strategy) = default {
        let shown = [
            line(adaptive::NAME, &strategy.profile().summary),
            line("", "needs: nothing; it is the default"),
        ];
        print_text(&shown.concat())?;
    }
    for profile in program.registry.profiles() {
        let shown = [line(&profile.name, &profile.summary), line("", &format!("needs: {}", profile.needs))];
        print_text(&shown.concat())?;
    }
    Ok(())
}

/// The strategies that the options name.
///
/// # Errors
/// Every name that is unknown and every setting that is wrong, with a hint.
pub(super) fn build(registry: &Registry, options: &StrategyOptions) -> Result<Strategies, Vec<Problem>> {
    Strategies::build(registry, options).map_err(|problems| problems.into_iter().map(hinted).collect())
}

/// Adds a hint to a problem with a strategy that has none.
pub(super) fn hinted(problem: Problem) -> Problem {
    match problem.remedy() {
        Some(_) => problem,
        None => problem.hint("mcp-disclosure strategies lists them"),
    }
}
