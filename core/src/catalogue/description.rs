//! Description files, which an operator lays over an upstream's definitions (tool-descriptions-resource §7.1,
//! tool-descriptions-guide "Storage Structure").

use serde::Deserialize;

use crate::{
    catalogue::{matching::MatchedRules, rules::Rules},
    name::{ToolName, UpstreamName},
    raw::RawObject,
};

/// The members that replace the upstream's.
const OVERLAY: &[&str] = &["title", "description", "inputSchema", "outputSchema"];

/// The members that are delivered with the definition, or that a strategy uses.
const PARTS: &[&str] =
    &["examples", "usage_guidance", "error_guidance", "keywords", "concerns", "returns", "related"];

/// The other members of a description file.
const OTHERS: &[&str] = &["name", "brief", "category"];

/// One parsed description file.
#[derive(Clone, Debug)]
pub struct DescriptionFile {
    /// Its path, for messages.
    pub path: String,
    /// The tool it describes.
    pub name: ToolName,
    /// The members that replace the upstream's: `title`, `description`, `inputSchema`, `outputSchema`.
    pub overlay: RawObject,
    /// The members that are not part of MCP's `Tool`.
    pub supplement: Supplement,
    /// Unknown members, which are ignored, with a warning.
    pub unknown: Vec<String>,
}

/// The information about a tool that is not in its MCP `Tool` object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supplement {
    /// The operator's brief.
    pub brief: Option<String>,
    /// The operator's category.
    pub category: Option<String>,
    /// `examples`, `usage_guidance`, `error_guidance`, `keywords`, `concerns`, `returns` and `related`, as JSON text.
    pub parts: Option<RawObject>,
    /// The values by concern of its category, as JSON text.
    pub grouped: Option<RawObject>,
    /// Whether the operator pinned the tool (docs/CONTRACT.md S12).
    pub pinned: bool,
    /// Whether it is pinned for its page (docs/CONTRACT.md S14).
    pub paged: bool,
    /// The description file it comes from.
    pub path: Option<String>,
}

impl Supplement {
    /// The JSON text of a part.
    pub fn part(&self, key: &str) -> Option<&str> {
        self.parts.as_ref()?.member(key)
    }

    /// The supplement with the parts that it lacks from another one.
    pub(crate) fn over(self, other: Option<&Self>) -> Self {
        let Some(parts) = other.and_then(|other| other.parts.as_ref()) else { return self };
        Self { parts: Some(self.parts.unwrap_or_default().over(parts)), ..self }
    }

    /// The supplement with the description of the tool's category: the operator's, or else the one that is named after its
    /// upstream.
    pub(crate) fn grouped_by(self, rules: &Rules, upstream: &UpstreamName) -> Self {
        let category = self.category.as_deref().unwrap_or(upstream);
        Self { grouped: rules.grouped.get(category).cloned(), ..self }
    }

    /// The supplement with rules about the tool applied.
    pub(crate) fn ruled_by(mut self, said: &MatchedRules<'_>) -> Self {
        self.brief = said.strongest(self.brief, |rule| rule.brief.clone());
        self.category = said.strongest(self.category, |rule| rule.category.clone());
        self.pinned = said.strongest(None, |rule| rule.pinned.then_some(())).is_some();
        let filed = self.part("concerns").and_then(|concerns| RawObject::parse(concerns).ok());
        if let Some(concerns) = said.concerns(filed) {
            let parts = self.parts.unwrap_or_default();
            self.parts = Some(parts.with("concerns", concerns.text()));
        }
        self
    }
}

