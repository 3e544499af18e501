//! The host that scores models: what a model sees is what an ordinary client sees, and only calls that reach an
//! upstream count.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

/// A model that reads nothing and makes these turns, one line each.
fn scripted(folder: &Path, turns: &[Value]) -> String {
    let lines: Vec<String> = turns.iter().map(Value::to_string).collect();
    fs::write(folder.join("turns"), lines.join("\n") + "\n").unwrap();
    format!(
        "exec 3< {}/turns; while read -r said && read -r turn <&3; do echo \"$turn\"; done",
        folder.display()
    )
}

#[test]
fn a_model_is_scored_by_what_reaches_the_upstreams() {
    let folder = tempfile::tempdir().unwrap();
    let tool = |name: &str| json!({"name": name, "description": format!("Does {name}"), "inputSchema": {"type": "object", "properties": {"a": {}}}});
    let recorded = json!({"server": {"name": "x", "version": "1"}, "tools": [tool("plus"), tool("minus")]});
    fs::create_dir(folder.path().join("recordings")).unwrap();
    fs::write(folder.path().join("recordings/kit.json"), recorded.to_string()).unwrap();
    let task = |id: &str, tools: &[&str], args: Value| json!({"id": id, "request": id, "tools": tools, "args": args});
    let tasks = [
        task("early", &["kit:plus"], json!({"a": 1})),
        task("wrong", &["kit:minus"], json!({"a": 1})),
        task("none", &[], json!({})),
    ];
    let tasks: Vec<String> = tasks.iter().map(Value::to_string).collect();
    fs::write(folder.path().join("tasks"), tasks.join("\n")).unwrap();
    let call = |task: &str, tool: &str, arguments: Value| json!({"task": task, "tool": tool, "arguments": arguments});
    let turns = [
        json!({"calls": [call("early", "plus", json!({"a": 1})), call("wrong", "plus", json!({"a": 1}))]}),
        json!({
            "calls": [
                call("early", "describe_tools", json!({"names": ["plus"]})),
                call("early", "plus", json!({"a": 1})),
                call("wrong", "plus", json!({"a": 1})),
            ],
            "finished": ["early", "wrong", "none"],
        }),
    ];
    let ended = Command::new(env!("CARGO_BIN_EXE_accuracy"))
        .args(["run", "--batch", "3", "--bin", env!("CARGO_BIN_EXE_gateway")])
        .arg("--recordings")
        .arg(folder.path().join("recordings"))
        .arg("--tasks")
        .arg(folder.path().join("tasks"))
        .arg("--transcripts")
        .arg(folder.path())
        .args(["--model", &scripted(folder.path(), &turns), "--behind", "--strategy resource"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    let table = String::from_utf8(ended.stdout).unwrap();
    assert!(table.contains("| --strategy resource | 1 of 2 | 1 of 1 | 1.67 | 1 |"), "{table}");
    let transcript = fs::read_to_string(folder.path().join("strategy-resource.jsonl")).unwrap();
    let judged: Vec<Value> = transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<&str> = judged.iter().map(|task| task["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["right", "tool", "right"]);
    // The first call was refused, and the same call ran once its description was delivered.
    assert!(judged[0]["steps"][0]["answer"].as_str().unwrap().contains("TOOL_DESCRIPTION_REQUIRED"));
    assert_eq!(judged[0]["reached"], json!([{"tool": "kit:plus", "arguments": {"a": 1}}]));
}
