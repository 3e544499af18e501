//! Messages about strategies that cannot be used.

use mcp_disclosure_core::{
    Error, Objection,
    nearest::{meant, nearest},
};

use super::StrategyPlaces;
use crate::{problem::Problem, strategies::BUILT_IN};

/// Why a strategy cannot be built, with what was probably meant, and where it is written.
pub fn problem(error: &Error, places: &StrategyPlaces) -> Problem {
    let problem = Problem::new(match error {
        Error::Build { name, key: Some(key), source } => format!("strategy.{name}.{key}: {source}"),
        _ => describe(error),
    });
    let (place, near) = match error {
        Error::UnknownStrategy { name, .. } if BUILT_IN.contains(&&**name) => {
            let hint = format!("this program was built without the feature '{name}'");
            return places.of(name).cloned().into_iter().fold(problem, Problem::at).hint(hint);
        }
        Error::UnknownStrategy { name, known } => {
            (places.of(name), nearest(name, known.split(", "), 1).first().map(|near| (*near).to_owned()))
        }
        Error::Build { name, key, source } => {
            (places.setting(name, key.as_deref()), meant(&source.to_string()).map(str::to_owned))
        }
        _ => (None, None),
    };
    let problem = place.cloned().into_iter().fold(problem, Problem::at);
    near.into_iter().fold(problem, |problem, near| problem.hint(format!("did you mean '{near}'?")))
}

/// Logs the first objection and the number of all.
pub fn warn_of(strategy: &str, consequence: &str, objections: &[Objection]) {
    if let Some(Objection { message, hint }) = objections.first() {
        tracing::warn!(strategy, objections = objections.len(), "{consequence}: {message} (hint: {hint})");
    }
}

/// The error and its sources, on one line.
pub fn describe(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
