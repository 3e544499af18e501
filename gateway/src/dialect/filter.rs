//! The filter of a list by names (SEP-2564).
//!
//! ```text
//! → {"method": "tools/list", "params": {"filter": {"namePatterns": ["git_*", "search_?"]}}}
//! ```
//!
//! Fields that are not supported are ignored, and an empty field counts as absent: the draft wants a filter to select among what a
//! client may see anyway, never to protect.

use mcp_disclosure_core::{Pattern, RawObject, given};
use mcp_disclosure_transport::{ErrorText, printable::printable};

use crate::limits::Limits;

/// The capability, in `capabilities.tools.filtering`.
pub(crate) const FILTERING: &str = r#"{"supported":["namePatterns"]}"#;

/// The field that is supported.
const FIELD: &str = "namePatterns";

/// A filter that leaves something out.
#[derive(Clone, Debug)]
pub(crate) struct Filter(Vec<Pattern>);

impl Filter {
    /// Reads the filter of a list request; `None` if it asks for everything.
    ///
    /// # Errors
    /// -32602 if it cannot be read, or has too many patterns, or too long ones.
    pub(crate) fn read(params: &RawObject, limits: &Limits) -> Result<Option<Self>, ErrorText> {
        let Some(filter) = params.member("filter") else { return Ok(None) };
        let filter = RawObject::parse(filter)
            .map_err(|_| ErrorText::invalid_params("params.filter must be an object"))?;
        let Some(patterns) = filter.member(FIELD) else { return Ok(None) };
        let read = |patterns| -> Option<Vec<_>> {
            given::items(patterns, limits.filter_patterns)?.into_iter().map(given::string).collect()
        };
        let patterns = read(patterns).ok_or_else(|| {
            ErrorText::invalid_params(format_args!("params.filter.{FIELD} must be an array of strings"))
        })?;
        let most = limits.filter_pattern_characters;
        if let Some(long) = patterns.iter().find(|pattern| pattern.chars().count() > most) {
            let shown: String = long.chars().take(32).collect();
            return Err(ErrorText::invalid_params(format_args!(
                "Invalid pattern in {FIELD}: '{}…' — more than {most} characters",
                printable(&shown)
            )));
        }
        if patterns.len() > limits.filter_patterns {
            return Err(ErrorText::invalid_params(format_args!(
                "Too many patterns: {} exceeds maximum of {}",
                patterns.len(),
                limits.filter_patterns
            )));
        }
        let patterns: Vec<Pattern> = patterns.iter().map(|pattern| Pattern::new(pattern)).collect();
        Ok(Some(Self(patterns)).filter(|filter| !filter.0.is_empty()))
    }

    /// Whether it admits an item of this name: one pattern is enough.
    pub(crate) fn admits(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(name))
    }

    /// How many patterns it has.
    pub(crate) fn patterns(&self) -> usize {
        self.0.len()
    }
}
