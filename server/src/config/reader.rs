//! Parses a file's text into sections and collects every problem with its place.
//!
//! Each key is deserialized by itself, since serde stops at the first error.

use std::{ops::Range, path::Path};

use mcp_disclosure_core::nearest::{did_you_mean, kinds, meant};
use mcp_disclosure_gateway::{Place, Problem, limits::fixed};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use toml::{
    Spanned,
    de::{DeTable, DeValue, Deserializer},
};

use super::{DisclosureFile, ESCAPED, KeyPlaces, Places, Table, expand, file::Resources, mistaken, own};
use crate::flags::{accepted, remedy as remedy_of_flag};

/// The top-level keys of a file, and how the value of each is read. The last argument is where the key is.
const SECTIONS: &[(&str, ReadSection)] = &[
    ("tool_descriptions", |reader, file, key, value, _| file.tool_descriptions = reader.value(key, value)),
    ("demo", |reader, file, key, value, _| file.demo = reader.value(key, value).unwrap_or_default()),
    ("server", |reader, file, key, value, _| file.server = reader.section(key, value)),
    ("serve", |reader, file, _, value, _| file.serve = reader.serve(value)),
    ("limits", |reader, file, key, value, _| file.limits = reader.section(key, value)),
    ("upstreams", |reader, file, key, value, _| file.upstreams = reader.sections(key, value)),
    ("categories", |reader, file, key, value, _| file.categories = reader.sections(key, value)),
    ("concerns", |reader, file, key, value, _| file.concerns = reader.list(key, value)),
    ("tools", |reader, file, key, value, _| file.tools = reader.sections(key, value)),
    ("pins", |reader, file, key, value, _| file.pins = reader.section(key, value)),
    ("resources", |reader, file, _, value, _| file.resources = reader.resources(value)),
    ("prompts", |reader, file, key, value, _| file.prompts = reader.sections(key, value)),
    ("auth", |reader, file, key, value, place| file.auth = Some((place, reader.section(key, value)))),
    ("principals", |reader, file, key, value, _| file.principals = reader.list(key, value)),
    ("profiles", |reader, file, key, value, _| file.profiles = reader.sections(key, value)),
    ("strategy", |reader, file, key, value, _| {
        let settings = reader.tables(key, value, Reader::settings);
        file.strategy.extend(settings.0.into_iter().map(|(name, _, settings)| (name, settings)));
    }),
];

type ReadSection = for<'t> fn(&mut Reader<'t>, &mut DisclosureFile, &str, Section<'t>, Place);

impl DisclosureFile {
    /// Reads the text of the file with this path.
    ///
    /// # Errors
    /// Every problem, with its place and a hint.
    pub fn of_file(path: &Path, text: &str) -> Result<Self, Vec<Problem>> {
        let shown = path.display().to_string();
        Self::parse(&shown, text).map_err(|problems| match mistaken::for_declarations(path, text) {
            Some(problem) => vec![problem],
            None => problems,
        })
    }

    /// Parses a file's text, with values from the process's environment.
    ///
    /// # Errors
    /// Every problem, with its place and a hint.
    pub fn parse(path: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let mut reader =
            Reader { path: Path::new(path), places: Places::of(path, text), text, problems: Vec::new() };
        let file = reader.file();
        reader.problems.sort_by(|a, b| a.place().cmp(&b.place()));
        if reader.problems.is_empty() { Ok(file) } else { Err(reader.problems) }
    }
}

struct Reader<'t> {
    path: &'t Path,
    text: &'t str,
    places: Places<'t>,
    problems: Vec<Problem>,
}

type Key<'t> = Spanned<std::borrow::Cow<'t, str>>;
type Section<'t> = Spanned<DeValue<'t>>;

impl<'t> Reader<'t> {
    fn file(&mut self) -> DisclosureFile {
        let mut file = DisclosureFile::default();
        let (root, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            self.report(
                error.span().unwrap_or_default(),
                error.message(),
                "see docs/configuration.md for the form",
            );
        }
        if !self.problems.is_empty() {
            // The recovered rest is a guess, and would cause misleading problems.
            return file;
        }
        for (key, mut value) in root.into_inner() {
            let name = key.get_ref().clone().into_owned();
            // Of what errors name by its key; a file may have thousands of tools.
            if ["serve", "upstreams", "pins", "strategy"].contains(&&*name) {
                self.note(&mut file.places, &mut Vec::new(), (&key, &value));
            }
            // Those of upstreams are substituted when they are started, so that secrets go nowhere else.
            if name != "upstreams" {
                self.substitute(&mut value);
            }
            match SECTIONS.iter().find(|(known, _)| *known == name) {
                Some((known, read)) => read(self, &mut file, known, value, self.place(key.span())),
                None => self.unknown(&key, "", &SECTIONS.iter().map(|(known, _)| *known).collect::<Vec<_>>()),
            }
        }
        file
    }

