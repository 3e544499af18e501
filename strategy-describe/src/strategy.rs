//! The strategy: what it lists, what it objects to, and what it answers.

use async_trait::async_trait;
use mcp_disclosure_core::{
    ClientTraits, Context, Decision, DisclosureStrategy, Fault, Listing, Names, Objection, Own,
    PERMISSIVE_SCHEMA, Profile, RawObject, SOME_TOOL, ToolCall, View, VisibleTool, brief::SHORT,
    fetching_tool, index::with_short_index,
};

use crate::{DescribeConfig, LongBriefs, Selection, delivery, hints::without_defaults, wording};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "describe";

/// The method by which hosts ask for definitions.
const METHOD: &str = "tools/describe";

/// The profile of `describe`.
pub static PROFILE: Profile = Profile::presenter(
    NAME,
    "Names and at most 60 characters; complete definitions by tools/describe",
    "tools/describe, or the bridge tool describe_tools",
)
.giving_way()
.with_bridge()
.omitting_schemas()
.with_settings(DescribeConfig::SETTINGS);

/// Lists of names and at most sixty characters; complete definitions by `tools/describe`.
#[derive(Debug)]
pub struct Describe {
    config: DescribeConfig,
}

impl Describe {
    /// Makes the strategy.
    pub fn new(config: DescribeConfig) -> Self {
        Self { config }
    }

    /// A tool as it is listed: for hosts that know `tools/describe` what they must know (D2, B5); for all others a `Tool` that
    /// is complete except for its schemas (D7), of which small ones are listed (B12).
    fn listed(&self, tool: VisibleTool<'_>, client: &ClientTraits) -> RawObject {
        let listed = if client.bridge {
            let brief = tool.short_brief();
            without_defaults(tool.inlined_with(brief, client.definitions, self.config.inline_schema_bytes))
        } else {
            let title = tool.tool().telling_title().filter(|_| !client.shortest);
            let annotations = tool.tool().telling_annotations().filter(|_| !client.shortest);
            let listed = RawObject::empty().with_value("name", tool.name());
            let listed = title.into_iter().fold(listed, |listed, title| listed.with_value("title", &title));
            // What the author wrote: such hosts are sent the annotations, or asked for less.
            let brief = tool.tool().short_brief();
            let listed = listed.with_value("description", brief).with("inputSchema", PERMISSIVE_SCHEMA);
            annotations.iter().fold(listed, |listed, hints| listed.with("annotations", hints.text()))
        };
        if client.omit_input_schema { listed.retain(|key| key != "inputSchema") } else { listed }
    }
}

#[async_trait]
impl DisclosureStrategy for Describe {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        let example = view.tools().next().map_or(SOME_TOOL, |tool| tool.name().as_str());
        let lists_schemas = client.bridge && self.config.inline_schema_bytes > 0;
        let guidance = wording::guidance(client.bridge, lists_schemas || view.has_pins(), example);
        // The bridge's own description has the index, and is always current.
        let guidance = if client.bridge { guidance } else { with_short_index(&guidance, view) };
        let mut listing = Listing::without_tools(view).guided(&guidance);
        listing.tools = view.tools().map(|tool| self.listed(tool, client)).collect();
        listing
    }

    fn objections(&self, view: &View) -> Vec<Objection> {
        match self.config.long_briefs {
            LongBriefs::Reject => view.tools().filter_map(too_long).collect(),
            LongBriefs::ShortenDerived => {
                let written = view.tools().filter(|tool| tool.tool().supplement().brief.is_some());
                written.filter_map(too_long).collect()
            }
            LongBriefs::Shorten => Vec::new(),
        }
    }

    fn own(&self, view: &View, client: &ClientTraits) -> Own {
        let lists_schemas = self.config.inline_schema_bytes > 0 || view.has_pins();
        let bridge = || {
            let description = with_short_index(&wording::bridge_description(lists_schemas), view);
            fetching_tool(wording::BRIDGE, &description, wording::BRIDGE_NAMES)
        };
        client.bridge.then(bridge).into_iter().collect::<Vec<_>>().into()
    }

    fn how_to_learn(&self, _view: &View, client: &ClientTraits, tool: &str) -> Option<String> {
        Some(wording::how_to_learn(client.bridge, tool))
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        if !cx.client.bridge || *call.name != *wording::BRIDGE {
            return Ok(Decision::Forward(call));
        }
        let names = Names::from_call(&call, cx.view);
        Ok(Decision::Answer(delivery::entries(cx, names)))
    }

    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawObject,
    ) -> Result<Option<RawObject>, Fault> {
        if method != METHOD {
            return Ok(None);
        }
        delivery::definitions(cx, &Selection::from_params(params)?).map(Some)
    }
}

/// The objection to a tool whose written brief is too long to be listed.
fn too_long(tool: VisibleTool<'_>) -> Option<Objection> {
    let written = tool.tool().written_brief();
    let length = SHORT.length(written.trim());
    let is_brief = tool.tool().supplement().brief.is_some();
    (length > SHORT.most()).then(|| wording::too_long(tool.name(), is_brief, length, SHORT.most()))
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
