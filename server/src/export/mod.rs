//! `export`: what an operator decides about what is served, as files that serve the same (001 "Migration Guide", U10).
//!
//! Decisions stand in one `disclosure.toml`, a section for each tool; a tool whose description an operator rewrote, or
//! whose whole definition is wanted, has a description file beside it. Each holds a record of the upstream's definition
//! that it was made from. In a folder with files of an earlier export, what is new is added to them.

mod categories;
mod description;
mod folder;
mod layout;
mod members;
mod merge;
mod moved;
mod report;
mod settings;
mod standing;
mod tools;
mod wording;
mod write;

use std::collections::{BTreeSet, HashMap, HashSet};

pub use folder::Folder;
use mcp_disclosure_core::{Pattern, Snapshot, Tool, UpstreamName, View, nearest::nearest};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};
use merge::Record;
pub use report::Report;
use standing::{Index, Standing};
use tools::Section;
pub use write::{File, write};

use crate::config::{self, DisclosureFile, UpstreamEntry};

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
    /// The upstreams in order; an upstream that cannot be written in a file has no entry.
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
    /// Whether what earlier exports wrote about tools is written anew.
    pub replace: bool,
}

impl Wishes {
    /// Whether a change of this tool's definition was reviewed.
    fn accept(&self, tool: &Tool) -> bool {
        let names = names(tool);
        self.replace || self.accepted.iter().any(|pattern| names.iter().any(|name| pattern.matches(name)))
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
    /// Sections that are about a listed tool alone.
    used: HashSet<String>,
}

impl Export {
    /// Writes everything down.
    ///
    /// # Errors
    /// What cannot be written down, or added to what is there.
    pub fn of(origins: &Origins<'_>) -> Result<Self, Vec<Problem>> {
        let mut export = Self::default();
        let tools: Vec<&Tool> = origins.view.tools().map(|visible| visible.tool()).collect();
        let text = export.text(origins, &tools).map_err(|problem| vec![problem])?;
        // What a person wrote and what is added may contradict each other.
        let file = DisclosureFile::parse(CONFIGURATION, &text)?;
        file.declare(&origins.declared.about)?;
        export.file(origins, CONFIGURATION.to_owned(), text);
        if origins.folder.is_some_and(Folder::is_there) {
            let replaced = export.replaced(origins);
            export.report.vanished(origins.snapshot.warnings());
            export.report.vanished.retain(|name| !replaced.contains(name));
        }
        Ok(export)
    }

    /// The text of the configuration; description files are noted on the way.
    fn text(&mut self, origins: &Origins<'_>, tools: &[&Tool]) -> Result<String, Problem> {
        origins.wishes.check(tools)?;
        let index = Index::new(origins);
        let mut of_name: HashMap<&str, usize> = HashMap::new();
        tools.iter().for_each(|tool| *of_name.entry(tool.upstream_name()).or_default() += 1);
        for tool in tools {
            let is_alone = of_name[&**tool.upstream_name()] == 1;
            self.tool(origins, &Standing::of(origins, &index, tool, is_alone))?;
        }
        let mut blocks = settings::blocks(origins, tools).map_err(not_toml)?;
        let replaced = self.replaced(origins);
        let mut sections = settings::sections(origins, &self.derived);
        sections.retain(|section| !replaced.contains(&section.name));
        sections.append(&mut self.sections);
        blocks.extend(tools::blocks(&sections, origins).map_err(not_toml)?);
        let mut text = match origins.folder.and_then(Folder::base) {
            Some(existing) => merge::with_blocks(&merge::without_sections(existing, &replaced)?, &blocks)?,
            None => blocks.into_iter().map(|block| block.text).collect(),
        };
        let has_files = |folder: &&Folder| !self.files.is_empty() || folder.has_descriptions();
        if let Some(folder) = origins.folder.filter(has_files) {
            text = folder.with_descriptions(text);
        }
        let (text, without) = merge::with_records(&text, &self.records)?;
        self.report
            .without
            .extend(without.into_iter().map(|section| (section, wording::NO_PLACE.to_owned())));
        Ok(text)
    }

    /// Sections with nothing but records of earlier exports, of tools that are not listed, where
    /// those are written anew.
    fn replaced(&self, origins: &Origins<'_>) -> Vec<String> {
        let configs = [origins.folder.and_then(Folder::config), origins.config];
        let sections = configs.into_iter().flatten().flat_map(|config| &config.tools.0);
        let replaced = sections.filter(|(name, _, said)| {
            let record = config::Tool { made_from: said.made_from.clone(), ..config::Tool::default() };
            origins.wishes.replace && said.made_from.is_some() && *said == record && !self.used.contains(name)
        });
        // The source may be the folder's own file.
        let names: BTreeSet<String> = replaced.map(|(name, _, _)| name.clone()).collect();
        names.into_iter().collect()
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
        let has_file = self.describe(origins, tool)?;
        self.decide(tool, name, has_file)
    }

    /// Writes a tool's description file, or a record into the one that there is. Whether there is one then.
    fn describe(&mut self, origins: &Origins<'_>, tool: &Standing<'_>) -> Result<bool, Problem> {
        if let Some((name, text)) = &tool.file {
            if let Some(text) = tool.recorded_in_file(text) {
                self.file(origins, name.clone(), text);
            }
            return Ok(true);
        }
        if !tool.wants_file(origins) {
            return Ok(false);
        }
        match tool.new_file(origins)? {
            Ok((name, text)) => self.file(origins, name, text),
            Err(why) => {
                self.report.without.push((tool.tool.key().to_string(), why));
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes a tool's section, or a record into the one that there is.
    fn decide(&mut self, tool: &Standing<'_>, name: String, has_file: bool) -> Result<(), Problem> {
        let derived = tools::derived_brief(tool.tool);
        let Some((section, said)) = tool.section else {
            match Section::new(name, tool.tool, tool.made_from.clone()) {
                _ if has_file => {}
                Some(section) => self.sections.push(section),
                None => self.report.without.push((tool.tool.key().to_string(), wording::NO_NAME.to_owned())),
            }
            return Ok(());
        };
        self.used.insert(section.to_owned());
        if let Some(brief) = &derived {
            self.derived.insert(section.to_owned(), brief.clone());
        }
        if (said.made_from.is_none() && !has_file) || tool.renews_section() {
            let made_from = tools::record(&tool.made_from).map_err(not_toml)?;
            self.records.push(Record { section: section.to_owned(), made_from, derived });
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
