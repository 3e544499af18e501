//! Which tools a list shows with their schemas: the arguments of all others are checked (docs/CONTRACT.md F5, B12).

use crate::{
    listing::Listing,
    tool::{PERMISSIVE_SCHEMA, Tool},
    view::{Selection, View},
};

/// The tools of a view whose `inputSchema` a list shows, exact or slim.
#[derive(Clone, Debug)]
pub struct Shown(Selection);

impl Shown {
    /// What this list shows of a view. If it shows all that the view lists exactly, nothing else is withheld either: the
    /// list shows what it is given.
    pub fn of(view: &View, listing: &Listing) -> Self {
        let mut shown = vec![false; view.snapshot().tools().len()];
        let mut is_exact = !listing.tools.is_empty();
        for listed in &listing.tools {
            let at = listed.string("name").and_then(|name| view.position(&name));
            if let Some(at) = at {
                let (tool, schema) = (&view.snapshot().tools()[at], listed.member("inputSchema"));
                shown[at] = is_shown(tool, schema);
                is_exact &= schema == tool.definition().member("inputSchema");
            }
        }
        if is_exact && view.listed().all(|(at, _)| shown[at]) {
            return Self(Selection::All);
        }
        Self(Selection::by(shown.len(), |at| shown[at]))
    }

    /// Whether the schema of the tool of this name is shown. The view must be the same.
    pub fn contains(&self, view: &View, name: &str) -> bool {
        view.position(name).is_some_and(|at| self.0.contains(at))
    }
}

fn is_shown(tool: &Tool, listed: Option<&str>) -> bool {
    match listed {
        listed if listed == tool.definition().member("inputSchema") => true,
        // The usual case, in which the slim schema need not be computed.
        None | Some(PERMISSIVE_SCHEMA) => false,
        listed => listed == tool.slim_schema(),
    }
}
