//! The sections of `[tools]`: what was decided on single tools, and what definition that was made from.

use mcp_disclosure_core::{MadeFrom, Pattern, Tool, printable::is_active};
use toml::ser::Error;
use toml_edit::Key;

use super::{Folder, Origins, merge::Block, wording};
use crate::config::{self, escape_all};

/// A section of `[tools]`.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) said: config::Tool,
    /// The derived brief, where no other was decided on.
    pub(super) derived: Option<String>,
}

impl Section {
    /// A section for a tool that nothing was decided on yet; `None` for a tool whose name would be read as a pattern, or
    /// would not be seen as it is by who reads the file.
    pub(super) fn new(name: String, tool: &Tool, made_from: MadeFrom) -> Option<Self> {
        let is_exact = !Pattern::new(&name).is_wild() && !name.contains(is_active);
        let said = config::Tool { made_from: Some(made_from), ..config::Tool::default() };
        is_exact.then(|| Self { name, said, derived: derived_brief(tool) })
    }

    /// Its text. Each key has one line, so that a change of a record is a change of one line.
    ///
    /// # Errors
    /// What TOML cannot express.
    fn text(&self) -> Result<String, Error> {
        let mut said = toml::Value::try_from(&self.said)?;
        escape_all(&mut said);
        let mut text = format!("[tools.{}]\n", Key::new(&*self.name));
        for (key, value) in said.as_table().into_iter().flatten() {
            if let Some(derived) = self.derived.as_ref().filter(|_| key == wording::MADE_FROM) {
                text.push_str(&wording::derived_brief(derived));
            }
            text.push_str(&format!("{key} = {value}\n"));
        }
        Ok(text)
    }
}

/// Sections as blocks.
///
/// # Errors
/// What TOML cannot express.
pub(super) fn blocks(sections: &[Section], origins: &Origins<'_>) -> Result<Vec<Block>, Error> {
    let config = origins.folder.and_then(Folder::config);
    let mut heading = if config.is_none_or(|config| config.tools.0.is_empty()) { wording::TOOLS } else { "" };
    let block = |section: &Section| {
        let text = format!("\n{}{}", std::mem::take(&mut heading), section.text()?);
        Ok(Block { table: "tools".to_owned(), name: Some(section.name.clone()), text })
    };
    sections.iter().map(block).collect()
}

/// The brief that a tool is listed with, unless an operator wrote one.
pub(super) fn derived_brief(tool: &Tool) -> Option<String> {
    tool.supplement().brief.is_none().then(|| tool.brief().to_owned())
}

/// A record as the value of a key.
///
/// # Errors
/// None but those of the serializer.
pub(super) fn record(made_from: &MadeFrom) -> Result<String, Error> {
    Ok(toml::Value::try_from(made_from)?.to_string())
}
