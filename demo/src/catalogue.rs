//! The description files, which are the only definitions of the tools, and what is said of the server beside them.

use std::sync::{Arc, LazyLock};

use mcp_disclosure_core::{About, Category, Concern, RawObject, Schema, Values};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::error::Result;
use crate::json::Arguments;
use crate::tools::{numeric, symbolic};

macro_rules! tools {
    ($($name:literal => $run:path,)+) => {
        /// Every description file as `(file name, contents)`, in the order of `tools/list`.
        pub const DESCRIPTION_FILES: &[(&str, &str)] =
            &[$((concat!($name, ".json"), include_str!(concat!("../tool_descriptions/", $name, ".json")))),+];

        /// What runs the tool of each.
        const RUNS: &[Run] = &[$($run),+];
    };
}

tools! {
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
}

/// A tool's function: from its arguments to `structuredContent`.
pub(crate) type Run = fn(&Arguments) -> Result<Value>;

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

/// A tool as it is listed, what checks its arguments, and what runs it.
pub(crate) struct Runnable {
    pub(crate) tool: Tool,
    pub(crate) schema: Schema,
    pub(crate) run: Run,
}

/// The tools, in their order.
pub(crate) static TOOLS: LazyLock<Vec<Runnable>> = LazyLock::new(|| {
    DESCRIPTION_FILES.iter().zip(RUNS).map(|((_, text), run)| runnable(text, *run)).collect()
});

/// The tool of this name.
pub(crate) fn find(name: &str) -> Option<&'static Runnable> {
    TOOLS.iter().find(|runnable| runnable.tool.name == name)
}

fn runnable(text: &str, run: Run) -> Runnable {
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
    Runnable { tool, schema: Schema::compile(&file["inputSchema"].to_string()), run }
}
