//! What upstreams said and listed last time, which can be served before they are ready.

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, Kind, ListHints, RawObject, RawText, UpstreamLists, UpstreamName};

use crate::{
    lineage::Chain,
    upstream::{Eras, Introduction, UpstreamConfig},
};

/// Keeps what upstreams said and listed, across restarts of the program.
pub trait Memory: Send + Sync + fmt::Debug {
    /// What was kept of the upstream in this era; `None` if there is nothing, or it cannot be read. May block.
    fn recall(&self, config: &UpstreamConfig, era: Era) -> Option<RawObject>;

    /// Keeps this. Failures are for the log. May block.
    fn keep(&self, config: &UpstreamConfig, era: Era, remembered: &RawObject);
}

/// What an upstream said and listed.
#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) introduction: Arc<Introduction>,
    pub(super) lists: Arc<UpstreamLists>,
}

impl Remembered {
    /// As a JSON object.
    pub(super) fn to_json(&self) -> RawObject {
        let Introduction { capabilities, server_info, instructions, eras, .. } = &*self.introduction;
        let lists = &self.lists;
        let list = |items: &[RawText]| {
            let items: Vec<&str> = items.iter().map(RawText::get).collect();
            format!("[{}]", items.join(","))
        };
        let small = RawObject::empty()
            .with("capabilities", capabilities.text())
            .with("serverInfo", server_info.text())
            .with_value("instructions", instructions)
            .with_value("session", &eras.session)
            .with_value("stateless", &eras.stateless)
            .with_value("groups", &lists.groups)
            .with_value("info", &lists.info.as_deref())
            .with_value("channel", &lists.channel);
        // Lists may be long: everything is put together once.
        let lists = [
            ("tools", list(&lists.tools)),
            ("resources", list(&lists.resources)),
            ("resourceTemplates", list(&lists.templates)),
            ("prompts", list(&lists.prompts)),
        ];
        RawObject::assemble(small.iter().chain(lists.iter().map(|(member, list)| (*member, &**list))))
    }

    /// From a JSON object, for the upstream of this name; `None` if it is not one of [`to_json`](Self::to_json).
    pub(super) fn of_json(json: &RawObject, name: &UpstreamName) -> Option<Self> {
        let flag = |member: &str| json.member(member) == Some("true");
        let list = |member: &str| json.value::<Vec<RawText>>(member);
        // Clients are not to keep what may be outdated.
        let hints = ListHints { time_to_live: Duration::ZERO, private: true, meta: None };
        let introduction = Introduction {
            capabilities: json.object("capabilities")?,
            server_info: json.object("serverInfo")?,
            instructions: json.string("instructions"),
            eras: Eras { session: flag("session"), stateless: flag("stateless") },
            leads_to: Chain::default(),
        };
        let lists = UpstreamLists {
            tools: list("tools")?,
            resources: list("resources")?,
            templates: list("resourceTemplates")?,
            prompts: list("prompts")?,
            server_info: introduction.server_info.clone(),
            instructions: introduction.instructions.clone(),
            concerns: introduction.concerns(),
            // Records of earlier versions have none.
            groups: json.value("groups").unwrap_or_default(),
            info: json.value("info").map(Arc::new),
            channel: json.string("channel"),
            hints: HashMap::from(Kind::ALL.map(|kind| (kind, hints.clone()))),
            ..UpstreamLists::empty(name.clone())
        };
        Some(Self { introduction: Arc::new(introduction), lists: Arc::new(lists) })
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::OwnGroup;

    use super::*;

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
        let json = remembered.to_json();
        let recalled = Remembered::of_json(&RawObject::parse(json.text()).unwrap(), &name).unwrap();
        assert_eq!(recalled.to_json(), json);
        assert_eq!(recalled.lists.groups, remembered.lists.groups);
        assert_eq!(recalled.lists.server_info, remembered.introduction.server_info);
        assert!(recalled.introduction.has("tools") && recalled.introduction.eras.session);
        assert!(recalled.lists.hints.values().all(|hints| hints.private && hints.time_to_live.is_zero()));
        assert!(Remembered::of_json(&RawObject::empty(), &name).is_none());
    }
}
