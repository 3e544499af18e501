//! The description files, which are the only definitions of the tools, and what is said of the server beside them.

use std::sync::{Arc, LazyLock};

use mcp_disclosure_core::{About, Category, Concern, RawObject, Schema, Values};
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

/// The description of the server, in one line.
pub(crate) const DESCRIPTION: &str = "Symbolic and numerical computing";

/// What is said of the server beside its tools: facts, categories and concerns.
pub fn about() -> About {
    let category = |name: &str, description: &str| Category {
        name: name.to_owned(),
        description: description.to_owned(),
    };
    let values = Values::Listed(vec!["exact".into(), "approximate".into()]);
    let precision = Concern::new("precision", "Whether results are exact or may be rounded", values, None);
    About {
        description: DESCRIPTION.to_owned(),
        facts: RawObject::empty().with_value("gpu_available", &false),
        categories: vec![
            category("symbolic", "Symbolic algebra operations in exact arithmetic"),
            category("numerical", "Numerical integration and linear algebra on the CPU"),
            category("transforms", "FFT and signal processing"),
            category("optimization", "Function optimization and root finding"),
        ],
        // It has a name and values, so there is no error.
        concerns: precision.into_iter().collect(),
        ..About::default()
    }
}

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
