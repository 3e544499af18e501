//! An upstream over stdio of minimal cost: one thread, one line in, one line out. Its argument is the number of its
//! tools.

use std::io::{self, BufRead, Write};

use mcp_disclosure_benches::catalogue;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: &'a str,
}

const INTRODUCTION: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}"#;
const DONE: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;

fn main() -> io::Result<()> {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10);
    let definitions = catalogue::definitions(count);
    let list = format!("{{\"tools\":{}}}", serde_json::to_string(&definitions)?);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut answer) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        let request: Request<'_> = serde_json::from_slice(&line)?;
        if let Some(id) = request.id {
            let result = match request.method {
                "initialize" => INTRODUCTION,
                "tools/list" => &list,
                "tools/call" => DONE,
                _ => "{}",
            };
            answer.clear();
            answer.reserve(result.len() + 100);
            writeln!(answer, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)?;
            output.write_all(&answer)?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}
