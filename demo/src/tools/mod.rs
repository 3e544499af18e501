//! The tools: from arguments to `structuredContent`.

mod numeric;
mod symbolic;

use mcp_disclosure_core::Schema;
use serde_json::Value;

use crate::catalogue::TOOLS;
use crate::error::Result;
use crate::json::Arguments;

/// A tool's function.
pub(crate) type Run = fn(&Arguments) -> Result<Value>;

/// In the order of the [description files](crate::DESCRIPTION_FILES).
const RUNS: [Run; 11] = [
    symbolic::solve,
    symbolic::differentiate,
    symbolic::integrate,
    symbolic::simplify,
    numeric::integrate,
    numeric::linear_solve,
    numeric::matrix_eigenvalues,
    numeric::fft,
    numeric::convolve,
    numeric::minimize,
    numeric::find_root,
];

/// The function of the tool with this name, and what checks its arguments.
pub(crate) fn find(name: &str) -> Option<(Run, &'static Schema)> {
    let at = TOOLS.iter().position(|(tool, _)| tool.name == name)?;
    Some((RUNS[at], &TOOLS[at].1))
}
