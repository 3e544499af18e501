//! `export`: what is served, written down as files that serve the same (001 "Migration Guide").

mod categories;
mod description;
mod settings;
mod wording;
mod write;

use std::path::Path;

use mcp_disclosure_core::{About, DescriptionError, DescriptionFile, Tool, ToolName, UpstreamName, View};
use mcp_disclosure_gateway::catalogue::Declared;
pub use write::write;

use crate::config::{DisclosureFile, UpstreamEntry};

/// The configuration's name among the files.
pub const CONFIGURATION: &str = "disclosure.toml";

/// Everything that is written down.
#[derive(Debug)]
pub struct Origins<'a> {
    /// What is served.
    pub view: &'a View,
    /// What was declared, before upstreams filled what was not.
    pub declared: &'a Declared,
    /// The upstreams in order; those that no file can say are left out.
    pub upstreams: Vec<(UpstreamName, Option<UpstreamEntry>)>,
    /// The configuration there is already.
    pub config: Option<&'a DisclosureFile>,
}

/// The files to write.
#[derive(Debug, Default)]
pub struct Export {
    /// Names and texts.
    pub files: Vec<(String, String)>,
    /// Tools that get no description file, and why.
    pub without: Vec<(String, String)>,
}

impl Export {
    /// Writes everything down.
    ///
    /// # Errors
    /// What cannot be said in TOML.
    pub fn of(origins: &Origins<'_>) -> Result<Self, toml::ser::Error> {
        let mut export = Self::default();
        let mut nameless: Vec<&Tool> = Vec::new();
        for tool in origins.view.tools().map(|visible| visible.tool()) {
            match description_file(tool) {
                Ok(file) => export.files.push(file),
                Err(why) => {
                    export.without.push((tool.key().to_string(), why));
                    nameless.push(tool);
                }
            }
        }
        let about: &About = &origins.declared.about;
        let tools: Vec<&Tool> = origins.view.tools().map(|visible| visible.tool()).collect();
        let proposed = categories::propose(&tools, &about.categories, |tool| stable_name(tool, origins));
        let settings = settings::text(origins, &proposed, &nameless)?;
        export.files.push((CONFIGURATION.to_owned(), settings));
        Ok(export)
    }
}

/// The name by which a rule is about this tool alone, whatever other upstreams bring.
fn stable_name(tool: &Tool, origins: &Origins<'_>) -> String {
    match origins.upstreams.len() {
        0 | 1 => tool.upstream_name().to_string(),
        _ => format!("{}/{}", tool.upstream(), tool.upstream_name()),
    }
}

/// The name by which a description file is about this tool, whatever name it is served by.
fn described_name(tool: &Tool) -> &ToolName {
    if tool.key() == tool.upstream_name() { tool.key() } else { tool.qualified() }
}

/// The name and text of a tool's description file, or why there can be none.
fn description_file(tool: &Tool) -> Result<(String, String), String> {
    let stem = described_name(tool);
    let name = format!("{stem}.json");
    if name.contains(['/', '\0'])
        || (cfg!(windows) && name.contains(['\\', ':', '*', '?', '"', '<', '>', '|']))
    {
        return Err("its name is no file name".to_owned());
    }
    // What most file systems allow.
    if name.len() > 255 {
        return Err("its name is too long for a file name".to_owned());
    }
    if Path::new(&name).file_stem().and_then(|stem| stem.to_str()) != Some(stem.as_str()) {
        return Err("its name is no file name".to_owned());
    }
    let text = description::text(stem, tool);
    match DescriptionFile::parse(&name, stem, &text) {
        Ok(_) => Ok((name, text)),
        Err(errors) => Err(match errors.first() {
            Some(DescriptionError::Missing { member, .. }) => format!("it has no {member}"),
            Some(error) => error.to_string(),
            None => String::new(),
        }),
    }
}
