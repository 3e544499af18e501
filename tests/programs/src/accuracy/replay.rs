//! The upstream of a run: lists what was recorded, runs nothing, and writes every call into a journal.

use std::{
    fs::OpenOptions,
    io::{BufRead, Write},
    path::Path,
};

use serde_json::{Value, json};

use super::{Failure, task::Reached};
use kit::recordings::Recorded;

/// The subcommand under which the host's program starts itself again as an upstream; tests/rivals names it, too.
pub const ROLE: &str = "replay";

/// Serves a recorded list over stdio until stdin ends. `name` is the upstream's name in the journal.
///
/// # Errors
/// Why the recording or the journal cannot be used.
pub fn replay(name: &str, recording: &Path, journal: &Path) -> Result<(), Failure> {
    let recorded = Recorded::read(recording)?;
    let mut journal = OpenOptions::new().append(true).create(true).open(journal)?;
    let mut stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let (Some(id), Some(method)) = (request.get("id"), request["method"].as_str()) else { continue };
        let answer = match respond(name, &recorded, method, &request["params"]) {
            Response::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Response::Called(call) => {
                // One write, since other upstreams append to the same file.
                journal.write_all(format!("{}\n", serde_json::to_string(&call)?).as_bytes())?;
                let content = json!([{"type": "text", "text": "Done."}]);
                json!({"jsonrpc": "2.0", "id": id, "result": {"content": content, "isError": false}})
            }
            Response::Unknown => {
                let error = json!({"code": -32601, "message": format!("Method not found: {method}")});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        };
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}

enum Response {
    Result(Value),
    Called(Reached),
    Unknown,
}

fn respond(name: &str, recorded: &Recorded, method: &str, params: &Value) -> Response {
    match method {
        "initialize" => {
            let mut result = json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": recorded.server,
            });
            if let Some(instructions) = &recorded.instructions {
                result["instructions"] = instructions.as_str().into();
            }
            Response::Result(result)
        }
        "tools/list" => Response::Result(json!({"tools": recorded.tools})),
        "tools/call" => Response::Called(Reached {
            tool: format!("{name}:{}", params["name"].as_str().unwrap_or_default()),
            arguments: params.get("arguments").cloned().unwrap_or_else(|| json!({})),
        }),
        "ping" => Response::Result(json!({})),
        _ => Response::Unknown,
    }
}
