//! One's own server with progressive disclosure, on stdin and stdout.

use mcp_disclosure_gateway::disclose;
use own_server::Notes;

#[tokio::main]
async fn main() -> Result<(), mcp_disclosure_gateway::Error> {
    disclose(Notes::new()).strategy("resource").serve_stdio().await
}