/// Why a description file is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// Not JSON, or not an object, or a member of the wrong type.
    #[error("{path}: {source}")]
    Syntax {
        /// The file.
        path: String,
        /// The cause, with line and column.
        source: serde_json::Error,
    },
    /// A member is missing, or says nothing.
    #[error("{path}: '{member}' is missing, null or blank")]
    Missing {
        /// The file.
        path: String,
        /// The member.
        member: &'static str,
    },
    /// `inputSchema` or `outputSchema` is not an object.
    #[error("{path}: '{member}' must be a JSON object, not {found}")]
    NotAnObject {
        /// The file.
        path: String,
        /// The member.
        member: &'static str,
        /// What was found, shortened.
        found: String,
    },
    /// The file's name differs from the tool's.
    #[error("{path}: describes tool '{name}', so the file must be called '{name}.json'")]
    NameDiffers {
        /// The file.
        path: String,
        /// The tool's name.
        name: ToolName,
    },
}

/// The members with a fixed type.
#[derive(Deserialize)]
struct Typed {
    name: Option<ToolName>,
    title: Option<String>,
    description: Option<String>,
    brief: Option<String>,
    category: Option<String>,
    keywords: Option<Vec<String>>,
    related: Option<Vec<String>>,
    examples: Option<Vec<Example>>,
}

/// Checks types only; the text is delivered as it is.
#[derive(Deserialize)]
#[allow(dead_code, reason = "the types are the check")]
struct Example {
    description: Option<String>,
    explanation: Option<String>,
}

impl DescriptionFile {
    /// The members that a file can have.
    pub(crate) fn members() -> impl Iterator<Item = &'static str> {
        [OVERLAY, PARTS, OTHERS].into_iter().flatten().copied()
    }

    /// Parses a file's text. `stem` is the file's name without `.json` and must equal the tool's name.
    ///
    /// What a file leaves out is as the upstream has it; what it says must be something.
    ///
    /// # Errors
    /// Every problem in it.
    pub fn parse(path: &str, stem: &str, text: &str) -> Result<Self, Vec<DescriptionError>> {
        let syntax = |source| vec![DescriptionError::Syntax { path: path.to_owned(), source }];
        let members = RawObject::parse(text).map_err(syntax)?;
        let typed: Typed = serde_json::from_str(text).map_err(syntax)?;
        let mut errors = Vec::new();
        let is_blank = |value| serde_json::from_str(value).is_ok_and(|text: String| text.trim().is_empty());
        for &member in ["name"].iter().chain(OVERLAY) {
            let is_missing = match members.member(member) {
                None => member == "name",
                Some(value) => value == "null" || is_blank(value),
            };
            if is_missing {
                errors.push(DescriptionError::Missing { path: path.to_owned(), member });
            }
        }
        for member in ["inputSchema", "outputSchema"] {
            let wrong = |schema: &&str| !schema.starts_with('{') && *schema != "null";
            if let Some(found) = members.member(member).filter(wrong) {
                let found = found.chars().take(40).collect();
                errors.push(DescriptionError::NotAnObject { path: path.to_owned(), member, found });
            }
        }
        let name = match typed.name {
            Some(name) if *name == *stem && errors.is_empty() => name,
            Some(name) if *name != *stem => {
                errors.push(DescriptionError::NameDiffers { path: path.to_owned(), name });
                return Err(errors);
            }
            _ => return Err(errors),
        };
        let _shapes = (typed.title, typed.description, typed.keywords, typed.related, typed.examples);
        let unknown =
            members.iter().map(|(key, _)| key).filter(|key| Self::members().all(|known| known != *key));
        let unknown = unknown.map(str::to_owned).collect();
        let overlay = members.retain(|key| OVERLAY.contains(&key));
        let parts = members.retain(|key| PARTS.contains(&key));
        let supplement = Supplement {
            brief: typed.brief.filter(|brief| !brief.trim().is_empty()),
            category: typed.category.filter(|category| !category.trim().is_empty()),
            parts: Some(parts),
            path: Some(path.to_owned()),
            ..Supplement::default()
        };
        Ok(Self { path: path.to_owned(), name, overlay, supplement, unknown })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u10_what_a_file_leaves_out_is_as_the_upstream_has_it() {
        let text = r#"{"name":"t","examples":[{"input":{}}]}"#;
        let file = DescriptionFile::parse("d/t.json", "t", text).unwrap();
        assert_eq!((file.overlay.text(), file.unknown.len()), ("{}", 0));
    }
}
