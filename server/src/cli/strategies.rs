//! `strategies`.

use mcp_disclosure_core::Registry;

use super::print;
use crate::failure::Failure;

/// Prints name, summary and needs of each strategy.
///
/// # Errors
/// If stdout cannot be written.
pub fn strategies(registry: &Registry) -> Result<(), Failure> {
    let mut text = String::new();
    for profile in registry.profiles() {
        text.push_str(&format!("{:<10} {}\n", profile.name, profile.summary));
        text.push_str(&format!("{:<10} needs: {}\n", "", profile.needs));
    }
    print(&text)
}
