//! How a snapshot is made: upstreams' lists come in, description files are laid over them, names that clash
//! are told apart, and what is odd is reported without holding back the rest.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::value::RawValue;

use crate::{
    description::{DescriptionError, DescriptionFile},
    name::{ToolName, UpstreamName},
    nearest::nearest,
    raw::RawObject,
    snapshot::{Entry, Kind, Snapshot},
    tool::Tool,
};

/// What one upstream brings: its lists, item by item as they were sent.
#[derive(Clone, Debug)]
pub struct UpstreamLists {
    /// The upstream.
    pub name: UpstreamName,
    /// Its `tools/list`, all pages.
    pub tools: Vec<Box<RawValue>>,
    /// Its `resources/list`, all pages.
    pub resources: Vec<Box<RawValue>>,
    /// Its `resources/templates/list`, all pages.
    pub templates: Vec<Box<RawValue>>,
    /// Its `prompts/list`, all pages.
    pub prompts: Vec<Box<RawValue>>,
    /// Its `instructions`.
    pub instructions: Option<String>,
}

impl UpstreamLists {
    /// An upstream that brings nothing.
    pub fn empty(name: UpstreamName) -> Self {
        Self {
            name,
            tools: vec![],
            resources: vec![],
            templates: vec![],
            prompts: vec![],
            instructions: None,
        }
    }
}

impl Snapshot {
    /// Builds a snapshot of upstreams' lists, in their order, and the files laid over them.
    ///
    /// # Errors
    /// All description files that name a tool nobody brings.
    pub fn build(
        upstreams: &[UpstreamLists],
        files: &[DescriptionFile],
    ) -> Result<(Self, Vec<Warning>), Vec<DescriptionError>> {
        let mut warnings = Vec::new();
        let found: Vec<_> = upstreams.iter().map(|lists| read_tools(lists, &mut warnings)).collect();
        let clashing = clashing(found.iter().map(|tools| tools.iter().map(|(name, _)| &**name)));
        let mut laid_over: HashMap<&str, &DescriptionFile> =
            files.iter().map(|file| (&*file.name, file)).collect();

        let mut tools = Vec::with_capacity(found.iter().map(Vec::len).sum());
        for (lists, found) in upstreams.iter().zip(found) {
            let upstream = Arc::new(lists.name.clone());
            for (own_name, definition) in found {
                let served = served_name(&lists.name, &own_name, &clashing);
                let file = laid_over.remove(&*served);
                let definition = complete(&served, lay_over(definition, file), &mut warnings);
                let supplement = file.map(|file| file.supplement.clone()).unwrap_or_default();
                tools.push(Tool::new(served, own_name, Arc::clone(&upstream), definition, supplement));
            }
        }
        let missing = unmatched(files, &laid_over, &tools);
        if !missing.is_empty() {
            return Err(missing);
        }
        let entries = [Kind::Resources, Kind::Templates, Kind::Prompts]
            .map(|kind| (kind, read_entries(upstreams, kind, &mut warnings)));
        Ok((Self::new(tools, entries, instructions(upstreams)), warnings))
    }
}

/// Something odd about an upstream's lists that does not keep the rest from being served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// An item has no name (or URI), or is no object.
    #[error(
        "upstream '{upstream}' lists something without a usable '{key}' among its {kind}; it is not served: {shown}"
    )]
    Unnamed {
        /// The upstream.
        upstream: UpstreamName,
        /// Which list.
        kind: Kind,
        /// The member that should name it.
        key: &'static str,
        /// The item, shortened.
        shown: String,
    },
    /// One upstream lists a name twice.
    #[error("upstream '{upstream}' lists '{key}' twice among its {kind}; only the first is served")]
    Twice {
        /// The upstream.
        upstream: UpstreamName,
        /// Which list.
        kind: Kind,
        /// The name or URI.
        key: String,
    },
    /// A tool has no `inputSchema`.
    #[error(
        "tool '{tool}' has no inputSchema, for which most clients refuse the whole list; it is served with one that accepts any object"
    )]
    NoSchema {
        /// The tool.
        tool: ToolName,
    },
}

type Found = Vec<(ToolName, RawObject)>;

fn read_tools(lists: &UpstreamLists, warnings: &mut Vec<Warning>) -> Found {
    let mut seen = HashSet::new();
    let mut tools = Vec::with_capacity(lists.tools.len());
    for item in &lists.tools {
        let Some((key, object)) = keyed(lists, Kind::Tools, item, warnings) else { continue };
        let Ok(name) = ToolName::parse(&key) else { continue };
        if seen.insert(name.clone()) {
            tools.push((name, object));
        } else {
            warnings.push(Warning::Twice { upstream: lists.name.clone(), kind: Kind::Tools, key });
        }
    }
    tools
}

