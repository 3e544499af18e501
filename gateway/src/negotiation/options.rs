//! The operator's choices about strategies.

use std::collections::BTreeMap;

use mcp_disclosure_core::{Definitions, Settings, adaptive};
use serde::{Deserialize, Serialize};

use crate::{problem::Place, strategies::OVER_BUDGET};

/// When a strategy's channel is offered as an ordinary tool as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Bridge {
    /// To clients that have not declared the strategy that serves them.
    #[default]
    Auto,
    /// To everyone.
    Always,
    /// To no client.
    Never,
}

/// The operator's choices about strategies.
#[derive(Clone, Debug)]
pub struct StrategyOptions {
    /// The strategy for every client; `None` to negotiate.
    pub pinned: Option<String>,
    /// The strategies offered. Empty offers all, each behind the filters that apply to every strategy.
    pub offered: Vec<String>,
    /// The strategy for clients without a usable offer; [`adaptive`](mcp_disclosure_core::adaptive::NAME), the default, for `full`
    /// where the complete list is within `budget`, else `over_budget`.
    pub fallback: String,
    /// What a complete list may cost under that, in tokens as [`ListSize`](mcp_disclosure_core::ListSize) counts them.
    pub budget: u64,
    /// The strategy for lists that cost more; the default is `search`, or `full` in a program without it.
    pub over_budget: String,
    /// When bridges are listed.
    pub bridge: Bridge,
    /// What of definitions bridges deliver.
    pub definitions: Definitions,
    /// Whether clients whose list of tools is complete are offered its manifest (SEP-2636).
    pub manifest: bool,
    /// Settings by strategy.
    pub settings: Settings,
    /// Where a file has them.
    pub places: StrategyPlaces,
}

/// Where a file names strategies, for messages.
#[derive(Clone, Debug, Default)]
pub struct StrategyPlaces {
    /// Strategies and stacks, as they are written.
    pub names: Vec<(String, Place)>,
    /// Settings by strategy and key; the place of the whole section has the key `""`.
    pub settings: BTreeMap<(String, String), Place>,
}

impl StrategyPlaces {
    /// The place of a strategy's name, alone or in a stack, or of a stack's.
    pub(super) fn of(&self, name: &str) -> Option<&Place> {
        let is_it = |written: &str| written == name || written.split('+').any(|part| part == name);
        let found = self.names.iter().find(|(written, _)| is_it(written));
        found.map(|(_, place)| place)
    }

    /// The place of a setting, or of all that are said of the strategy.
    pub(super) fn setting(&self, strategy: &str, key: Option<&str>) -> Option<&Place> {
        self.settings.get(&(strategy.to_owned(), key.unwrap_or_default().to_owned()))
    }
}

impl Default for StrategyOptions {
    fn default() -> Self {
        Self {
            pinned: None,
            offered: Vec::new(),
            fallback: adaptive::NAME.to_owned(),
            budget: adaptive::DEFAULT_BUDGET,
            over_budget: OVER_BUDGET.to_owned(),
            bridge: Bridge::Auto,
            definitions: Definitions::Slim,
            manifest: true,
            settings: Settings::new(),
            places: StrategyPlaces::default(),
        }
    }
}
