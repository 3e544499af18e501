//! `[serve]`: the flags of `serve` as keys of a file.

use std::{
    any::TypeId,
    error::Error,
    ffi::{OsStr, OsString},
    path::Path,
    time::Duration,
};

use clap::{
    Arg, ArgAction, Args, Command, ValueHint,
    error::{ContextKind, ContextValue, ErrorKind},
};
use mcp_disclosure_core::nearest::{did_you_mean, kinds};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ServeArguments;
use crate::{config::absolute, operating::AdminAddress};

/// Flags that are no keys: they say what is served by whom, and to whom, which a file says in sections of its own.
const ALONE: [(&str, &str); 5] = [
    ("config", "a file cannot name another one"),
    ("mcp_config", "give it on the command line, or write [upstreams.NAME]"),
    ("upstream_url", "write [upstreams.NAME] with url = \"…\""),
    ("command", "write [upstreams.NAME] with command = \"…\""),
    ("principal", "it is who starts the program: give it on the command line"),
];

/// What the values of a key are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Switch,
    /// A whole number.
    Count,
    Seconds,
    Text,
    Path,
    /// A port, or a text.
    Address,
}

/// `serve`, with every flag.
pub fn table() -> Command {
    ServeArguments::augment_args(Command::new("serve")).disable_help_flag(true)
}

/// The flags that are keys.
pub fn keys(table: &Command) -> impl Iterator<Item = &Arg> {
    table
        .get_arguments()
        .filter(|flag| !flag.is_positional() && ALONE.iter().all(|(alone, _)| flag.get_id() != alone))
}

/// The key of a flag.
pub fn key(flag: &Arg) -> String {
    flag.get_long().unwrap_or_default().replace('-', "_")
}

/// What its values are, and whether they may be several.
pub(crate) fn kind(flag: &Arg) -> (Kind, bool) {
    let of = flag.get_value_parser().type_id();
    let is = |types: &[TypeId]| types.iter().any(|of_type| of == *of_type);
    let kind = match flag.get_action() {
        ArgAction::SetTrue => Kind::Switch,
        _ if is(&[TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()]) => Kind::Count,
        _ if is(&[TypeId::of::<Duration>()]) => Kind::Seconds,
        _ if is(&[TypeId::of::<AdminAddress>()]) => Kind::Address,
        _ if flag.get_value_hint() == ValueHint::AnyPath => Kind::Path,
        _ => Kind::Text,
    };
    (kind, matches!(flag.get_action(), ArgAction::Append))
}

/// The value of a key in a file of this folder, as `serve` takes it; `None` if there is no such key.
///
/// # Errors
/// What is wrong with it, and what to do about that.
pub(crate) fn accepted(key: &str, value: Value, folder: &Path) -> Result<Option<Value>, (String, String)> {
    let table = table();
    let Some(flag) = keys(&table).find(|flag| self::key(flag) == key) else { return Ok(None) };
    let value = match (kind(flag), value.as_str()) {
        ((Kind::Path, false), Some(path)) if !path.is_empty() => {
            absolute(&folder.join(path)).to_string_lossy().into()
        }
        _ => value,
    };
    check(flag, &value)?;
    Ok(Some(value))
}

/// What to do about a key that is none.
pub(crate) fn remedy(name: &str) -> String {
    let plain = name.replace('-', "_");
    if let Some((_, hint)) = ALONE.iter().find(|(alone, _)| *alone == plain) {
        return (*hint).to_owned();
    }
    let table = table();
    let known: Vec<String> = keys(&table).map(key).collect();
    let otherwise = || "its keys are the flags of serve: mcp-disclosure serve --help".to_owned();
    did_you_mean(&plain, known.iter().map(String::as_str), otherwise)
}

/// The texts of a value, as a flag has them.
pub(crate) fn texts(value: &Value) -> Vec<OsString> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.into()],
        value => vec![value.to_string().into()],
    }
}

/// A flag with its values, as words of a command line.
pub(super) fn words(flag: &Arg, values: &[OsString]) -> Vec<OsString> {
    let name = format!("--{}", flag.get_long().unwrap_or_default());
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        return values.iter().filter(|value| *value == "true").map(|_| name.clone().into()).collect();
    }
    let word = |value: &OsString| [OsStr::new(&name), OsStr::new("="), value].into_iter().collect();
    values.iter().map(word).collect()
}

/// Whether a flag takes this value.
fn check(flag: &Arg, value: &Value) -> Result<(), (String, String)> {
    let fits = match kind(flag) {
        (_, true) => is::<Vec<String>>(value),
        (Kind::Switch, _) => is::<bool>(value),
        (Kind::Count, _) => is::<u64>(value),
        (Kind::Seconds, _) => is::<f64>(value),
        (Kind::Address, _) if value.is_u64() => Ok(()),
        _ => is::<String>(value),
    };
    let known: Vec<String> =
        flag.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    let hint = match known.is_empty() {
        true => "docs/reference.md has the type of each key".to_owned(),
        false => format!("it is one of {}", known.join(", ")),
    };
    fits.map_err(|message| (message, hint))?;
    let line = std::iter::once("serve".into()).chain(words(flag, &texts(value)));
    table().try_get_matches_from(line).map(drop).map_err(|error| refused(flag, &error))
}

/// Whether this is a value of the type.
fn is<T: DeserializeOwned>(value: &Value) -> Result<(), String> {
    T::deserialize(value).map(drop).map_err(|error| kinds(&error.to_string()))
}

/// What clap says of a value, and what to do about it.
fn refused(flag: &Arg, error: &clap::Error) -> (String, String) {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let (value, known) = (said(ContextKind::InvalidValue).concat(), said(ContextKind::ValidValue));
    match error.kind() {
        ErrorKind::InvalidValue if !known.is_empty() => {
            let otherwise = || "choose one of them".to_owned();
            let hint = did_you_mean(&value, known.iter().map(String::as_str), otherwise);
            (format!("'{value}' is none of {}", known.join(", ")), hint)
        }
        _ => {
            let why = match error.source() {
                None if value.is_empty() => "it is empty".to_owned(),
                source => source.map_or_else(|| error.kind().to_string(), ToString::to_string),
            };
            let is_named = value.is_empty() || why.contains(&format!("'{value}'"));
            let form = flag.get_value_names().unwrap_or_default().join(" ");
            let hint = format!("it is written {form}; docs/reference.md has each key");
            (if is_named { why } else { format!("'{value}': {why}") }, hint)
        }
    }
}
