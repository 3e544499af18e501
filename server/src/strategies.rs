//! What this program says of strategies by their names, and nowhere else.

use mcp_disclosure_core::Settings;
use mcp_disclosure_ranking::BuiltIn;
use mcp_disclosure_strategy_concerns as concerns;
use mcp_disclosure_strategy_describe as describe;
use mcp_disclosure_strategy_search::{self as search, SearchConfig};

/// The strategy that narrows by concerns.
pub(crate) const NARROWING: &str = concerns::NAME;

/// Its setting of what the operator chooses (docs/CONTRACT.md B11), which `--concern` sets.
pub(crate) const CHOICES: &str = "choices";

/// A setting with which a strategy serves any catalogue, where it would refuse some: strategy, key and value.
pub(crate) const RELAXED: (&str, &str, &str) = (describe::NAME, "long_briefs", "shorten");

/// What `init` lets serve lists that are large.
pub(crate) const FOR_LARGE: &str = search::NAME;

/// What `demo` shows.
pub(crate) const SHOWN: &str = "resource";

pub(crate) use concerns::operator::misfits;

/// What is searched by with these settings. Invalid ones are refused elsewhere.
pub(crate) fn ranker(settings: &Settings) -> BuiltIn {
    let config = settings.get(search::NAME).cloned();
    let config: Option<SearchConfig> = config.and_then(|config| serde_json::from_value(config).ok());
    BuiltIn::new(&config.unwrap_or_default().ranking())
}
