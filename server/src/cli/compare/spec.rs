//! `--strategies`: which rows are compared.
//!
//! A row is a strategy or a stack, each part with what is set for it in parentheses: what every client starts with
//! (`concerns(cost=low)`), and settings of others, by key and value (`info(tools=entry-only)`) or by the name of a variant that
//! the strategy declares (`info(entry-only)`).

use std::fmt;

use mcp_disclosure_core::{Profile, Registry, nearest::nearest};
use mcp_disclosure_gateway::Problem;
use serde_json::Value;

use crate::strategies::NARROWING;

/// One row, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    text: String,
    parts: Vec<Part>,
}

/// One strategy of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    name: String,
    /// What stands in parentheses: keys, if they are given, and values.
    items: Vec<(Option<String>, String)>,
}

/// What a row says of its strategies.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Overrides {
    /// Strategy, key and value.
    pub(super) settings: Vec<(String, String, Value)>,
    /// Concern and value, as it is written.
    pub(super) choices: Vec<(String, String)>,
}

impl Spec {
    /// All rows of a list.
    ///
    /// # Errors
    /// Every row that is not written as one.
    pub(super) fn list(text: &str) -> Result<Vec<Self>, Vec<Problem>> {
        let (mut specs, mut problems) = (Vec::new(), Vec::new());
        for row in split(text, ',') {
            match Self::parse(row) {
                Some(spec) => specs.push(spec),
                None => problems.push(
                    Problem::new(format!("'{row}' is not a row"))
                        .hint("a row is NAME, NAME(KEY=VALUE) or a stack of them joined by +"),
                ),
            }
        }
        if problems.is_empty() { Ok(specs) } else { Err(problems) }
    }

    /// One row; `None` if it is not written as one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let parts = split(text, '+').into_iter().map(Part::parse).collect::<Option<_>>()?;
        Some(Self { text: text.trim().to_owned(), parts })
    }

    /// The name of the strategy or stack.
    pub(super) fn strategy(&self) -> String {
        self.parts.iter().map(|part| &*part.name).collect::<Vec<_>>().join("+")
    }

    /// What stands in parentheses, as settings and choices. Unknown strategies are left to the registry.
    ///
    /// # Errors
    /// What means nothing for its strategy, with the remedy.
    pub(super) fn overrides(&self, registry: &Registry) -> Result<Overrides, Problem> {
        let mut overrides = Overrides::default();
        for part in &self.parts {
            let Some(profile) = find(registry, &part.name) else { continue };
            for (key, value) in &part.items {
                let name = &part.name;
                let refused = |message: String, hint: String| {
                    Err(Problem::new(format!("'{self}': {message}")).hint(hint))
                };
                let takes_choices = name == NARROWING;
                match key {
                    Some(key) if takes_choices => overrides.choices.push((key.clone(), value.clone())),
                    None if takes_choices => {
                        let message = format!("'{value}' is a value without a name");
                        return refused(message, format!("write {name}(NAME={value})"));
                    }
                    Some(key) => {
                        overrides.settings.push((name.clone(), key.clone(), parsed(value)));
                    }
                    None => {
                        let Some(variant) = profile.variants.iter().find(|variant| variant.name == value)
                        else {
                            let message = format!("{name} has no variant '{value}'");
                            return refused(message, hint_of_variants(profile, value));
                        };
                        let value = parsed(variant.value);
                        overrides.settings.push((name.clone(), variant.key.to_owned(), value));
                    }
                }
            }
        }
        Ok(overrides)
    }
}

fn hint_of_variants(profile: &Profile, given: &str) -> String {
    let names = profile.variants.iter().map(|variant| variant.name);
    match (nearest(given, names.clone(), 1).first(), profile.variants.is_empty()) {
        (Some(near), _) => format!("did you mean {}({near})?", profile.name),
        (None, true) => format!("settings are written as {}(KEY=VALUE)", profile.name),
        (None, false) => format!(
            "it has {}; other settings are written as {}(KEY=VALUE)",
            names.collect::<Vec<_>>().join(", "),
            profile.name
        ),
    }
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        let (name, items) = match text.split_once('(') {
            None => (text.trim(), Vec::new()),
            Some((name, inner)) => {
                let items = inner.strip_suffix(')')?.split(',').map(item);
                (name.trim(), items.collect::<Option<_>>()?)
            }
        };
        is_word(name).then(|| Self { name: name.to_owned(), items })
    }
}

