//! The check of a call's arguments against a schema that was withheld (contract F5), within bounds whatever schema
//! and arguments are (P1).
//!
//! A schema is measured before it is compiled (`cost`) and arguments before they are parsed (`limits`); then the
//! validator pays for each step (`metered`, `meter`). Where a bound is reached the check is not made, and the upstream has
//! its own.

mod cost;
mod limits;
mod meter;
mod metered;
mod misnamed;
mod problem;
mod references;
mod repair;
mod schema;
#[cfg(test)]
mod tests;
mod unique;

pub(crate) use limits::Size;
pub use limits::{CheckLimit, CheckLimits, Unchecked};
pub use problem::ArgumentProblem;
use repair::Repair;
pub use schema::{BoundedSchema, STACK_BYTES, Unenforced};
use serde_json::{Value, value::RawValue};

use crate::name::ToolName;

/// Arguments are checked by this before the upstream sees them.
///
/// A schema that does not compile, that points outside itself or that is too expensive is warned about once and not
/// enforced: the upstream still has its own check.
#[derive(Debug)]
pub struct ArgumentCheck {
    limits: CheckLimits,
    schema: Option<BoundedSchema>,
    repair: Repair,
    /// The schema's text, in which the names of arguments are looked up where some do not fit.
    text: Box<str>,
    memory: usize,
}

/// Arguments that go on to the tool.
#[derive(Debug)]
pub struct Checked {
    /// As the tool shall see them, where that differs from what was given.
    pub repaired: Option<Box<RawValue>>,
    /// Why it is not known whether they fit, where it is not.
    pub unchecked: Option<Unchecked>,
}

/// Arguments that do not go on.
#[derive(Debug)]
pub enum Misfit {
    /// They do not fit the schema.
    Wrong(Vec<ArgumentProblem>),
    /// They cannot be read.
    Unreadable(serde_json::Error),
}

/// Arguments up to this many bytes may be checked at once, without a thread of their own: they are parsed in less
/// time than a thread takes to start.
const QUICK_BYTES: usize = 8_192;

/// The memory of a check without a schema.
const OWN_MEMORY: usize = 1_024;
/// The memory of a compiled schema for each byte of its text: large schemas were measured at 20 to 60.
const MEMORY_PER_BYTE: usize = 64;

impl ArgumentCheck {
    /// Compiles a schema's JSON text. This recurs: see [`STACK_BYTES`].
    pub fn compile(tool: &ToolName, text: &str, limits: CheckLimits) -> Self {
        let read = BoundedSchema::read(text, &limits);
        let repair = read.as_ref().map(Repair::of).unwrap_or_default();
        let schema = read.and_then(|schema| BoundedSchema::of(&schema, limits));
        if let Err(why) = &schema {
            tracing::warn!(%tool, "arguments are not checked: {why}");
        }
        let memory = OWN_MEMORY + schema.as_ref().map_or(0, |_| text.len().saturating_mul(MEMORY_PER_BYTE));
        let text = if schema.is_ok() { text.into() } else { Box::default() };
        Self { limits, schema: schema.ok(), repair, text, memory }
    }

    /// An estimate of the memory that this takes, in bytes.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Whether there is anything to check against.
    pub fn is_enforced(&self) -> bool {
        self.schema.is_some()
    }

    /// Arguments that are known to go on, after at most some 100 microseconds and 2 MB, on any stack. `None` where
    /// [`Self::apply`] has to find out.
    pub fn apply_quickly(&self, given: &str) -> Option<Checked> {
        if given.len() > QUICK_BYTES {
            return None;
        }
        let Read { arguments, repaired, depth } = self.read(given).ok()?;
        let unchecked = match &self.schema {
            Some(schema) if schema.fits_quickly(&arguments, depth) => None,
            Some(_) => return None,
            None => Some(Unchecked::Unenforced),
        };
        arguments.is_object().then_some(Checked { repaired, unchecked })
    }

    /// Arguments, by their JSON text, as the tool shall see them, or what is wrong with them.
    ///
    /// A JSON string where the schema allows only an object or an array is understood, at the top and for each argument;
    /// nothing else is changed. `stop` is asked every 50 microseconds or so whether to give up. This recurs: see
    /// [`STACK_BYTES`].
    ///
    /// # Errors
    /// What is wrong.
    pub fn apply(&self, given: &str, stop: &dyn Fn() -> bool) -> Result<Checked, Misfit> {
        let Read { arguments, repaired, depth } = match self.read(given) {
            Ok(read) => read,
            Err(Unread::Limit(limit)) => {
                return Ok(Checked { repaired: None, unchecked: Some(Unchecked::Limit(limit)) });
            }
            Err(Unread::Json(error)) => return Err(Misfit::Unreadable(error)),
        };
        if !arguments.is_object() {
            return Err(Misfit::Wrong(vec![problem::whole(&arguments, "a JSON object")]));
        }
        let problems = match &self.schema {
            Some(schema) => schema.problems(&arguments, depth, stop),
            None => Err(Unchecked::Unenforced),
        };
        match problems {
            Ok(problems) if problems.is_empty() => Ok(Checked { repaired, unchecked: None }),
            Ok(mut problems) => {
                if let Ok(schema) = BoundedSchema::read(&self.text, &self.limits) {
                    misnamed::add_suggestions(&mut problems, &schema, &arguments);
                }
                Err(Misfit::Wrong(problems))
            }
            Err(unchecked) => Ok(Checked { repaired, unchecked: Some(unchecked) }),
        }
    }

    fn read(&self, given: &str) -> Result<Read, Unread> {
        if given.len() > self.limits.bytes {
            return Err(Unread::Limit(CheckLimit::Bytes));
        }
        let size = Size::of(given);
        size.check(&self.limits).map_err(Unread::Limit)?;
        let mut arguments = serde_json::from_str(given).map_err(Unread::Json)?;
        let deepest = self.repair.apply(&mut arguments, &self.limits).map_err(Unread::Limit)?;
        let repaired = deepest.and_then(|_| serde_json::value::to_raw_value(&arguments).ok());
        Ok(Read { arguments, repaired, depth: size.depth.max(deepest.unwrap_or_default()) })
    }
}

/// Arguments that were read.
struct Read {
    arguments: Value,
    repaired: Option<Box<RawValue>>,
    depth: usize,
}

/// Why they were not.
enum Unread {
    Limit(CheckLimit),
    Json(serde_json::Error),
}
