//! `--strategies`: which rows are compared.
//!
//! A row is a strategy or a stack, each part with what is set for it in parentheses: what every client starts with
//! (`concerns(cost=low)`), and settings of others, by key and value (`info(tools=entry-only)`) or by the name of a variant that
//! the strategy declares (`info(entry-only)`).

use mcp_disclosure_core::{Profile, Registry, nearest::nearest};
use mcp_disclosure_gateway::Problem;

use crate::{
    flags::{SettingArguments, json_or_text},
    strategies::NARROWING,
};

/// One row.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    /// As it is written.
    pub(super) text: String,
    /// The name of the strategy or stack.
    pub(super) strategy: String,
    /// What stands in parentheses, as flags would say it.
    pub(super) said: SettingArguments,
}

impl Spec {
    /// All rows of a list, or why one means nothing.
    pub(super) fn list(registry: &Registry, text: &str) -> Vec<Result<Self, Problem>> {
        split(text, ',').into_iter().map(|row| Self::parse(registry, row)).collect()
    }

    /// One row. Unknown strategies are left to the registry.
    ///
    /// # Errors
    /// That it is not written as one, or what means nothing for its strategy, with the remedy.
    pub(super) fn parse(registry: &Registry, text: &str) -> Result<Self, Problem> {
        let unwritten = || {
            let hint = "a row is NAME, NAME(KEY=VALUE) or a stack of them joined by +";
            Problem::new(format!("'{text}' is not a row")).hint(hint)
        };
        let refused = |message: String, hint: String| Problem::new(format!("'{text}': {message}")).hint(hint);
        let (mut names, mut said) = (Vec::new(), SettingArguments::default());
        for one in split(text, '+') {
            let (name, items) = part(one).ok_or_else(unwritten)?;
            names.push(name);
            let Some(profile) = registry.profiles().find(|profile| profile.name == name) else { continue };
            for item in items {
                match item {
                    (Some(key), value) if name == NARROWING => {
                        said.concern.push((key.to_owned(), value.to_owned()));
                    }
                    (None, value) if name == NARROWING => {
                        let message = format!("'{value}' is a value without a name");
                        return Err(refused(message, format!("write {name}(NAME={value})")));
                    }
                    (Some(key), value) => {
                        said.set.push((name.to_owned(), key.to_owned(), json_or_text(value)));
                    }
                    (None, value) => {
                        let variant = profile.variants.iter().find(|variant| variant.name == value);
                        let variant = variant.ok_or_else(|| {
                            let message = format!("{name} has no variant '{value}'");
                            refused(message, hint_of_variants(profile, value))
                        })?;
                        let value = json_or_text(variant.value);
                        said.set.push((name.to_owned(), variant.key.to_owned(), value));
                    }
                }
            }
        }
        Ok(Self { text: text.to_owned(), strategy: names.join("+"), said })
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

/// What stands in parentheses: a key, if it is given, and a value.
type Item<'t> = (Option<&'t str>, &'t str);

/// The name of a part of a stack, and what stands in its parentheses.
fn part(text: &str) -> Option<(&str, Vec<Item<'_>>)> {
    let (name, items) = match text.split_once('(') {
        None => (text, Vec::new()),
        Some((name, inner)) => {
            let items = inner.strip_suffix(')')?.split(',').map(item);
            (name.trim(), items.collect::<Option<_>>()?)
        }
    };
    is_word(name).then_some((name, items))
}

fn item(text: &str) -> Option<Item<'_>> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (Some(key.trim()), value.trim()),
        None => (None, text.trim()),
    };
    let is_one = is_word(value) && key.is_none_or(is_word);
    is_one.then_some((key, value))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(['(', ')'])
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
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn q2_rows_are_strategies_with_settings_and_choices() {
        let registry = crate::builtin();
        let rows = "full, info(entry-only),concerns(cost=low,size=3)+info(tools = stubs)";
        let rows: Vec<Spec> = Spec::list(&registry, rows).into_iter().map(Result::unwrap).collect();
        let written: Vec<&str> = rows.iter().map(|row| &*row.text).collect();
        assert_eq!(written, ["full", "info(entry-only)", "concerns(cost=low,size=3)+info(tools = stubs)"]);
        let strategies: Vec<&str> = rows.iter().map(|row| &*row.strategy).collect();
        assert_eq!(strategies, ["full", "info", "concerns+info"]);
        let settings = |value: &str| vec![("info".to_owned(), "tools".to_owned(), json!(value))];
        assert_eq!((&rows[0].said.set, &rows[1].said.set), (&vec![], &settings("entry-only")));
        assert_eq!(rows[2].said.set, settings("stubs"));
        let choice = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(rows[2].said.concern, [choice("cost", "low"), choice("size", "3")]);
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
            let said = Spec::parse(&registry, row).unwrap().said;
            let settings = vec![("mine".to_owned(), "most".to_owned(), json!(3))];
            assert_eq!((said.set, said.concern), (settings, vec![]), "{row}");
        }
    }

    #[test]
    fn q2_what_is_no_row_is_refused_with_its_place_and_a_remedy() {
        let registry = crate::builtin();
        for (text, row) in [
            ("full,concerns(cost=low", "concerns(cost=low"),
            ("concerns(cost=low)x", "concerns(cost=low)x"),
            ("a)", "a)"),
            ("info()", "info()"),
            ("concerns(=low)", "concerns(=low)"),
            ("full,,info", ""),
            ("info(a(b))", "info(a(b))"),
        ] {
            let problem = Spec::list(&registry, text).into_iter().find_map(Result::err).unwrap();
            assert_eq!(problem.message(), format!("'{row}' is not a row"));
            assert!(problem.remedy().is_some());
        }
        for (text, message, hint) in [
            ("info(entry-onl)", "info has no variant 'entry-onl'", "did you mean info(entry-only)?"),
            ("describe(short)", "describe has no variant 'short'", "describe(KEY=VALUE)"),
            ("concerns(low)+info", "'low' is a value without a name", "write concerns(NAME=low)"),
        ] {
            let problem = Spec::parse(&registry, text).unwrap_err();
            assert!(problem.message().contains(message), "{}", problem.message());
            assert!(problem.remedy().unwrap().contains(hint), "{:?}", problem.remedy());
        }
    }
}