/// A key, if there is one, and a value.
fn item(text: &str) -> Option<(Option<String>, String)> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (Some(key.trim()), value.trim()),
        None => (None, text.trim()),
    };
    let is_one = is_word(value) && key.is_none_or(is_word);
    is_one.then(|| (key.map(str::to_owned), value.to_owned()))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(['(', ')'])
}

impl fmt::Display for Spec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn find<'r>(registry: &'r Registry, name: &str) -> Option<&'r Profile> {
    registry.profiles().find(|profile| profile.name == name)
}

/// A number or a truth value where the text is one, else a string.
fn parsed(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => text.into(),
    }
}

/// Splits a text at a character that is not in parentheses.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == at && depth == 0
    });
    parts.map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{DisclosureStrategy, PlugIn, Variant};
    use serde_json::json;

    use super::*;

    #[test]
    fn q2_rows_are_strategies_with_settings_and_choices() {
        let registry = crate::builtin();
        let rows =
            Spec::list("full, info(entry-only),concerns(cost=low,size=3)+info(tools = stubs)").unwrap();
        let written: Vec<String> = rows.iter().map(Spec::to_string).collect();
        assert_eq!(written, ["full", "info(entry-only)", "concerns(cost=low,size=3)+info(tools = stubs)"]);
        assert_eq!(rows.iter().map(Spec::strategy).collect::<Vec<_>>(), ["full", "info", "concerns+info"]);
        assert_eq!(rows[0].overrides(&registry).unwrap(), Overrides::default());
        let settings = |value: &str| vec![("info".to_owned(), "tools".to_owned(), json!(value))];
        assert_eq!(rows[1].overrides(&registry).unwrap().settings, settings("entry-only"));
        let stacked = rows[2].overrides(&registry).unwrap();
        assert_eq!(stacked.settings, settings("stubs"));
        let choice = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(stacked.choices, [choice("cost", "low"), choice("size", "3")]);
    }

    #[test]
    fn q2_settings_of_a_strategy_from_outside_are_no_choices_and_have_their_types() {
        static FILTER: Profile = Profile::filter("mine", "", "").with_variants(&[Variant {
            name: "few",
            key: "most",
            value: "3",
        }]);
        #[derive(Debug)]
        struct Mine;
        impl DisclosureStrategy for Mine {
            fn profile(&self) -> &Profile {
                &FILTER
            }
        }
        let mut registry = crate::builtin();
        registry.register(PlugIn::new(&FILTER, |_: Value| Mine)).unwrap();
        for row in ["mine(few)+info", "mine(most=3)+info"] {
            let overrides = Spec::list(row).unwrap()[0].overrides(&registry).unwrap();
            let settings = vec![("mine".to_owned(), "most".to_owned(), json!(3))];
            assert_eq!(overrides, Overrides { settings, choices: Vec::new() }, "{row}");
        }
    }

    #[test]
    fn q2_what_is_no_row_is_refused_with_its_place_and_a_remedy() {
        for (text, row) in [
            ("full,concerns(cost=low", "concerns(cost=low"),
            ("concerns(cost=low)x", "concerns(cost=low)x"),
            ("a)", "a)"),
            ("info()", "info()"),
            ("concerns(=low)", "concerns(=low)"),
            ("full,,info", ""),
            ("info(a(b))", "info(a(b))"),
        ] {
            let problems = Spec::list(text).unwrap_err();
            assert_eq!(problems[0].message(), format!("'{row}' is not a row"));
            assert!(problems[0].remedy().is_some());
        }
        let registry = crate::builtin();
        for (text, message, hint) in [
            ("info(entry-onl)", "info has no variant 'entry-onl'", "did you mean info(entry-only)?"),
            ("describe(short)", "describe has no variant 'short'", "describe(KEY=VALUE)"),
            ("concerns(low)+info", "'low' is a value without a name", "write concerns(NAME=low)"),
        ] {
            let problem = Spec::list(text).unwrap()[0].overrides(&registry).unwrap_err();
            assert!(problem.message().contains(message), "{}", problem.message());
            assert!(problem.remedy().unwrap().contains(hint), "{:?}", problem.remedy());
        }
    }
}
