//! Settings of `concerns`: the section `[strategy.concerns]`.

use mcp_disclosure_core::{Notes, SettingKind, SettingValue, settings};
use serde::Deserialize;

settings! {
    /// The settings of the filter.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ConcernsConfig {
        /// The handling of an undeclared value: "error", the default, refuses the request, "ignore" ignores the value, and "clamp"
        /// uses the nearest one.
        pub on_invalid_value: OnInvalidValue = OnInvalidValue::default(),
        /// The value of concerns that the host did not choose: "any", the default, or "default", the declared one, once the host
        /// chose any concern.
        pub unset: Unset = Unset::default(),
        /// Whether lists show each primitive's mapping in `_meta.concerns`.
        pub expose: bool = false,
        /// The operator's choices: the values by concern that every client starts with. `--concern NAME=VALUE` takes precedence.
        /// A string stands for the number or boolean that it spells, too.
        pub choices: Notes = Notes::new(),
        /// Parameters in the query of an address that are no choices, by name or pattern. Any other that names no concern is
        /// refused. Default: what proxies in front are known to leave there, such as "api_key" and "utm_*".
        pub ignored_parameters: Vec<String> = IGNORED.map(str::to_owned).into(),
        /// When the tool `choose_concerns` is listed in sessions: "auto", the default, as `--bridge` says; "always" or "never".
        pub bridge: BridgeTool = BridgeTool::default(),
    }
}

/// When the tool `choose_concerns` is listed in sessions, where concerns are declared (docs/CONTRACT.md B11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BridgeTool {
    /// As `--bridge` says: by default to clients that have not shown that they know concerns.
    #[default]
    Auto,
    /// To every client.
    Always,
    /// To no client.
    Never,
}

/// Keys by which proxies and gateways authenticate, and marks of links.
const IGNORED: [&str; 6] = ["access_token", "api_key", "api-key", "apikey", "subscription-key", "utm_*"];

/// The handling of an undeclared value (docs/CONTRACT.md C7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnInvalidValue {
    /// The request is refused, and nothing changes.
    #[default]
    Error,
    /// It is ignored, with a warning.
    Ignore,
    /// The nearest value is used, with a warning; if there is none, it is ignored.
    Clamp,
}

/// The value of concerns that the host did not choose (docs/CONTRACT.md C4, C12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unset {
    /// Any value: they do not filter.
    #[default]
    Any,
    /// Their declared default, once the host chose any concern at all.
    Default,
}

impl SettingValue for BridgeTool {
    const KIND: SettingKind = SettingKind::Word(&["auto", "always", "never"]);
}

impl SettingValue for OnInvalidValue {
    const KIND: SettingKind = SettingKind::Word(&["error", "ignore", "clamp"]);
}

impl SettingValue for Unset {
    const KIND: SettingKind = SettingKind::Word(&["any", "default"]);
}
