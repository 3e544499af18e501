//! The strategy `full`: complete definitions, as any MCP server sends them.

use serde::Deserialize;

use crate::{
    catalogue::{description::Supplement, view::View, visible_tool::VisibleTool},
    profile::Profile,
    raw::RawObject,
    strategy::DisclosureStrategy,
};

/// The strategy's name, as in flags, addresses and offers.
pub const NAME: &str = "full";

/// Lists the complete definitions as the upstream sent them, and passes everything through.
#[derive(Debug)]
pub struct Full;

/// The profile of `full`.
pub static PROFILE: Profile =
    Profile::presenter(NAME, "Complete tool definitions, as any MCP server sends them", "nothing")
        .of_size("verbose");

/// `full` has no settings.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl DisclosureStrategy for Full {
    fn profile(&self) -> &Profile {
        &PROFILE
    }
}

// What an operator says of tools, for hosts that defer tools by themselves (docs/CONTRACT.md S12): such a host receives complete
// definitions, puts names before its model, and searches the rest. In `_meta` it reads which are never deferred, and by which
// words the others are found.

/// `true`: the host does not defer the tool. Said of pinned tools.
pub const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// The words for the host's search. Said where the operator wrote a brief.
const SEARCH_HINT: &str = "anthropic/searchHint";

/// A tool's definition with what the operator says of it in `_meta`. Without a pin and a brief it is the definition to
/// the letter; so is a definition whose `_meta` is no object.
pub fn with_host_hints(tool: VisibleTool<'_>) -> RawObject {
    let definition = tool.definition();
    hinted(tool, &definition).unwrap_or(definition)
}

/// A complete list of a view with what the operator says of its tools; `None` if that is nothing.
///
/// It is for `tools/list` alone. Manifests are of the list without: a digest is that of the definition (SEP-2636).
pub fn list_with_host_hints(view: &View, tools: &[RawObject]) -> Option<Vec<RawObject>> {
    if !view.all_tools().any(|tool| is_hinted(tool.tool().supplement())) {
        return None;
    }
    let of = |listed: &RawObject| hinted(view.tool(&listed.string("name")?)?, listed);
    Some(tools.iter().map(|listed| of(listed).unwrap_or_else(|| listed.clone())).collect())
}

/// `listed` with the operator's hints on the tool; `None` without hints, or without a place for them.
fn hinted(tool: VisibleTool<'_>, listed: &RawObject) -> Option<RawObject> {
    let supplement = tool.tool().supplement();
    let brief = supplement.brief.as_deref();
    let own = match listed.member("_meta") {
        None => RawObject::empty(),
        Some(_) => listed.object("_meta")?,
    };
    let meta = if supplement.pinned { own.with(ALWAYS_LOAD, "true") } else { own.clone() };
    let meta = brief.iter().fold(meta, |meta, brief| meta.with_value(SEARCH_HINT, brief.trim()));
    is_hinted(supplement).then(|| listed.with("_meta", meta.text()))
}

fn is_hinted(supplement: &Supplement) -> bool {
    supplement.pinned || supplement.brief.is_some()
}
