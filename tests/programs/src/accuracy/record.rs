//! Recording what real servers list.

use std::{fs, path::Path};

use mcp_disclosure_client::{Host, Link, Preferences};
use serde_json::{Value, value::to_raw_value};
use tokio::process::Command;

use super::Failure;
use kit::recordings::Recorded;

/// Starts each server of a host's file, `{"mcpServers": {name: {"command", "args", "env"}}}`, and writes what it lists
/// to `folder/NAME.json`. Returns the names with their numbers of tools.
///
/// # Errors
/// The first server that cannot be listed.
pub async fn record(config: &Path, folder: &Path) -> Result<Vec<(String, usize)>, Failure> {
    let text = fs::read_to_string(config).map_err(|error| format!("{}: {error}", config.display()))?;
    let config: Value = serde_json::from_str(&text)?;
    let servers = config["mcpServers"].as_object().ok_or("the file has no 'mcpServers'")?;
    fs::create_dir_all(folder)?;
    let mut recorded = Vec::new();
    for (name, entry) in servers {
        let listed = list(entry).await.map_err(|error| format!("{name}: {error}"))?;
        fs::write(folder.join(format!("{name}.json")), serde_json::to_string(&listed)?)?;
        recorded.push((name.clone(), listed.tools.len()));
    }
    Ok(recorded)
}

async fn list(entry: &Value) -> Result<Recorded, Failure> {
    let mut command = Command::new(entry["command"].as_str().ok_or("the entry has no 'command'")?);
    command.args(entry["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    let variables = entry["env"].as_object().into_iter().flatten();
    command.envs(variables.filter_map(|(name, value)| Some((name, value.as_str()?))));
    let host = Host::connect(Link::process(command), Preferences::of([])).await?;
    let tools = host.list().await?.iter().map(to_raw_value).collect::<Result<_, _>>()?;
    let (server, instructions) = (to_raw_value(&host.server().info)?, host.server().instructions.clone());
    host.close().await;
    Ok(Recorded { server, instructions, tools })
}
