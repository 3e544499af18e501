//! The strategy: what it lists, which methods it answers, and which calls its tools make.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ArgumentProblem, Called, ClientTraits, Context, Decision, DisclosureStrategy, Extension, Fault, GROUPS,
    Kind, Lesson, Listing, Own, OwnTool, Profile, RawObject, ToolAnswer, ToolCall, View,
    index::{Part, with_index_of_parts},
    inner_call::{members, text},
};
#[cfg(feature = "drafts")]
use mcp_disclosure_drafts::directory::{self, DETERMINISTIC_GROUPS, Directory};
use serde_json::json;

use crate::{
    Group, Groups, GroupsConfig, answer, method,
    slug::Origin,
    wording::{self, EXECUTOR, GET},
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "groups";

/// The extension of the working group on progressive disclosure.
pub const EXTENSION: Extension = Extension {
    id: GROUPS,
    settings: r#"{"listChanged":true}"#,
    changed: "notifications/groups/list_changed",
};

/// The profile of `groups`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Tools in groups: groups/list and groups/get, or one tool that shows a group and one that calls",
    "the draft extension io.modelcontextprotocol/groups, or the bridge tool get_group",
)
.taught_by(Lesson::new(GET, r#"{"name": "{tool}"}"#))
.negotiated_by(EXTENSION)
.giving_way()
.with_bridge()
.of_size("compact")
.with_settings(GroupsConfig::SETTINGS);

/// Tools in groups.
#[derive(Debug)]
pub struct GroupsStrategy {
    config: GroupsConfig,
}

impl GroupsStrategy {
    /// Makes the strategy.
    pub fn new(config: GroupsConfig) -> Self {
        Self { config }
    }

    /// Whether a client is listed everything: it knows no groups, and has no tool for them.
    fn is_flat(&self, client: &ClientTraits) -> bool {
        self.is_deterministic(client) || !(client.declared || client.bridge)
    }

    /// Whether a client is served as one of deterministic groups.
    #[cfg(feature = "drafts")]
    fn is_deterministic(&self, client: &ClientTraits) -> bool {
        self.config.deterministic && !client.declared
    }

    #[cfg(not(feature = "drafts"))]
    fn is_deterministic(&self, _client: &ClientTraits) -> bool {
        false
    }

    /// Whether a client may ask for them: they are sets of entries of a manifest.
    #[cfg(feature = "drafts")]
    fn has_directory(&self, client: &ClientTraits) -> bool {
        self.is_deterministic(client) && client.manifest
    }

    /// Whether a client has the tool for groups.
    fn is_bridged(&self, client: &ClientTraits) -> bool {
        client.bridge && !self.is_deterministic(client)
    }

    fn groups(&self, view: &View) -> std::sync::Arc<Groups> {
        Groups::of(view, &self.config)
    }

    fn get_tool(&self, view: &View) -> OwnTool {
        let groups = self.groups(view);
        let name = json!({"type": "string", "description": wording::NAME});
        let schema = json!({"type": "object", "properties": {"name": name}, "required": ["name"]});
        let description = wording::get_description(self.config.executors, has_others(view, &groups));
        let lists = [leaves(&groups), groups.top().map(part).collect()];
        let description = with_index_of_parts(&description, view, &lists, self.config.description_bytes);
        OwnTool::new(GET, &description, &schema).read_only()
    }

    fn get(&self, cx: &Context<'_>, call: &ToolCall) -> Result<ToolAnswer, ArgumentProblem> {
        let name = text(&members(call)?, "name", wording::EXPECTED_NAME)?.unwrap_or_default();
        Ok(answer::answer(cx, &self.groups(cx.view), &name, &self.config))
    }
}

#[async_trait]
impl DisclosureStrategy for GroupsStrategy {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    /// Without the extension groups do not exist: hosts are listed everything, or what is in no group and the bridge.
    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        if self.is_flat(client) {
            return Listing::complete(view);
        }
        let groups = self.groups(view);
        let tools = view.tools().filter(|tool| groups.with_tool(tool.name()).is_none());
        let tools = tools.map(|tool| tool.definition()).collect();
        let announced = client.declared.then(|| groups.digest());
        let mut listing = Listing { tools, announced, ..Listing::without_tools(view) };
        listing.instructions.clone_from(&groups.instructions);
        if client.declared {
            listing.prompts = unscoped(view, Kind::Prompts, |key| groups.prompts.contains(key));
            listing.resources = unscoped(view, Kind::Resources, |key| groups.resources.contains(key));
        }
        if self.is_bridged(client) {
            listing = listing.guided(&wording::guidance(self.config.executors, has_others(view, &groups)));
        }
        listing
    }

    fn own(&self, view: &View, client: &ClientTraits) -> Own {
        let mut own = Own::default();
        if self.is_bridged(client) {
            own.tools.push(self.get_tool(view));
            own.tools.extend(EXECUTOR.tools(self.config.executors));
        }
        #[cfg(feature = "drafts")]
        if self.has_directory(client) {
            own.advertisement.experimental =
                RawObject::empty().with(DETERMINISTIC_GROUPS, directory::CAPABILITY);
        }
        own
    }

    // A host that knows the name of a tool may call it: groups are no gate.
    fn how_to_learn(&self, _view: &View, client: &ClientTraits, tool: &str) -> Option<String> {
        self.is_bridged(client).then(|| self.profile().lesson?.instruction(tool)).flatten()
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        #[cfg(feature = "drafts")]
        if self.is_deterministic(cx.client) {
            return directory::decide(cx.view, call);
        }
        if !self.is_bridged(cx.client) {
            return Ok(Decision::Forward(call));
        }
        Ok(match EXECUTOR.open(self.config.executors, cx.view, call) {
            Called::Describing(call) => Decision::answered(GET, self.get(cx, &call)),
            Called::Decided(decision) => decision,
            Called::Unknown(name) => {
                let meant = cx.view.nearest(&name, answer::SUGGESTIONS);
                Decision::unknown_tool(&name, &meant)
            }
        })
    }

    async fn request(
        &self,
        cx: &Context<'_>,
        name: &str,
        params: &RawObject,
    ) -> Result<Option<RawObject>, Fault> {
        #[cfg(feature = "drafts")]
        if self.has_directory(cx.client) && matches!(name, directory::LIST | directory::EXPAND) {
            let directory = cx.derive_with(&self.config.directory, Directory::of).await;
            return directory.answer(name, params).map(Some);
        }
        match name {
            _ if !cx.client.declared => Ok(None),
            method::LIST => method::list(cx, &self.groups(cx.view), params, &self.config).map(Some),
            method::GET => method::get(cx, &self.groups(cx.view), params).map(Some),
            _ => Ok(None),
        }
    }
}

/// Whether any tool is in no group.
fn has_others(view: &View, groups: &Groups) -> bool {
    view.tools().any(|tool| groups.with_tool(tool.name()).is_none())
}

fn unscoped(view: &View, kind: Kind, is_scoped: impl Fn(&str) -> bool) -> Vec<RawObject> {
    view.entries(kind).filter(|entry| !is_scoped(entry.key())).map(|entry| view.text(entry)).collect()
}

fn part(group: &Group) -> Part<'_> {
    Part { name: &group.name, count: group.count, description: &group.purpose }
}

/// The groups that have tools of their own: declared ones first, then the largest.
fn leaves(groups: &Groups) -> Vec<Part<'_>> {
    let mut leaves: Vec<&Group> = groups.all().iter().filter(|group| !group.tools.is_empty()).collect();
    let is_declared = |group: &Group| matches!(group.origin, Origin::Declared(_));
    leaves.sort_by_key(|group| (!is_declared(group), std::cmp::Reverse(group.tools.len())));
    leaves.into_iter().map(|group| Part { count: group.tools.len(), ..part(group) }).collect()
}

#[cfg(test)]
#[path = "tests/mod.rs"]
mod tests;
