//! Upstreams in this process that misbehave in ways a program cannot.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
};

pub use Faulty::{Hanging, Panicking};

/// A handler with one tool.
#[derive(Clone, Debug)]
pub enum Faulty {
    /// Its `panic` panics.
    Panicking,
    /// Its `hang` never comes to an end.
    Hanging,
}

impl ServerHandler for Faulty {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (name, description) = match self {
            Panicking => ("panic", "Panics."),
            Hanging => ("hang", "Hangs."),
        };
        let schema = serde_json::json!({"type": "object"}).as_object().cloned().unwrap_or_default();
        Ok(ListToolsResult::with_all_items(vec![Tool::new(name, description, schema)]))
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self {
            Panicking => panic!("as promised"),
            Hanging => std::future::pending().await,
        }
    }
}
