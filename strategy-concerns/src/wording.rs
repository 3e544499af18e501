//! Every sentence of `concerns` that a host or a model reads.

use mcp_disclosure_core::{Concern, Notes, Objection, Values, brief::shorten, nearest::nearest, plain};
use serde_json::Value;

/// Maximum length of the description of the bridge tool, in bytes.
const LONGEST_DESCRIPTION: usize = 2_000;

/// The description of the bridge tool's argument.
pub const BRIDGE_ARGUMENT: &str =
    "The value to choose by concern; null withdraws a choice. What is not named stays as it is.";

/// The bridge tool's description: what can be chosen, and what is in force.
pub fn bridge(declared: &[Concern], in_force: &Notes) -> String {
    let mut text =
        "Choose which tools of this server are listed, by what matters for the task: only those that fit the chosen \
         values. Concerns, and their values:"
            .to_owned();
    for (at, concern) in declared.iter().enumerate() {
        let said = choosable(concern, in_force.get(concern.name()));
        let line = format!("\n- {}", said.split_whitespace().collect::<Vec<_>>().join(" "));
        let rest = format!("\n- {} more in the parameters", declared.len() - at);
        if text.len() + line.len() + rest.len() > LONGEST_DESCRIPTION {
            text.push_str(&rest);
            break;
        }
        text.push_str(&line);
    }
    text
}

fn choosable(concern: &Concern, in_force: Option<&Value>) -> String {
    let description = match concern.description() {
        "" => String::new(),
        description => format!(" ({})", shorten(description, LONGEST_SHOWN)),
    };
    let values = shorten(&concern.values().to_string(), LONGEST_SHOWN);
    let now = in_force.map_or("any".to_owned(), plain);
    format!("{}{description}: {values}; now {now}", shorten(concern.name(), LONGEST_SHOWN))
}

/// The warning in place of more than ten.
pub const TOO_MANY_WARNINGS: &str = "Too many choices are invalid. The remaining ones were not read.";

/// The error for choices that are too large.
pub fn too_large(bytes: usize, max: usize) -> String {
    format!("The choices have {bytes} bytes; the maximum is {max}.")
}

/// Maximum length of a given name or value in a message, in characters.
const LONGEST_SHOWN: usize = 80;

/// Maximum length of all values in force in a message, in characters.
const LONGEST_CHOICES: usize = 400;

/// The error for choices that are not an object.
pub const NOT_AN_OBJECT: &str = "'concerns' must be an object from concern names to values";

/// The warning about an undeclared concern.
pub fn undeclared(name: &str, declared: &[Concern]) -> String {
    let names: Vec<&str> = declared.iter().map(Concern::name).collect();
    let name = shorten(name, LONGEST_SHOWN);
    format!("Unknown concern '{name}' was ignored. Declared concerns: {}.", names.join(", "))
}

/// The warning that nothing fits the values in force.
pub fn nothing_left(in_force: &Notes) -> String {
    let chosen = in_force.iter().map(|(name, value)| format!("{name} = {}", plain(value)));
    let chosen = shorten(&chosen.collect::<Vec<_>>().join(", "), LONGEST_CHOICES);
    format!(
        "No tool fits {chosen}, so none is listed. Choose another value, or withdraw the choice with null."
    )
}

/// The error for an undeclared value.
pub fn invalid(concern: &Concern, value: &Value) -> String {
    format!(
        "Concern '{}' has no value {}. Permitted: {}.",
        concern.name(),
        shorten(&value.to_string(), LONGEST_SHOWN),
        concern.values()
    )
}

/// The warning about an undeclared value that was ignored.
pub fn ignored(concern: &Concern, value: &Value) -> String {
    format!("{} It was ignored.", invalid(concern, value))
}

/// The warning about an undeclared value that was replaced.
pub fn clamped(concern: &Concern, value: &Value, taken: &Value) -> String {
    format!("{} {taken} is used instead.", invalid(concern, value))
}

/// The objection to an operator's choice of an undeclared concern.
pub fn undeclared_choice(name: &str, declared: &[Concern]) -> Objection {
    let names: Vec<&str> = declared.iter().map(Concern::name).collect();
    let hint = if names.is_empty() {
        "none are declared; declare it with [[concerns]] in disclosure.toml, or remove the choice".to_owned()
    } else {
        format!("declared are {}{}", names.join(", "), meant(name, names.iter().copied()))
    };
    let name = shorten(name, LONGEST_SHOWN);
    Objection { message: format!("no concern '{name}' is declared"), hint: hint.into() }
}

/// The objection to an operator's choice of an undeclared value.
pub fn invalid_choice(concern: &Concern, value: &Value) -> Objection {
    let shown = shorten(&value.to_string(), LONGEST_SHOWN);
    let near = match (concern.values(), value) {
        (Values::Listed(values), Value::String(text)) => meant(text, values.iter().filter_map(Value::as_str)),
        _ => String::new(),
    };
    Objection {
        message: format!("concern '{}' has no value {shown}", concern.name()),
        hint: format!("its values are {}{near}", concern.values()).into(),
    }
}

/// The problem with a parameter of an address that names no declared concern.
pub fn unknown_parameter(name: &str, declared: &[Concern]) -> String {
    let near = nearest(name, declared.iter().map(Concern::name), 1);
    let near = near.first().map_or_else(String::new, |near| format!(" (did you mean '{near}'?)"));
    format!("No concern '{}' is declared{near}.", shorten(name, LONGEST_SHOWN))
}

/// The error for an address that chooses what is not declared.
pub fn wrong_address(problems: &[String], declared: &[Concern]) -> String {
    let all: Vec<String> = declared
        .iter()
        .map(|concern| {
            format!("{}={{{}}}", concern.name(), shorten(&concern.values().to_string(), LONGEST_SHOWN))
        })
        .collect();
    let declared = match all.as_slice() {
        [] => "No concerns are declared here, so an address has no parameters.".to_owned(),
        all => format!("Parameters of the address are the declared concerns: {}.", all.join(", ")),
    };
    format!("{} {declared}", problems.join(" "))
}

/// The objection with the places where the choice may be written.
pub fn of_operator(misfit: Objection) -> Objection {
    let message = format!("{}, but --concern or [strategy.concerns] choices names it", misfit.message);
    Objection { message, ..misfit }
}

/// "Did you mean", behind a list; empty if nothing is similar.
fn meant<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(wanted, names, 1);
    near.first().map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
}