fn read_entries(upstreams: &[UpstreamLists], kind: Kind, warnings: &mut Vec<Warning>) -> Vec<Entry> {
    let items = |lists: &UpstreamLists| match kind {
        Kind::Tools => vec![],
        Kind::Resources => lists.resources.clone(),
        Kind::Templates => lists.templates.clone(),
        Kind::Prompts => lists.prompts.clone(),
    };
    let mut found = Vec::new();
    for lists in upstreams {
        let mut seen = HashSet::new();
        let mut own = Vec::new();
        for item in items(lists) {
            let Some((key, object)) = keyed(lists, kind, &item, warnings) else { continue };
            // A URI listed twice is harmless; a prompt's second namesake could not be reached.
            if seen.insert(key.clone()) || kind != Kind::Prompts {
                own.push((key, object));
            } else {
                warnings.push(Warning::Twice { upstream: lists.name.clone(), kind, key });
            }
        }
        found.push(own);
    }
    let clashing = match kind {
        Kind::Prompts => clashing(found.iter().map(|own| own.iter().map(|(key, _)| &**key))),
        _ => HashSet::new(),
    };
    let mut entries = Vec::new();
    for (lists, own) in upstreams.iter().zip(found) {
        let upstream = Arc::new(lists.name.clone());
        for (key, text) in own {
            let upstream_key: Arc<str> = key.as_str().into();
            let (key, text) = if clashing.contains(&*key) {
                let served = format!("{}__{key}", lists.name);
                let text = text.with_value("name", &served);
                (served.into(), text)
            } else {
                (Arc::clone(&upstream_key), text)
            };
            entries.push(Entry::new(key, upstream_key, Arc::clone(&upstream), text));
        }
    }
    entries
}

/// The item as an object and the name it goes by, or a warning.
fn keyed(
    lists: &UpstreamLists,
    kind: Kind,
    item: &RawValue,
    warnings: &mut Vec<Warning>,
) -> Option<(String, RawObject)> {
    let key = match kind {
        Kind::Tools | Kind::Prompts => "name",
        Kind::Resources => "uri",
        Kind::Templates => "uriTemplate",
    };
    let object = RawObject::parse(item.get()).ok();
    let named = object.and_then(|object| Some((object.string(key)?, object)));
    let named = named.filter(|(name, _)| !name.is_empty());
    if named.is_none() {
        let shown = crate::brief::shorten(item.get(), 80);
        warnings.push(Warning::Unnamed { upstream: lists.name.clone(), kind, key, shown });
    }
    named
}

/// The names that more than one upstream brings.
fn clashing<'a>(found: impl Iterator<Item = impl Iterator<Item = &'a str>>) -> HashSet<String> {
    let mut seen = HashSet::new();
    let mut clashing = HashSet::new();
    for names in found {
        let own: HashSet<&str> = names.collect();
        for name in own {
            if !seen.insert(name) {
                clashing.insert(name.to_owned());
            }
        }
    }
    clashing
}

fn served_name(upstream: &UpstreamName, name: &ToolName, clashing: &HashSet<String>) -> ToolName {
    if clashing.contains(&**name) { ToolName::qualified(upstream, name) } else { name.clone() }
}

fn lay_over(definition: RawObject, file: Option<&DescriptionFile>) -> RawObject {
    file.map_or(definition.clone(), |file| {
        file.overlay.iter().fold(definition, |definition, (key, value)| definition.with(key, value))
    })
}

fn complete(name: &ToolName, definition: RawObject, warnings: &mut Vec<Warning>) -> RawObject {
    if definition.member("inputSchema").is_some() {
        return definition;
    }
    warnings.push(Warning::NoSchema { tool: name.clone() });
    definition.with("inputSchema", r#"{"type":"object"}"#)
}

fn unmatched(
    files: &[DescriptionFile],
    left: &HashMap<&str, &DescriptionFile>,
    tools: &[Tool],
) -> Vec<DescriptionError> {
    let left = files.iter().filter(|file| left.contains_key(&*file.name));
    left.map(|file| {
        let near = nearest(&file.name, tools.iter().map(|tool| tool.name().as_str()), 1);
        let suggestion = near.first().map_or_else(String::new, |name| format!("; did you mean '{name}'?"));
        DescriptionError::NoSuchTool { path: file.path.clone(), name: file.name.clone(), suggestion }
    })
    .collect()
}

fn instructions(upstreams: &[UpstreamLists]) -> Option<String> {
    let told = upstreams.iter().filter_map(|lists| Some((&lists.name, lists.instructions.as_deref()?)));
    let told: Vec<_> = told.filter(|(_, text)| !text.trim().is_empty()).collect();
    match told.as_slice() {
        [] => None,
        [(_, text)] if upstreams.len() == 1 => Some((*text).to_owned()),
        several => {
            let parts: Vec<_> = several.iter().map(|(name, text)| format!("## {name}\n\n{text}")).collect();
            Some(parts.join("\n\n"))
        }
    }
}

#[cfg(test)]
#[path = "assembly_tests.rs"]
mod tests;
