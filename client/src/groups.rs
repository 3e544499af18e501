//! Groups (`io.modelcontextprotocol/groups`): the client's side. What is in groups is not listed, and called like anything
//! else.
//!
//! The texts of groups come from the server, as descriptions do: none of them is put into the system prompt. Nothing is called
//! because a group was fetched.

use std::collections::{HashSet, VecDeque};

use mcp_disclosure_core::RawObject;

use crate::{CallError, Definition, Error, Host};

/// Maximum number of groups that a search for a tool looks into.
const MOST_GROUPS: usize = 1_000;

impl Host {
    /// The groups that are nested in no other, as the server sent them; none if it offers no groups to this client. Always sends a
    /// request.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn groups(&self) -> Result<Vec<RawObject>, Error> {
        let inner = &self.0;
        if !inner.server.offers_groups() || !inner.preferences.wants_groups() {
            return Ok(Vec::new());
        }
        inner.pages("groups/list", "groups").await
    }

    /// Fetches a group: the unchanged result of `groups/get`. Its tools are known from then on, as those of a list are:
    /// [`Host::describe`] sends no request for them.
    ///
    /// # Errors
    /// Why there is none; [`CallError::Answered`] if the server knows no group of this name.
    pub async fn group(&self, name: &str) -> Result<RawObject, Error> {
        let memory = &self.0.memory;
        let age = memory.age();
        let result = self.0.ask("groups/get", RawObject::empty().with_value("name", name)).await?;
        for tool in contents(&result, "tools") {
            let Some(name) = tool.string("name") else { continue };
            // A tool is known once, wherever else it is.
            if memory.definition(&name).is_none() {
                memory.keep(age, Definition::new(&name, tool));
            }
        }
        Ok(result)
    }

    /// The definitions of these tools: listed, or found in groups, of which only as many are fetched as are needed. Groups
    /// that lead back to others are fetched once.
    pub(crate) async fn by_groups(&self, names: &[&str]) -> Result<Vec<Definition>, Error> {
        let mut found = self.by_list(names).await?;
        let mut missing: HashSet<&str> = names.iter().copied().collect();
        found.iter().for_each(|definition| _ = missing.remove(definition.name()));
        if missing.is_empty() {
            return Ok(found);
        }
        let mut next = VecDeque::from(self.groups().await?);
        let mut seen = HashSet::new();
        while let Some(group) = next.pop_front().filter(|_| !missing.is_empty() && seen.len() < MOST_GROUPS) {
            let Some(name) = group.string("name").filter(|name| seen.insert(name.clone())) else { continue };
            let group = match self.group(&name).await {
                Ok(group) => group,
                // It vanished meanwhile: what is asked for may be in another.
                Err(Error::NoResult { error: CallError::Answered(_), .. }) => continue,
                Err(error) => return Err(error),
            };
            for tool in contents(&group, "tools") {
                let name = tool.string("name").filter(|name| missing.remove(name.as_str()));
                found.extend(name.map(|name| Definition::new(&name, tool)));
            }
            next.extend(contents(&group, "groups"));
        }
        Ok(found)
    }
}

/// What a fetched group has of a kind.
fn contents(group: &RawObject, kind: &str) -> Vec<RawObject> {
    group.object("contents").and_then(|contents| contents.value(kind)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        Channel, Link, Preferences,
        tests::fake::{Say, able, asked, fake},
    };

    fn tool(name: &str) -> Value {
        json!({"name": name, "inputSchema": {"type": "object"}})
    }

    /// A server with groups that lead back to each other and share a tool, and one that vanished.
    fn grouped(groups: bool) -> (Link, crate::tests::fake::Log) {
        let extensions = if groups { json!({"io.modelcontextprotocol/groups": {}}) } else { json!({}) };
        fake(move |method, params| match (method, params["name"].as_str()) {
            ("initialize", _) => Say::Result(able(json!({"tools": {}, "extensions": extensions}))),
            ("tools/list", _) => Say::Result(json!({"tools": [tool("top")]})),
            ("groups/list", _) => Say::Result(json!({"groups": [
                {"name": "vanished"}, {"name": "a", "description": "A"}, {"name": "a"}, {},
            ]})),
            ("groups/get", Some("a")) => Say::Result(json!({"instructions": "First.", "contents": {
                "tools": [tool("shared"), tool("shared")], "groups": [{"name": "b", "description": "B"}]}})),
            ("groups/get", Some("b")) => Say::Result(json!({"contents": {
                "tools": [tool("shared"), tool("deep")], "groups": [{"name": "a"}, {"name": "b"}]}})),
            ("groups/get", _) => Say::Error(-32002, "Group not found"),
            ("tools/call", _) => Say::Result(json!({"content": []})),
            _ => Say::Nothing,
        })
    }

    #[tokio::test]
    async fn g8_the_host_finds_tools_in_groups_and_stops_at_circles() {
        let (link, log) = grouped(true);
        let host = Host::connect(link, Preferences::of(["groups"])).await.unwrap();
        assert_eq!(*host.channel(), Channel::Groups);
        let groups = host.groups().await.unwrap();
        assert_eq!(groups[1].string("description").as_deref(), Some("A"));
        let found = host.describe(&["top", "deep"]).await.unwrap();
        assert_eq!(found.iter().map(|one| one.name().to_owned()).collect::<Vec<_>>(), ["top", "deep"]);
        let Err(Error::UnknownTool { name, .. }) = host.describe(&["none"]).await else { panic!() };
        assert_eq!(name, "none");
        let before = asked(&log).len();
        // Known since its group was fetched.
        host.describe(&["shared"]).await.unwrap();
        assert_eq!(asked(&log).len(), before);
        assert_eq!(host.group("a").await.unwrap().string("instructions").as_deref(), Some("First."));
        assert!(matches!(host.group("c").await, Err(Error::NoResult { error: CallError::Answered(_), .. })));
        assert!(!asked(&log).contains(&"tools/call".to_owned()), "nothing is called for having been fetched");
        host.call("deep", &json!({})).await.unwrap();
        assert!(!host.system_prompt().contains("First."));
    }

    #[tokio::test]
    async fn g2_a_host_asks_no_server_that_does_not_offer_groups() {
        for (offers, strategies) in [(false, vec!["groups"]), (true, vec!["full"])] {
            let (link, log) = grouped(offers);
            let host = Host::connect(link, Preferences::of(strategies)).await.unwrap();
            assert_eq!((host.channel(), host.groups().await.unwrap()), (&Channel::List, Vec::new()));
            assert!(host.describe(&["deep"]).await.is_err());
            assert!(!asked(&log).iter().any(|method| method.starts_with("groups/")));
        }
    }
}
