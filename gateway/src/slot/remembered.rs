//! What upstreams said and listed last time, which can be served before they are ready.

use std::{collections::HashMap, fmt, sync::Arc};

use mcp_disclosure_core::{Era, Kind, ListHints, RawText, UpstreamLists, UpstreamName};
use serde::{Deserialize, Serialize};

use crate::upstream::{Introduction, UpstreamConfig};

/// Keeps what upstreams said and listed, across restarts of the program.
pub trait Memory: Send + Sync + fmt::Debug {
    /// What was kept of the upstream in this era; `None` if there is nothing, or it cannot be read. May block.
    fn recall(&self, config: &UpstreamConfig, era: Era) -> Option<RawText>;

    /// Keeps this. Failures are for the log. May block.
    fn keep(&self, config: &UpstreamConfig, era: Era, remembered: &RawText);
}

/// What an upstream said and listed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Remembered {
    pub(super) introduction: Arc<Introduction>,
    pub(super) lists: Arc<UpstreamLists>,
}

impl Remembered {
    /// From JSON, for the upstream of this name; `None` if it is not what was written.
    pub(super) fn of_json(json: &RawText, name: &UpstreamName) -> Option<Self> {
        let Self { introduction, lists } = serde_json::from_str(json.get()).ok()?;
        let lists = UpstreamLists {
            name: name.clone(),
            server_info: introduction.server_info.clone(),
            instructions: introduction.instructions.clone(),
            concerns: introduction.concerns(),
            // Clients are not to keep what may be outdated.
            hints: HashMap::from(Kind::ALL.map(|kind| (kind, ListHints::NONE))),
            ..Arc::unwrap_or_clone(lists)
        };
        Some(Self { introduction, lists: Arc::new(lists) })
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{OwnGroup, RawObject};

    use super::*;
    use crate::{lineage::Chain, upstream::Eras};

    #[test]
    fn u17_what_was_kept_is_recalled_as_it_was() {
        let name = UpstreamName::parse("notes").unwrap();
        let raw = |text: &str| RawText::parse(text.to_owned()).unwrap();
        let remembered = Remembered {
            introduction: Arc::new(Introduction {
                capabilities: RawObject::parse(r#"{"tools":{"listChanged":true}}"#).unwrap(),
                server_info: RawObject::parse(r#"{"name":"notes","version":"1"}"#).unwrap(),
                instructions: Some("Take notes.".to_owned()),
                eras: Eras { session: true, stateless: false },
                leads_to: Chain::default(),
            }),
            lists: Arc::new(UpstreamLists {
                tools: vec![raw(r#"{"name":"add","inputSchema":{"type":"object"},"x":1.0}"#)],
                instructions: Some("Take notes.".to_owned()),
                groups: vec![OwnGroup {
                    name: "g".to_owned(),
                    tools: vec!["add".to_owned()],
                    ..OwnGroup::default()
                }],
                ..UpstreamLists::empty(name.clone())
            }),
        };
        let json = RawText::of(&remembered);
        let recalled = Remembered::of_json(&json, &name).unwrap();
        assert_eq!(RawText::of(&recalled).as_str(), json.as_str());
        assert_eq!(recalled.lists.groups, remembered.lists.groups);
        assert_eq!(recalled.lists.server_info, remembered.introduction.server_info);
        assert!(recalled.introduction.has("tools") && recalled.introduction.eras.session);
        assert!(recalled.lists.hints.values().all(|hints| hints.private && hints.time_to_live.is_zero()));
        for other in ["{}", "[]"] {
            assert!(Remembered::of_json(&raw(other), &name).is_none());
        }
    }
}
