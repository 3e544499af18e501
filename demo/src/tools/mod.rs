//! The tools: from arguments to `structuredContent`.

mod numeric;
mod symbolic;

use serde_json::Value;

use crate::error::Result;
use crate::json::Arguments;

/// A tool's function.
pub(crate) type Run = fn(&Arguments) -> Result<Value>;

/// The function of the tool with this name.
pub(crate) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "symbolic_solve" => symbolic::solve,
        "symbolic_diff" => symbolic::differentiate,
        "symbolic_integrate" => symbolic::integrate,
        "symbolic_simplify" => symbolic::simplify,
        "numerical_integrate" => numeric::integrate,
        "linear_solve" => numeric::linear_solve,
        "matrix_eigenvalues" => numeric::matrix_eigenvalues,
        "fft" => numeric::fft,
        "convolve" => numeric::convolve,
        "minimize" => numeric::minimize,
        "find_root" => numeric::find_root,
        _ => return None,
    })
}
