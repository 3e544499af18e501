//! Flags that a command line gave.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    marker::PhantomData,
};

use super::{
    ServeArguments, SourceArguments,
    section::{key, table, texts, words},
};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, parser::ValueSource};
use serde_json::{Map, Value};

/// The flags of `A`, a part of `serve`'s, that a command line gave.
///
/// They are values only together with what a file says, so they are kept as they were written until it is read.
#[derive(Clone)]
pub struct Given<A = SourceArguments> {
    /// By the ids of flags.
    values: BTreeMap<String, Vec<OsString>>,
    of: PhantomData<fn() -> A>,
}

impl<A> Given<A> {
    /// The same with values of a flag, by its id; without any it is not given.
    pub fn with(mut self, id: &str, values: impl IntoIterator<Item: Into<OsString>>) -> Self {
        for value in values {
            self.values.entry(id.to_owned()).or_default().push(value.into());
        }
        self
    }

    /// The values of a flag.
    pub fn all(&self, id: &str) -> Vec<String> {
        let values = self.values.get(id).into_iter().flatten();
        values.map(|value| value.to_string_lossy().into_owned()).collect()
    }

    /// The value of a flag that has one.
    pub fn first(&self, id: &str) -> Option<&OsStr> {
        self.values.get(id)?.first().map(OsString::as_os_str)
    }

    /// Whether a flag is given, also by the environment, so that a file's value of it has no effect.
    pub(crate) fn is_given(&self, flag: &Arg) -> bool {
        let is_in_environment = || flag.get_env().is_some_and(|name| std::env::var_os(name).is_some());
        self.values.contains_key(flag.get_id().as_str()) || is_in_environment()
    }

    /// All that `serve` has to know, with what a file says under `[serve]`.
    ///
    /// # Errors
    /// What clap refuses. Each value was accepted where it was read.
    pub fn over(&self, file: &Map<String, Value>) -> Result<ServeArguments, Error> {
        let table = table();
        let (mut line, mut command) = (vec![OsString::from("serve")], Vec::new());
        for flag in table.get_arguments() {
            match self.values.get(flag.get_id().as_str()) {
                Some(values) if flag.is_positional() => command.clone_from(values),
                Some(values) => line.extend(words(flag, values)),
                None if self.is_given(flag) => {}
                None => line.extend(words(flag, &file.get(&key(flag)).map(texts).unwrap_or_default())),
            }
        }
        if !command.is_empty() {
            line.push("--".into());
            line.extend(command);
        }
        ServeArguments::from_arg_matches(&table.try_get_matches_from(line)?)
    }
}

impl<A> Default for Given<A> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), of: PhantomData }
    }
}

impl<A> fmt::Debug for Given<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A value may hold a password.
        formatter.debug_set().entries(self.values.keys()).finish()
    }
}

impl<A: Args> Args for Given<A> {
    fn augment_args(command: Command) -> Command {
        A::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}

impl<A: Args> FromArgMatches for Given<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given = Self::default();
        for flag in A::augment_args(Command::new("")).get_arguments() {
            let id = flag.get_id().as_str();
            if matches.value_source(id) == Some(ValueSource::CommandLine) {
                let values = matches.get_raw(id).into_iter().flatten().map(OsStr::to_owned);
                given.values.insert(id.to_owned(), values.collect());
            }
        }
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
