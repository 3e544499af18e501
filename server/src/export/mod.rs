//! `export`: what an operator decides about what is served, as files that serve the same (001 "Migration Guide", U10).
//!
//! Decisions stand in one `disclosure.toml`, a section for each tool; a tool whose description an operator rewrote, or
//! whose whole definition is wanted, has a description file beside it. Each holds a record of the upstream's definition
//! that it was made from. In a folder with files of an earlier export, what is new is added to them.

mod categories;
mod description;
mod folder;
mod members;
mod merge;
mod report;
mod settings;
mod standing;
mod tools;
mod wording;
mod write;

use std::collections::HashMap;

pub use folder::Folder;
use mcp_disclosure_core::{Pattern, Snapshot, Tool, UpstreamName, View, nearest::nearest};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};
use merge::Record;
pub use report::Report;
use standing::{Index, Standing};
use tools::Section;
pub use write::{File, write};

use crate::config::{DisclosureFile, UpstreamEntry};

/// The configuration's name among the files.
pub const CONFIGURATION: &str = "disclosure.toml";

/// Everything that is written down.
#[derive(Debug)]
pub struct Origins<'a> {
    /// What is listed, and what of it is odd.
    pub snapshot: &'a Snapshot,
    /// What is served.
    pub view: &'a View,
    /// What was declared, before upstreams filled what was not.
    pub declared: &'a Declared,
    /// The upstreams in order; those that no file can say are left out.
    pub upstreams: Vec<(UpstreamName, Option<UpstreamEntry>)>,
    /// The configuration of the source.
    pub config: Option<&'a DisclosureFile>,
    /// What is there already, and is kept.
    pub folder: Option<&'a Folder>,
    /// What an operator wants.
    pub wishes: &'a Wishes,
}

/// What an operator wants of an export.
#[derive(Debug, Default)]
pub struct Wishes {
    /// Whether whole definitions are written.
    pub definitions: bool,
    /// The tools whose changed definitions are recorded.
    pub accepted: Vec<Pattern>,
}

impl Wishes {
    /// Whether a change of this tool's definition was reviewed.
    fn accept(&self, tool: &Tool) -> bool {
        let names = names(tool);
        self.accepted.iter().any(|pattern| names.iter().any(|name| pattern.matches(name)))
    }

    /// Whether what is accepted is there.
    fn check(&self, tools: &[&Tool]) -> Result<(), Problem> {
        let all: Vec<String> = tools.iter().flat_map(|tool| names(tool)).collect();
        let is_idle = |pattern: &&Pattern| all.iter().all(|name| !pattern.matches(name));
        let Some(idle) = self.accepted.iter().find(is_idle) else { return Ok(()) };
        let near = nearest(idle.text(), all.iter().map(String::as_str), 1);
        let hint = near.first().map(|name| format!("did you mean '{name}'?"));
        let problem = Problem::new(format!("--accept-drift: no tool is called '{}'", idle.text()));
        Err(problem.hint(hint.unwrap_or_else(|| "give names as check shows them, or patterns".to_owned())))
    }
}

/// The files to write.
#[derive(Debug, Default)]
pub struct Export {
    /// Those that are new or change.
    pub files: Vec<File>,
    /// What was found.
    pub report: Report,
    /// Sections to add, beside those of the source.
    sections: Vec<Section>,
    /// Derived briefs of tools that have a section, by its name.
    derived: HashMap<String, String>,
    /// Records to set in sections that are there.
    records: Vec<Record>,
}

