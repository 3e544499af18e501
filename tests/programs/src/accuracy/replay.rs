//! The upstream of a run: lists what was recorded, runs nothing, and writes every call into a journal.

use std::{fs::OpenOptions, io::Write, path::Path};

use kit::{
    recordings::Recorded,
    server::{answer, fail, messages, text},
};
use serde_json::{Value, json};

use super::{Failure, task::Reached};

/// The subcommand under which the host's program starts itself again as an upstream; tests/rivals names it, too.
pub const ROLE: &str = "replay";

/// Serves a recorded list over stdio until stdin ends. `name` is the upstream's name in the journal.
///
/// # Errors
/// Why the recording or the journal cannot be used.
pub fn replay(name: &str, recording: &Path, journal: &Path) -> Result<(), Failure> {
    let recorded = Recorded::read(recording)?;
    let mut journal = OpenOptions::new().append(true).create(true).open(journal)?;
    for request in messages() {
        let (Some(id), Some(method)) = (request.get("id"), request["method"].as_str()) else { continue };
        match method {
            "initialize" => answer(id, introduction(&recorded)),
            "tools/list" => answer(id, json!({"tools": recorded.tools})),
            "tools/call" => {
                let params = &request["params"];
                let tool = format!("{name}:{}", params["name"].as_str().unwrap_or_default());
                let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
                // One write, since other upstreams append to the same file.
                let call = serde_json::to_string(&Reached { tool, arguments })?;
                journal.write_all(format!("{call}\n").as_bytes())?;
                answer(id, text("Done."));
            }
            "ping" => answer(id, json!({})),
            _ => fail(id, json!({"code": -32601, "message": format!("Method not found: {method}")})),
        }
    }
    Ok(())
}

fn introduction(recorded: &Recorded) -> Value {
    let mut introduction = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": recorded.server,
    });
    if let Some(instructions) = &recorded.instructions {
        introduction["instructions"] = instructions.as_str().into();
    }
    introduction
}
