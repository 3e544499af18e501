//! The strategy: what it lists, what it answers, and which calls it lets pass.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ClientTraits, Context, Decision, DisclosureStrategy, Era, Fault, Listing, Names, Own, Profile, RawObject,
    SOME_TOOL, SessionReceipts, ToolAnswer, ToolCall, View, fetching_tool, given::shown,
    index::with_short_index,
};
use serde_json::json;

use crate::{
    ResourceConfig,
    delivery::{Channel, deliver, refusal},
    near_miss,
    selection::{self, BASE_URI},
    wording,
};

const MIME_TYPE: &str = "application/json";

/// The method by which the resource is read.
const READ: &str = "resources/read";

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "resource";

/// The profile of `resource`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Minimal list; full descriptions from a resource, required before a call",
    "reading resources, or the bridge tool describe_tools",
)
.giving_way()
.with_bridge()
.with_settings(ResourceConfig::SETTINGS);

/// Minimal lists, a `tool_descriptions` resource, and receipts before calls.
#[derive(Debug)]
pub struct Resource {
    config: ResourceConfig,
    profile: Profile,
}

impl Resource {
    /// Makes the strategy.
    pub fn new(config: ResourceConfig) -> Self {
        let profile = Profile { receipts: config.receipts, ..PROFILE.clone() };
        Self { config, profile }
    }

    /// The era whose form of proof a client's calls need.
    fn proof(&self, client: &ClientTraits) -> Era {
        if self.profile.receipts == SessionReceipts::Signed { Era::Stateless } else { client.era }
    }

    fn resource(&self, era: Era, example: &str, has_pins: bool) -> RawObject {
        RawObject::empty()
            .with_value("uri", BASE_URI)
            .with_value("name", wording::RESOURCE_NAME)
            .with_value("description", &wording::resource_description(era, example, has_pins))
            .with_value("mimeType", MIME_TYPE)
    }

    fn template(&self) -> RawObject {
        RawObject::empty()
            .with_value("uriTemplate", &format!("{BASE_URI}{{?tools}}"))
            .with_value("name", wording::TEMPLATE_NAME)
            .with_value("description", wording::TEMPLATE_DESCRIPTION)
            .with_value("mimeType", MIME_TYPE)
    }
}

#[async_trait]
impl DisclosureStrategy for Resource {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        let example = view.tools().next().map_or(SOME_TOOL, |tool| tool.name().as_str());
        let has_pins = view.has_pins();
        let guidance = wording::guidance(self.proof(client), client.bridge, has_pins, example);
        // The bridge's own description has the index, and is always current.
        let guidance = if client.bridge { guidance } else { with_short_index(&guidance, view) };
        let mut listing = Listing::without_tools(view).guided(&guidance);
        listing.tools = view.tools().map(|tool| tool.minimal_with(tool.brief_for(client))).collect();
        listing.resources.push(self.resource(self.proof(client), example, has_pins));
        listing.templates.push(self.template());
        listing
    }

    fn own(&self, view: &View, client: &ClientTraits) -> Own {
        let description = || {
            let description = wording::bridge_description(self.proof(client), view.has_pins());
            with_short_index(&description, view)
        };
        let bridge = || fetching_tool(wording::BRIDGE, &description(), wording::BRIDGE_NAMES);
        client.bridge.then(bridge).into_iter().collect::<Vec<_>>().into()
    }

    fn how_to_learn(&self, _view: &View, client: &ClientTraits, tool: &str) -> Option<String> {
        Some(wording::how_to_learn(client.bridge, tool))
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        if cx.client.bridge && *call.name == *wording::BRIDGE {
            let names = Names::from_call(&call, cx.view);
            let fetched = deliver(cx, &self.config, Channel::Bridge, names);
            return Ok(Decision::Answer(ToolAnswer::of_fetch(fetched)));
        }
        let Some(tool) = cx.view.tool(&call.name) else { return Ok(Decision::Forward(call)) };
        Ok(match cx.authorize_call(tool, call) {
            Ok(call) => Decision::Forward(call),
            Err(problem) => Decision::Refuse(refusal(cx, tool, problem)),
        })
    }

    /// The resource itself. A URI that probably means it is corrected, unless an upstream has it.
    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawObject,
    ) -> Result<Option<RawObject>, Fault> {
        let Some(uri) = params.string("uri").filter(|_| method == READ) else { return Ok(None) };
        if let Some(names) = selection::from_uri(&uri, cx.view) {
            let text = match deliver(cx, &self.config, Channel::Resource, names) {
                Ok(entries) => entries.text().to_owned(),
                Err(refusal) => refusal.content.to_string(),
            };
            let content = json!([{"uri": uri.as_str(), "mimeType": MIME_TYPE, "text": text}]);
            return Ok(Some(RawObject::empty().with_value("contents", &content)));
        }
        let Some(meant) = near_miss::corrected(&uri, cx.view) else { return Ok(None) };
        let uri = shown(&uri);
        let message = wording::meant_uri(&uri, &meant);
        Err(Fault::NotFound { message, data: json!({"uri": uri, "suggestion": meant}) })
    }
}
