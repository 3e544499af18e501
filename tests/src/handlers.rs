//! Upstreams in this process that misbehave in ways a program cannot.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
};

/// A handler whose only tool panics.
#[derive(Clone, Debug)]
pub struct Panicking;

/// A handler whose only tool never comes to an end.
#[derive(Clone, Debug)]
pub struct Hanging;

impl ServerHandler for Panicking {
    fn get_info(&self) -> ServerConfig {
        with_tools()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(one_tool("panic", "Panics."))
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        panic!("as promised")
    }
}

impl ServerHandler for Hanging {
    fn get_info(&self) -> ServerConfig {
        with_tools()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(one_tool("hang", "Hangs."))
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        std::future::pending().await
    }
}

fn with_tools() -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
}

fn one_tool(name: &'static str, description: &'static str) -> ListToolsResult {
    let schema = serde_json::json!({"type": "object"}).as_object().cloned().unwrap_or_default();
    ListToolsResult::with_all_items(vec![Tool::new(name, description, schema)])
}
