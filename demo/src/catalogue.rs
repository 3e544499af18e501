//! The description files: the only definitions of the tools.

use std::sync::{Arc, LazyLock};

use mcp_disclosure_core::Schema;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$((concat!($name, ".json"), include_str!(concat!("../tool_descriptions/", $name, ".json")))),+]
    };
}

/// Every description file as `(file name, contents)`, in the order of `tools/list`.
pub const DESCRIPTION_FILES: &[(&str, &str)] = files![
    "symbolic_solve",
    "symbolic_diff",
    "symbolic_integrate",
    "symbolic_simplify",
    "numerical_integrate",
    "linear_solve",
    "matrix_eigenvalues",
    "fft",
    "convolve",
    "minimize",
    "find_root",
];

/// The categories as `(name, description)`, in the order in which they are shown.
pub const CATEGORIES: &[(&str, &str)] = &[
    ("symbolic", "Symbolic algebra operations in exact arithmetic"),
    ("numerical", "Numerical integration and linear algebra on the CPU"),
    ("transforms", "FFT and signal processing"),
    ("optimization", "Function optimization and root finding"),
];

/// The concerns as `(name, description, values)`.
pub const CONCERNS: &[(&str, &str, &[&str])] =
    &[("precision", "Whether results are exact or may be rounded", &["exact", "approximate"])];

/// The tools as listed, and what checks the arguments of each.
pub(crate) static TOOLS: LazyLock<Vec<(Tool, Schema)>> =
    LazyLock::new(|| DESCRIPTION_FILES.iter().map(|(_, text)| tool(text)).collect());

fn tool(text: &str) -> (Tool, Schema) {
    // The files are embedded; a test checks that each one parses.
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let string = |key: &str| file[key].as_str().unwrap_or_default().to_owned();
    let object =
        |key: &str| -> Arc<JsonObject> { Arc::new(file[key].as_object().cloned().unwrap_or_default()) };
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    let tool = Tool::new(string("name"), string("description"), object("inputSchema"))
        .with_title(string("title"))
        .with_raw_output_schema(object("outputSchema"))
        .with_annotations(annotations);
    (tool, Schema::compile(&file["inputSchema"].to_string()))
}
