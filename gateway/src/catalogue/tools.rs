//! The list of tools of one kind of client: as it is sent, in parts, and its manifest.

use std::{collections::HashSet, sync::OnceLock};

use mcp_disclosure_core::{Era, ListHints, OwnTool, RawObject, View};
use mcp_disclosure_drafts::manifest::{Manifest, digest};
use mcp_disclosure_transport::Json;

use crate::dialect::list_result;

/// About the size of a manifest's entry, in bytes.
const ENTRY_BYTES: usize = 200;

/// The results of longer lists are not kept, but made for each request: they take as much memory as the tools themselves, and
/// to make one costs no more than to send it.
const MOST_KEPT: usize = 4 << 20;

/// Leaves out, with a warning, what a strategy must not list, since clients refuse the whole list for it: tools without the name
/// of one that the view has, own tools whose `inputSchema` is no object, and every name's second tool.
pub(super) fn leave_out_odd(
    strategy: &str,
    (tools, own): (&mut Vec<RawObject>, &mut Vec<OwnTool>),
    view: &View,
) {
    let before = tools.len() + own.len();
    let mut seen = HashSet::new();
    tools.retain(|tool| {
        let name = tool.string("name").filter(|name| view.tool(name).is_some());
        name.is_some_and(|name| seen.insert(name))
    });
    own.retain(|tool| {
        let schema = tool.definition().member("inputSchema");
        schema.is_some_and(|schema| schema.starts_with('{')) && seen.insert(tool.name().to_owned())
    });
    let odd = before - tools.len() - own.len();
    if odd > 0 {
        tracing::warn!(
            tools = odd,
            "strategy '{strategy}' lists names that are unknown or repeated, or no schema: left out"
        );
    }
}

/// A list of tools.
#[derive(Debug)]
pub(crate) struct ToolList {
    pub(super) era: Era,
    /// What is said of the list as a whole.
    pub(super) hints: ListHints,
    pub(super) tools: ListedTools,
    /// What differs for hosts that read hints of operators; `None` if there are no hints.
    pub(super) hinted: Option<ListedTools>,
    /// How many of them, at the end, are the strategy's own.
    pub(super) own: usize,
    /// Its manifest, made when it is first needed; `None` for a list that withholds something.
    pub(super) manifest: Option<OnceLock<PreparedManifest>>,
}

/// Tools, and the result that lists them once it was made.
#[derive(Debug)]
pub(super) struct ListedTools {
    pub(super) tools: Vec<RawObject>,
    result: OnceLock<Json>,
}

impl From<Vec<RawObject>> for ListedTools {
    fn from(tools: Vec<RawObject>) -> Self {
        Self { tools, result: OnceLock::new() }
    }
}

impl ListedTools {
    fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.text().len()).sum()
    }
}

/// A manifest, and the result that sends it.
#[derive(Debug)]
pub struct PreparedManifest {
    /// The manifest.
    pub manifest: Manifest,
    /// The result of `tools/manifest`.
    pub result: Json,
    /// The result for a client that holds what this is the manifest of.
    pub unchanged: Json,
}

impl ToolList {
    /// The result of `tools/list`, for a client that compares or for any other. Those who compare it with a manifest, which has
    /// no host hints, get it without.
    pub(crate) fn result(&self, compares: bool) -> Json {
        let listed = self.listed(compares);
        if let Some(made) = listed.result.get() {
            return made.clone();
        }
        let result = list_result(self.era, "tools", &listed.tools, &self.hints);
        if result.as_bytes().len() > MOST_KEPT {
            return result;
        }
        listed.result.get_or_init(|| result).clone()
    }

    /// Whether both send the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.listed(false), other.listed(false));
        ours.tools == theirs.tools && (self.era, &self.hints) == (other.era, &other.hints)
    }

    fn listed(&self, compares: bool) -> &ListedTools {
        self.hinted.as_ref().filter(|_| !compares).unwrap_or(&self.tools)
    }

    /// The result of `tools/list` with the tools whose names are admitted, and their names. The strategy's own tools are
    /// always listed: the others may be reached by them only.
    pub(crate) fn matching(&self, compares: bool, admits: impl Fn(&str) -> bool) -> (Vec<String>, Json) {
        let tools = &self.listed(compares).tools;
        let listed = tools.len() - self.own;
        let (others, own) = tools.split_at(listed);
        let named = |tool: &&RawObject| tool.string("name").is_some_and(|name| admits(&name));
        let tools: Vec<RawObject> = others.iter().filter(named).chain(own).cloned().collect();
        let names = tools.iter().filter_map(|tool| tool.string("name")).collect();
        // What upstreams say of the list as a whole is about the whole.
        let hints = ListHints { meta: None, ..self.hints.clone() };
        (names, list_result(self.era, "tools", &tools, &hints))
    }

    /// Whether its manifest is made, or nothing is to be made.
    pub(crate) fn is_prepared(&self) -> bool {
        self.manifest.as_ref().is_none_or(|manifest| manifest.get().is_some())
    }

    /// The manifest; `None` for a list that withholds something.
    pub(super) fn manifest(&self, view: &View) -> Option<&PreparedManifest> {
        let prepared = self.manifest.as_ref()?.get_or_init(|| {
            let manifest = Manifest::of(view, &self.tools.tools);
            let entries: Vec<RawObject> = manifest.entries().map(|entry| entry.text().clone()).collect();
            let result = |entries: &[RawObject], unchanged| {
                let meta = digest::meta(self.hints.meta.as_ref(), manifest.digest(), unchanged);
                list_result(
                    self.era,
                    "entries",
                    entries,
                    &ListHints { meta: Some(meta), ..self.hints.clone() },
                )
            };
            PreparedManifest { result: result(&entries, false), unchanged: result(&[], true), manifest }
        });
        Some(prepared)
    }

    /// The bytes that it takes, at most.
    pub(super) fn bytes(&self) -> usize {
        let manifest = self.manifest.as_ref().map_or(0, |_| self.tools.tools.len() * 2 * ENTRY_BYTES);
        let hinted = self.hinted.as_ref().map_or(0, |hinted| 2 * hinted.bytes());
        2 * self.tools.bytes() + hinted + manifest
    }
}