    /// `[serve]`: flags of `serve`.
    fn serve(&mut self, value: Section<'t>) -> Map<String, Value> {
        let folder = self.path.parent().unwrap_or("".as_ref());
        let mut serve = Map::new();
        for (key, value) in self.table("serve", value) {
            let (name, span) = (key.get_ref().clone().into_owned(), value.span());
            let within = format!("serve.{}", quoted(&name));
            let Some(value) = self.value(&within, value) else { continue };
            match accepted(&name, value, folder) {
                Ok(Some(value)) => drop(serve.insert(name, value)),
                Ok(None) => self.report(key.span(), &format!("unknown key {within}"), &remedy_of_flag(&name)),
                Err((message, hint)) => self.report(span, &format!("{within}: {message}"), &hint),
            }
        }
        serve
    }

    /// The tables in a table, by name, whose keys are a struct's fields.
    fn sections<T: DeserializeOwned + Default>(&mut self, within: &str, value: Section<'t>) -> Table<T> {
        self.tables(within, value, Self::section)
    }

    /// The tables in a table, by name; `read` reads one of them.
    fn tables<T>(
        &mut self,
        within: &str,
        value: Section<'t>,
        read: impl Fn(&mut Self, &str, Section<'t>) -> T,
    ) -> Table<T> {
        let members = self.table(within, value);
        let read = members.into_iter().map(|(key, value)| {
            let place = self.place(key.span());
            let within = format!("{within}.{}", quoted(key.get_ref()));
            let section = read(self, &within, value);
            (key.into_inner().into_owned(), place, section)
        });
        Table(read.collect())
    }

    /// `[resources]`: tables by URI, except for a list under `allow`. A table of that name is a rule for a resource.
    fn resources(&mut self, mut value: Section<'t>) -> Resources {
        let allow = match value.get_mut() {
            DeValue::Table(table) if table.get("allow").is_some_and(|allow| !allow.get_ref().is_table()) => {
                table.remove("allow")
            }
            _ => None,
        };
        // If it cannot be read, that is reported, and nothing is allowed.
        let allow = allow.map(|allow| {
            (self.place(allow.span()), self.value("resources.allow", allow).unwrap_or_default())
        });
        Resources { allow, rules: self.sections("resources", value) }
    }

    /// The tables in an array of tables.
    fn list<T: DeserializeOwned + Default>(&mut self, within: &str, value: Section<'t>) -> Vec<(Place, T)> {
        let span = value.span();
        let DeValue::Array(items) = value.into_inner() else {
            let message = format!("{within} must be an array of tables");
            self.report(span, &message, &format!("write [[{within}]] for each"));
            return Vec::new();
        };
        let read = items.into_iter().enumerate().map(|(at, item)| {
            let place = self.place(item.span());
            (place, self.section(&format!("{within}[{at}]"), item))
        });
        read.collect()
    }

    /// A table whose keys are a struct's fields. Invalid keys are reported and omitted.
    fn section<T: DeserializeOwned + Default>(&mut self, within: &str, value: Section<'t>) -> T {
        let known = fields::<T>();
        let mut good = DeTable::new();
        for (key, value) in self.table(within, value) {
            if known.iter().all(|known| *known != **key.get_ref()) {
                self.unknown(&key, within, &known.iter().map(String::as_str).collect::<Vec<_>>());
                continue;
            }
            let span = value.span();
            let mut alone = DeTable::new();
            alone.insert(key.clone(), value.clone());
            match T::deserialize(Deserializer::from(Spanned::new(span.clone(), alone))) {
                Ok(_) => drop(good.insert(key, value)),
                Err(error) => {
                    let within = format!("{within}.{}", quoted(key.get_ref()));
                    self.unfit(error.span().unwrap_or(span), &within, error.message());
                }
            }
        }
        T::deserialize(Deserializer::from(Spanned::new(0..0, good))).unwrap_or_default()
    }

    /// The settings of a strategy, which validates them: any table.
    fn settings(&mut self, within: &str, value: Section<'t>) -> Value {
        let mut settings = Map::new();
        for (key, value) in self.table(within, value) {
            let within = format!("{within}.{}", quoted(key.get_ref()));
            if let Some(value) = self.value(&within, value) {
                settings.insert(key.into_inner().into_owned(), value);
            }
        }
        Value::Object(settings)
    }

    /// A value other than a table.
    fn value<T: DeserializeOwned>(&mut self, within: &str, value: Section<'t>) -> Option<T> {
        let span = value.span();
        let read = T::deserialize(toml::de::ValueDeserializer::from(value));
        read.map_err(|error| self.unfit(span, within, error.message())).ok()
    }

    fn table(&mut self, within: &str, value: Section<'t>) -> Vec<(Key<'t>, Section<'t>)> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => table.into_iter().collect(),
            other => {
                let form = match within.split(['.', '[']).next().unwrap_or_default() {
                    list @ ("concerns" | "principals") => format!("[[{list}]]"),
                    one @ ("server" | "serve" | "limits" | "pins" | "auth") => format!("[{one}]"),
                    named => format!("[{named}.NAME]"),
                };
                let message = format!("{within} must be a table, not of type {}", other.type_str());
                self.report(span, &message, &format!("its keys are written below {form}"));
                Vec::new()
            }
        }
    }

