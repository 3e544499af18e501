//! Settings of strategies as data: the keys of `[strategy.NAME]`, and of `--set NAME.KEY=VALUE`.

use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroUsize,
    path::PathBuf,
};

use serde_json::Value;

/// A setting of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its key in `[strategy.NAME]`.
    pub key: &'static str,
    /// What its values are.
    pub kind: SettingKind,
    /// What it is for, with its default.
    pub text: &'static str,
}

/// What the values of a setting are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A whole number from 0.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A table.
    Table,
}

/// A type of settings.
pub trait SettingValue {
    /// What its values are.
    const KIND: SettingKind;
}

macro_rules! kinds {
    ($($kind:ident: $($type:ty),+;)+) => {
        $($(impl SettingValue for $type { const KIND: SettingKind = SettingKind::$kind; })+)+
    };
}

kinds! {
    Number: usize, u64, NonZeroUsize;
    Boolean: bool;
    Text: String, PathBuf;
    Texts: Vec<String>;
    Table: BTreeMap<String, String>, BTreeMap<String, Value>, HashMap<String, Vec<String>>;
}

/// Declares the settings of a strategy: a struct that is deserialized from `[strategy.NAME]`, its defaults, and `SETTINGS`, which is
/// what people are shown.
///
/// ```
/// mcp_disclosure_core::settings! {
///     /// The settings in `[strategy.find]`.
///     #[derive(Debug, serde::Deserialize)]
///     #[serde(default, deny_unknown_fields)]
///     pub struct SearchConfig {
///         /// Maximum number of tools that a search returns. Default: 3.
///         pub results: usize = 3,
///     }
/// }
/// assert_eq!(SearchConfig::default().results, 3);
/// assert_eq!(SearchConfig::SETTINGS[0].key, "results");
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $config:ident {
        $($(#[cfg($($cfg:tt)*)])? $(#[doc = $text:literal])+ pub $key:ident: $type:ty = $default:expr,)+
    }) => {
        $(#[$meta])*
        pub struct $config {
            $($(#[cfg($($cfg)*)])? $(#[doc = $text])+ pub $key: $type,)+
        }

        impl Default for $config {
            fn default() -> Self {
                Self { $($(#[cfg($($cfg)*)])? $key: $default,)+ }
            }
        }

        impl $config {
            /// What people can set.
            pub const SETTINGS: &'static [$crate::Setting] = &[$($(#[cfg($($cfg)*)])? $crate::Setting {
                key: stringify!($key),
                kind: <$type as $crate::SettingValue>::KIND,
                text: concat!($($text),+),
            },)+];
        }
    };
}
