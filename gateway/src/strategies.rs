//! The built-in strategies, each behind a feature of this crate.

use mcp_disclosure_core::Registry;
#[cfg(feature = "concerns")]
use mcp_disclosure_strategy_concerns as concerns;
#[cfg(feature = "describe")]
use mcp_disclosure_strategy_describe as describe;
#[cfg(feature = "groups")]
use mcp_disclosure_strategy_groups as groups;
#[cfg(feature = "info")]
use mcp_disclosure_strategy_info as info;
#[cfg(feature = "resource")]
use mcp_disclosure_strategy_resource as resource;
#[cfg(feature = "search")]
use mcp_disclosure_strategy_search as search;

/// What serves clients that request no strategy where the complete list is over the budget, unless the operator names another
/// one.
pub(crate) const OVER_BUDGET: &str = "search";

/// The names of all built-in strategies, with those that this crate was built without.
pub(crate) const BUILT_IN: [&str; 6] = ["resource", "describe", "info", "search", "groups", "concerns"];

/// The built-in strategies, and `full`, which is always included. To add a plug-in, add a line.
pub fn builtin() -> Registry {
    let mut registry = Registry::new();
    for plug_in in [
        #[cfg(feature = "resource")]
        mcp_disclosure_core::PlugIn::new(&resource::PROFILE, resource::Resource::new),
        #[cfg(feature = "describe")]
        mcp_disclosure_core::PlugIn::new(&describe::PROFILE, describe::Describe::new),
        #[cfg(feature = "info")]
        mcp_disclosure_core::PlugIn::new(&info::PROFILE, info::Info::new),
        #[cfg(feature = "search")]
        mcp_disclosure_core::PlugIn::new(&search::PROFILE, search::Search::new),
        #[cfg(feature = "groups")]
        mcp_disclosure_core::PlugIn::new(&groups::PROFILE, groups::GroupsStrategy::new),
        // Where concerns are declared, hosts may select by them under any presenter.
        #[cfg(feature = "concerns")]
        mcp_disclosure_core::PlugIn::new(&concerns::PROFILE, concerns::Concerns::new).everywhere(),
    ] {
        let registered = registry.register(plug_in);
        debug_assert!(registered.is_ok(), "{registered:?}");
    }
    registry
}