    /// Substitutes variables of the process's environment in every string.
    fn substitute(&mut self, value: &mut Section<'t>) {
        let span = value.span();
        match value.get_mut() {
            DeValue::String(text) if text.contains("${") => match expand(text, &own) {
                Ok(expanded) => *text = expanded.into(),
                Err(message) => self.report(span, &message, ESCAPED),
            },
            // JSON has no type for times.
            DeValue::Datetime(time) => *value.get_mut() = DeValue::String(time.to_string().into()),
            DeValue::Array(items) => items.iter_mut().for_each(|item| self.substitute(item)),
            DeValue::Table(table) => {
                table.iter_mut().for_each(|(_, value)| self.substitute(value));
            }
            _ => {}
        }
    }

    fn unknown(&mut self, key: &Key<'t>, within: &str, known: &[&str]) {
        let name = key.get_ref();
        if let Some(message) = fixed(name).filter(|_| within == "limits") {
            return self.report(key.span(), &message, "leave it out");
        }
        let whole = if within.is_empty() { quoted(name) } else { format!("{within}.{}", quoted(name)) };
        let hint = match within.is_empty() && name.to_lowercase().ends_with("servers") {
            // As hosts' files call them.
            true => "did you mean 'upstreams'?".to_owned(),
            false => {
                did_you_mean(name, known.iter().copied(), || format!("known keys: {}", known.join(", ")))
            }
        };
        self.report(key.span(), &format!("unknown key {whole}"), &hint);
    }

    /// Reports what `serde` says of a value.
    fn unfit(&mut self, span: Range<usize>, within: &str, message: &str) {
        let message = message.lines().next().unwrap_or_default();
        let hint = match meant(message) {
            Some(word) => format!("did you mean '{word}'?"),
            None => "docs/reference.md has the type of each key".to_owned(),
        };
        self.report(span, &format!("{within}: {}", kinds(message)), &hint);
    }

    fn report(&mut self, span: Range<usize>, message: &str, hint: &str) {
        let place = self.place(span);
        self.problems.push(Problem::new(message).at(place).hint(hint));
    }

    /// Notes where a key is, and the keys of its table.
    fn note(&self, places: &mut KeyPlaces, path: &mut Vec<String>, (key, value): (&Key<'t>, &Section<'t>)) {
        path.push(key.get_ref().clone().into_owned());
        places.note(path, self.place(key.span()));
        let members = value.get_ref().as_table().into_iter().flatten();
        members.for_each(|member| self.note(places, path, member));
        path.pop();
    }

    fn place(&self, span: Range<usize>) -> Place {
        self.places.place(span.start)
    }
}

/// The names of a struct's fields, as serde lists them where it meets another one.
fn fields<T: DeserializeOwned>() -> Vec<String> {
    // Such as: unknown field ``, expected one of `a`, `b`
    let refused = T::deserialize(json!({"": null})).err().map(|error| error.to_string());
    refused.unwrap_or_default().split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

/// A key in TOML's syntax.
fn quoted(key: &str) -> String {
    let bare = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { format!("{key:?}") }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
