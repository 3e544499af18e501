//! A server's half of the handshake.

use mcp_disclosure_core::{EXTENSION, Era, RawObject, offers_groups};

use crate::handshake::Introduced;

/// A server's half of the handshake.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its `capabilities`.
    pub capabilities: RawObject,
    /// Its `serverInfo`.
    pub info: RawObject,
    /// Its `instructions`.
    pub instructions: Option<String>,
    /// The negotiated revision of MCP.
    pub version: String,
    /// The era of that revision.
    pub era: Era,
    /// The strategies it offers; empty if it does not support the extension.
    pub offered: Vec<String>,
    /// The strategy that serves this client, such as `describe` or `concerns+describe`.
    pub selected: Option<String>,
    /// The declared concerns: objects with `name`, `description`, `values` and `default`.
    pub concerns: Vec<RawObject>,
}

impl Server {
    /// Reads the result of a handshake.
    pub(crate) fn read(introduced: Introduced) -> Self {
        let Introduced { revision, server_info, capabilities, result } = introduced;
        let settings = extension(&capabilities).unwrap_or_default();
        Self {
            info: server_info,
            instructions: result.string("instructions").filter(|text| !text.trim().is_empty()),
            version: revision.to_string(),
            era: revision.era(),
            offered: settings.value("strategies").unwrap_or_default(),
            selected: settings.string("selected"),
            concerns: declared_concerns(&capabilities),
            capabilities,
        }
    }

    /// Whether it has a capability.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.member(capability).is_some()
    }

    /// Whether it offers groups.
    pub(crate) fn offers_groups(&self) -> bool {
        offers_groups(&self.capabilities)
    }

    /// Whether it declares a concern of this name.
    pub fn declares(&self, concern: &str) -> bool {
        self.concerns.iter().any(|declared| declared.string("name").as_deref() == Some(concern))
    }
}

/// The declared concerns of a server with these capabilities, from any of their places: that of concern-based-filtering,
/// `experimental`, or the extension.
pub fn declared_concerns(capabilities: &RawObject) -> Vec<RawObject> {
    let list = |text: &str| serde_json::from_str(text).unwrap_or_default();
    let own = |place: &RawObject| place.member("concerns").map(list);
    let experimental = || own(&capabilities.object("experimental")?.object("concerns")?);
    let place = own(capabilities).or_else(experimental);
    place.or_else(|| own(&extension(capabilities)?)).unwrap_or_default()
}

/// A server's half of the disclosure extension; `None` if it does not support it.
pub fn extension(capabilities: &RawObject) -> Option<RawObject> {
    ["extensions", "experimental"].iter().find_map(|place| capabilities.object(place)?.object(EXTENSION))
}

/// The filter of `subscriptions/listen` for the lists whose changes a server with these capabilities announces; empty if there are
/// none.
pub fn announced_lists(capabilities: &RawObject) -> RawObject {
    let lists = [
        ("tools", "toolsListChanged"),
        ("prompts", "promptsListChanged"),
        ("resources", "resourcesListChanged"),
    ];
    let announces = |list: &str| capabilities.object(list)?.member("listChanged").map(|flag| flag == "true");
    let announced = lists.iter().filter(|(list, _)| announces(list) == Some(true));
    RawObject::assemble(announced.map(|(_, flag)| (*flag, "true")))
}

/// The choices among the concerns that a server with these capabilities declares, as parameters.
pub(crate) fn declared_choices(capabilities: &RawObject, chosen: &RawObject) -> RawObject {
    let declared = declared_concerns(capabilities);
    let choices =
        chosen.retain(|name| declared.iter().any(|one| one.string("name").as_deref() == Some(name)));
    if choices.is_empty() { choices } else { RawObject::assemble([("concerns", choices.text())]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Revision;

    fn read(result: RawObject) -> Server {
        Server::read(Introduced::new(result, RawObject::empty(), Revision::V2025_11_25))
    }

    #[test]
    fn the_extension_and_the_concerns_are_read_from_every_place() {
        let concerns = r#"[{"name":"cost","values":["low"]}]"#;
        let settings = r#"{"strategies":["full","describe"],"selected":"concerns+describe"}"#;
        for capabilities in [
            format!(r#"{{"extensions":{{"{EXTENSION}":{settings}}},"concerns":{concerns}}}"#),
            format!(
                r#"{{"experimental":{{"{EXTENSION}":{settings},"concerns":{{"concerns":{concerns}}}}}}}"#
            ),
            format!(
                r#"{{"extensions":{{"{EXTENSION}":{}}}}}"#,
                settings.replacen('{', &format!(r#"{{"concerns":{concerns},"#), 1)
            ),
        ] {
            let result =
                RawObject::empty().with("capabilities", &capabilities).with_value("instructions", " ");
            let server = read(result);
            assert_eq!(server.offered, ["full", "describe"], "{capabilities}");
            assert_eq!(server.selected.as_deref(), Some("concerns+describe"));
            assert!(server.declares("cost") && !server.declares("speed"), "{capabilities}");
            assert_eq!(server.instructions, None);
        }
        for nonsense in ["7", r#"{"extensions":[]}"#, r#"{"concerns":7}"#] {
            let result = RawObject::empty().with("capabilities", nonsense);
            let server = read(result);
            assert!(server.offered.is_empty() && server.selected.is_none() && server.concerns.is_empty());
        }
    }
}
