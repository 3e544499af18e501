//! How one tool stands: what was decided on it, where, and what that was made from.

use std::{collections::HashMap, path::Path};

use mcp_disclosure_core::{
    DescriptionError, DescriptionFile, MadeFrom, Tool, ToolName, printable::is_active,
};
use mcp_disclosure_gateway::Problem;

use super::{Folder, Origins, description, qualified};
use crate::config::{self, DisclosureFile};

/// How a tool stands.
#[derive(Debug)]
pub(super) struct Standing<'a> {
    pub(super) tool: &'a Tool,
    /// The record to write: of the definition now, but where another one was recorded and the change is not accepted.
    pub(super) made_from: MadeFrom,
    /// Whether the definition changed, and that is accepted.
    pub(super) renews: bool,
    /// The section that is about it alone: the folder's, else the source's.
    pub(super) section: Option<(&'a str, &'a config::Tool)>,
    /// The folder's description file of it, by name, and its text.
    pub(super) file: Option<(String, &'a str)>,
    /// What a description file says of it.
    pub(super) decided: Option<&'a DescriptionFile>,
}

impl<'a> Standing<'a> {
    /// `is_alone` is whether no other upstream has a tool of its name.
    pub(super) fn of(origins: &Origins<'a>, index: &Index<'a>, tool: &'a Tool, is_alone: bool) -> Self {
        let renews = tool.drift().is_some() && origins.wishes.accept(tool);
        let recorded = tool.supplement().recorded.as_ref().filter(|_| !renews);
        let made_from = recorded.map_or_else(|| tool.made_from(), |recorded| recorded.made_from.clone());
        let section = index.section_of(tool, is_alone);
        let file = origins.folder.and_then(|folder| folder.file_of(tool));
        let decided = tool.supplement().path.as_deref().and_then(|path| index.files.get(path).copied());
        Self { tool, made_from, renews, section, file, decided }
    }

    /// Whether the record of its section is set anew.
    pub(super) fn renews_section(&self) -> bool {
        self.renews && self.section.is_some_and(|(_, said)| said.made_from.is_some())
    }

    /// Its description file with the record, if it lacks one, or one that is renewed.
    pub(super) fn recorded_in_file(&self, text: &str) -> Option<String> {
        let recorded = self.decided.and_then(|file| file.supplement.recorded.as_ref());
        let before = recorded.map(|recorded| &recorded.made_from);
        let is_recorded = before.is_some() || self.section.is_some_and(|(_, said)| said.made_from.is_some());
        let follows = self.renews && before.is_some();
        (follows || !is_recorded).then(|| description::recorded(text, before, self.tool, &self.made_from))
    }

    /// Whether a new description file is written: for whole definitions, and where one was written before.
    pub(super) fn wants_file(&self, origins: &Origins<'_>) -> bool {
        let is_elsewhere = origins.folder.is_some_and(Folder::describes_elsewhere);
        origins.wishes.definitions || (self.decided.is_some() && !is_elsewhere)
    }

    /// The name and text of a new description file, or why there can be none.
    ///
    /// # Errors
    /// That there is no place for any.
    pub(super) fn new_file(
        &self,
        origins: &Origins<'_>,
    ) -> Result<Result<(String, String), String>, Problem> {
        let stem = self.decided.map_or_else(|| described_name(self.tool), |file| &file.name);
        let name = format!("{stem}.json");
        if let Some(why) = no_file_name(&name, stem) {
            return Ok(Err(why.to_owned()));
        }
        let whole = origins.wishes.definitions;
        let text = description::text(stem, self.tool, self.decided, whole, &self.made_from);
        if let Err(errors) = DescriptionFile::parse(&name, stem, &text) {
            return Ok(Err(match errors.first() {
                Some(DescriptionError::Missing { member, .. }) => format!("it has no {member}"),
                Some(error) => error.to_string(),
                None => String::new(),
            }));
        }
        let Some(folder) = origins.folder else { return Ok(Ok((name, text))) };
        let place = folder.place_of(&name)?;
        Ok(match folder.text(&place) {
            Some(_) => Err(format!("{place} is there already, and is not what describes it now")),
            None => Ok((place, text)),
        })
    }
}

/// Why a file cannot have this name, if it cannot.
fn no_file_name(name: &str, stem: &str) -> Option<&'static str> {
    // What most file systems allow.
    if name.len() > 255 && !name.contains('/') {
        return Some("its name is too long for a file name");
    }
    let is_odd = name.contains('/')
        || name.contains(is_active)
        || (cfg!(windows) && name.contains(['\\', ':', '*', '?', '"', '<', '>', '|']))
        || Path::new(name).file_stem().and_then(|own| own.to_str()) != Some(stem);
    is_odd.then_some("its name is no file name")
}

/// What is declared of single tools, by name.
#[derive(Debug)]
pub(super) struct Index<'a> {
    /// The sections of the folder, and of the source.
    sections: [HashMap<&'a str, &'a config::Tool>; 2],
    /// Description files by their paths.
    files: HashMap<&'a str, &'a DescriptionFile>,
}

impl<'a> Index<'a> {
    pub(super) fn new(origins: &Origins<'a>) -> Self {
        let sections = |config: Option<&'a DisclosureFile>| {
            let sections = config.into_iter().flat_map(|config| &config.tools.0);
            sections.map(|(name, _, said)| (name.as_str(), said)).collect()
        };
        let files = origins.declared.files.iter().map(|file| (file.path.as_str(), file)).collect();
        Self {
            sections: [sections(origins.folder.and_then(Folder::config)), sections(origins.config)],
            files,
        }
    }

    /// The section that is about a tool alone: by its name with its upstream or, where no other upstream has it, by its
    /// bare name.
    fn section_of(&self, tool: &Tool, is_alone: bool) -> Option<(&'a str, &'a config::Tool)> {
        let bare = is_alone.then(|| tool.upstream_name().to_string());
        let names = [Some(qualified(tool)), Some(tool.qualified().to_string()), bare];
        let find = |sections: &HashMap<&'a str, &'a config::Tool>| {
            let mut names = names.iter().flatten();
            names.find_map(|name| sections.get_key_value(name.as_str()).map(|(name, said)| (*name, *said)))
        };
        self.sections.iter().find_map(find)
    }
}

/// The name by which a description file is about this tool, whatever name it is served by.
fn described_name(tool: &Tool) -> &ToolName {
    if tool.key() == tool.upstream_name() { tool.key() } else { tool.qualified() }
}