impl Export {
    /// Writes everything down.
    ///
    /// # Errors
    /// What cannot be written down, or added to what is there.
    pub fn of(origins: &Origins<'_>) -> Result<Self, Problem> {
        let mut export = Self::default();
        let tools: Vec<&Tool> = origins.view.tools().map(|visible| visible.tool()).collect();
        origins.wishes.check(&tools)?;
        let mut of_name: HashMap<&str, usize> = HashMap::new();
        tools.iter().for_each(|tool| *of_name.entry(tool.upstream_name()).or_default() += 1);
        let index = Index::new(origins);
        for tool in &tools {
            let is_alone = of_name[&**tool.upstream_name()] == 1;
            export.tool(origins, &Standing::of(origins, &index, tool, is_alone))?;
        }
        let mut blocks = settings::blocks(origins, &tools).map_err(not_toml)?;
        let mut sections = settings::sections(origins, &export.derived);
        sections.append(&mut export.sections);
        blocks.extend(tools::blocks(&sections, origins).map_err(not_toml)?);
        let mut text = match origins.folder.and_then(|folder| folder.text(CONFIGURATION)) {
            Some(existing) => merge::with_blocks(existing, &blocks)?,
            None => blocks.into_iter().map(|block| block.text).collect(),
        };
        if let Some(folder) = origins.folder.filter(|_| !export.files.is_empty()) {
            text = folder.with_descriptions(text);
        }
        let (text, without) = merge::with_records(&text, &export.records)?;
        let why = "write made_from by hand, or its section as [tools.NAME]";
        export.report.without.extend(without.into_iter().map(|section| (section, why.to_owned())));
        export.file(origins, CONFIGURATION.to_owned(), text);
        if origins.folder.is_some() {
            export.report.vanished(origins.snapshot.warnings());
        }
        Ok(export)
    }

    /// Writes a file, unless it is there like this.
    fn file(&mut self, origins: &Origins<'_>, name: String, text: String) {
        let before = origins.folder.and_then(|folder| folder.text(&name)).map(str::to_owned);
        if before.as_deref() != Some(&*text) {
            self.files.push(File { name, text, before });
        }
    }

    /// Writes down what is decided on a tool, and what that was made from.
    fn tool(&mut self, origins: &Origins<'_>, tool: &Standing<'_>) -> Result<(), Problem> {
        let name = stable_name(tool.tool, origins);
        match tool.tool.drift() {
            Some(drift) => self.report.drift(&name, drift, tool.renews),
            None if tool.tool.supplement().recorded.is_none() => self.report.added.push(name.clone()),
            None => {}
        }
        let has_file = match &tool.file {
            Some((name, text)) => {
                if let Some(text) = tool.recorded_in_file(text) {
                    self.file(origins, name.clone(), text);
                }
                true
            }
            None if tool.wants_file(origins) => match tool.new_file(origins)? {
                Ok((name, text)) => {
                    self.file(origins, name, text);
                    true
                }
                Err(why) => {
                    self.report.without.push((tool.tool.key().to_string(), why));
                    false
                }
            },
            None => false,
        };
        if let (Some((name, _)), Some(brief)) = (tool.section, tools::derived_brief(tool.tool)) {
            self.derived.insert(name.to_owned(), brief);
        }
        let made_from = || tools::record(&tool.made_from).map_err(not_toml);
        match tool.section {
            Some((name, said)) if (said.made_from.is_none() && !has_file) || tool.renews_section() => {
                let (section, derived) = (name.to_owned(), tools::derived_brief(tool.tool));
                self.records.push(Record { section, made_from: made_from()?, derived });
            }
            None if !has_file => match Section::new(name, tool.tool, tool.made_from.clone()) {
                Some(section) => self.sections.push(section),
                None => {
                    let why = "its name would be read as a pattern".to_owned();
                    self.report.without.push((tool.tool.key().to_string(), why));
                }
            },
            _ => {}
        }
        Ok(())
    }
}

/// The name by which a rule is about this tool alone, whatever other upstreams bring.
fn stable_name(tool: &Tool, origins: &Origins<'_>) -> String {
    let mut entries = origins.upstreams.iter();
    match entries.any(|(name, entry)| entry.is_some() && name == tool.upstream()) {
        true => qualified(tool),
        // What the program serves of its own is not named in files.
        false => tool.key().to_string(),
    }
}

/// All names by which operators call a tool.
fn names(tool: &Tool) -> [String; 4] {
    [tool.key().to_string(), tool.upstream_name().to_string(), qualified(tool), tool.qualified().to_string()]
}

fn qualified(tool: &Tool) -> String {
    format!("{}/{}", tool.upstream(), tool.upstream_name())
}

fn not_toml(error: toml::ser::Error) -> Problem {
    Problem::new(format!("what is declared cannot be written as TOML: {error}"))
}
