//! The arguments of `search_tools`.

use mcp_disclosure_core::{ArgumentProblem, RawObject, inner_call::text};
use serde_json::Value;

use crate::{SearchConfig, wording};

/// A search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchArguments {
    /// The words; empty to browse.
    pub query: String,
    /// The category to search or list.
    pub category: Option<String>,
    /// Maximum number of hits; `None` if the search does not say.
    pub limit: Option<usize>,
    /// What hits come with.
    pub detail: Detail,
}

/// What hits come with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The schemas of hits that are certain or near the best one.
    Best,
    /// No schemas.
    Brief,
    /// All schemas.
    Full,
}

impl SearchArguments {
    /// Reads the members of the arguments. Numbers and words in strings are understood.
    ///
    /// # Errors
    /// The first problem.
    pub fn read(members: &RawObject, config: &SearchConfig) -> Result<Self, ArgumentProblem> {
        let known = ["query", "category", "limit", "detail"];
        if let Some((key, _)) = members.iter().find(|(key, _)| !known.contains(key)) {
            return Err(ArgumentProblem::of(key, wording::UNKNOWN_ARGUMENT, wording::KNOWN_ARGUMENTS));
        }
        let query = text(members, "query", wording::EXPECTED_QUERY)?.unwrap_or_default();
        let category = text(members, "category", wording::EXPECTED_CATEGORY)?;
        let given = members.member("limit").filter(|given| *given != "null");
        let limit = given.map(|given| limit(given, config.most_hits.get())).transpose()?;
        let detail = match text(members, "detail", wording::EXPECTED_DETAIL)?.as_deref() {
            None => Detail::Best,
            Some("brief") => Detail::Brief,
            Some("full") => Detail::Full,
            Some(other) => {
                return Err(ArgumentProblem::of("detail", other, wording::EXPECTED_DETAIL));
            }
        };
        Ok(Self {
            query: query.trim().to_owned(),
            category: category.filter(|category| !category.trim().is_empty()),
            limit,
            detail,
        })
    }
}

/// A limit: what is too large counts as the maximum.
fn limit(raw: &str, most: usize) -> Result<usize, ArgumentProblem> {
    let value: Option<Value> = serde_json::from_str(raw).ok();
    let number = match &value {
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_f64(),
        None => None,
    };
    // Casts from floats saturate; fractions are cut off.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let limit = number.filter(|number| *number >= 1.0).map(|number| (number as usize).min(most));
    limit.ok_or_else(|| ArgumentProblem::of("limit", raw, &wording::expected_limit(most)))
}
