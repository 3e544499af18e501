//! The check of a call's arguments against a schema that was withheld (contract F5), bounded in steps whatever schema
//! and arguments are (P1).
//!
//! It judges the keywords that tools use, and abstains from everything else: [`Verdict::NotJudged`]. A call whose arguments
//! are not judged goes on, and the upstream has a check of its own. See decision 0009.

mod check;
mod numbers;
#[cfg(test)]
mod oracle_tests;
mod pattern;
mod problem;
mod repair;
mod schema;
#[cfg(test)]
mod tests;

pub use check::Verdict;
pub use problem::ArgumentProblem;
pub use schema::Schema;
use serde_json::{Value, value::RawValue};

use crate::{name::ToolName, size};

/// The most bytes of arguments that are checked.
const MAX_BYTES: usize = 500_000;
/// The most bytes of a schema that is compiled: in some 5 ms.
const MAX_SCHEMA_BYTES: usize = 200_000;
/// The most memory that either takes when it is read, by an upper bound: that takes some 2 ms.
const MAX_MEMORY: usize = 12_000_000;
/// The memory of a check without a schema.
const OWN_MEMORY: usize = 1_024;

/// Arguments are checked by this before the upstream sees them.
#[derive(Debug)]
pub struct ArgumentCheck {
    schema: Option<Schema>,
}

/// Arguments that go on to the tool.
#[derive(Debug, Default)]
pub struct Checked {
    /// As the tool shall see them, where that differs from what was given.
    pub repaired: Option<Box<RawValue>>,
    /// Whether it is known that they fit.
    pub is_judged: bool,
}

impl ArgumentCheck {
    /// Compiles a schema's JSON text. What of it is not judged is logged, as a warning.
    pub fn compile(tool: &ToolName, text: &str) -> Self {
        let schema = Schema::compile(text);
        match &schema {
            None => tracing::warn!(%tool, "arguments are not checked: the schema is too large or too deep"),
            Some(schema) if schema.unjudged().next().is_some() => {
                let parts: Vec<&str> = schema.unjudged().collect();
                tracing::warn!(%tool, "arguments are not checked against all of the schema: {}", parts.join(", "));
            }
            Some(_) => {}
        }
        Self { schema }
    }

    /// An estimate of the memory that this takes, in bytes.
    pub fn memory(&self) -> usize {
        OWN_MEMORY + self.schema.as_ref().map_or(0, Schema::memory)
    }

    /// Arguments, by their JSON text, as the tool shall see them. It takes some 5 ms at most.
    ///
    /// A JSON string where the schema allows only an object or an array is understood, at the top and for each argument;
    /// nothing else is changed.
    ///
    /// # Errors
    /// What is wrong with them: they do not fit.
    pub fn apply(&self, given: &str) -> Result<Checked, Vec<ArgumentProblem>> {
        let Some((schema, mut arguments)) = self.schema.as_ref().zip(read(given, MAX_BYTES)) else {
            return Ok(Checked::default());
        };
        let Some(is_repaired) = repair::apply(&schema.document, &mut arguments) else {
            return Ok(Checked::default());
        };
        if !arguments.is_object() {
            return Err(vec![problem::whole(&arguments, "a JSON object")]);
        }
        let is_judged = match schema.check(&arguments) {
            Verdict::Fits => true,
            Verdict::NotJudged => false,
            Verdict::DoesNotFit(problems) => return Err(problems),
        };
        let repaired = is_repaired.then(|| serde_json::value::to_raw_value(&arguments).ok()).flatten();
        Ok(Checked { repaired, is_judged })
    }
}

/// A text that is small enough for a check. `None` also where it cannot be read: it nests too deep, or its numbers or
/// escapes stand for nothing.
fn read(text: &str, bytes: usize) -> Option<Value> {
    let fits = text.len() <= bytes && size::memory(text) <= MAX_MEMORY;
    fits.then(|| serde_json::from_str(text).ok()).flatten()
}
