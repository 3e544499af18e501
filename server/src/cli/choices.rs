//! The operator's choices of concerns (docs/CONTRACT.md B11), checked before anything is started.

use mcp_disclosure_core::{About, Notes, Settings};
use mcp_disclosure_gateway::Problem;
use serde_json::Value;

use crate::{
    config::DisclosureFile,
    strategies::{CHOICES as OF_OPERATOR, misfits},
};

const NAME: &str = OF_OPERATOR.0;
const CHOICES: &str = OF_OPERATOR.1;

/// Everything that is wrong with the choices in `settings`, by what is declared without upstreams. If that is nothing,
/// upstreams may declare what is chosen, and the strategy objects at the start if they do not.
pub(super) fn problems(settings: &Settings, file: Option<&DisclosureFile>, about: &About) -> Vec<Problem> {
    let declared = &about.concerns;
    let wrong = choices(settings).into_iter().flatten().flat_map(|(name, value)| {
        let alone = Notes::from([(name.clone(), value.clone())]);
        let misfits = misfits(declared, &alone, !declared.is_empty()).into_iter();
        misfits.map(move |misfit| at(file, name, value, &misfit.message).hint(misfit.hint))
    });
    wrong.collect()
}

fn choices(settings: &Settings) -> Option<&serde_json::Map<String, Value>> {
    settings.get(NAME)?.get(CHOICES)?.as_object()
}

/// A problem with a choice where it is written: in the file, unless a flag replaced it.
fn at(file: Option<&DisclosureFile>, name: &str, value: &Value, message: &str) -> Problem {
    let in_file =
        file.filter(|file| choices(&file.strategy).and_then(|choices| choices.get(name)) == Some(value));
    let place = in_file.and_then(|file| file.places.of(&["strategy", NAME, CHOICES, name]));
    match (place, value) {
        (Some(place), _) => {
            Problem::new(format!("strategy.{NAME}.{CHOICES}.{name}: {message}")).at(place.clone())
        }
        (None, Value::String(value)) => Problem::new(format!("--concern {name}={value}: {message}")),
        (None, value) => Problem::new(format!("{NAME}.{CHOICES}.{name} = {value}: {message}")),
    }
}
