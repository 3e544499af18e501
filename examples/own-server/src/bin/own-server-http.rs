//! One's own server with progressive disclosure, over Streamable HTTP at the address given.

use mcp_disclosure_gateway::disclose;
use own_server::Notes;

#[tokio::main]
async fn main() -> Result<(), mcp_disclosure_gateway::Error> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8848".to_owned());
    disclose(Notes::new()).strategy("resource").serve_http(address).await
}
