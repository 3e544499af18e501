//! The flags of `serve`: one table, by clap, from which the command line, `[serve]` in a file, its schema and its reference
//! come.
//!
//! [`Given`] is what a command line says of it; together with what a file says it is [`ServeArguments`], where the command line
//! takes precedence over the environment, and that over the file. Other commands take a part of the table.

mod given;
mod log;
mod section;
mod serve;
mod source;
mod strategy;

pub use given::Given;
pub use log::{LOG, LogArguments};
#[cfg(test)]
pub(crate) use section::{Kind, kind};
pub(crate) use section::{accepted, remedy, texts};
pub use section::{key, keys, table};
pub use serve::{ServeArguments, SessionStoreArguments, Transport};
pub(crate) use source::{HEADING, limits_help};
pub use source::{Seconds, SourceArguments};
pub use strategy::{SetSource, SettingArguments, StrategyArguments};
pub(crate) use strategy::{json_or_text, one_of, set};

/// What a flag or a key turns on or off; on by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Switch {
    /// Yes.
    #[default]
    On,
    /// No.
    Off,
}

impl Switch {
    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}
