//! The handler: `tools/list` from the description files, `tools/call` on a thread of its own.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};

use crate::catalogue::{DESCRIPTION, TOOLS, find};
use crate::error::{Error, bounded};
use crate::json::Arguments;

/// The name in `serverInfo`.
const NAME: &str = "Math MCP";
/// The version in `serverInfo`.
const VERSION: &str = "1.0.0";

const INSTRUCTIONS: &str = "Eleven mathematical tools: symbolic algebra in exact arithmetic, numerical computing, \
    transforms and optimization. Write expressions as in \"x**2 - 4\" or \"sin(x)/x\"; a product needs \"*\".";

/// The Math MCP server.
///
/// It has no state. Calls run on tokio's blocking threads, so it needs a tokio runtime; each call ends within its limit
/// of work.
#[derive(Debug, Clone)]
pub struct MathServer;

impl MathServer {
    /// Calls a tool without a client. `None` if there is no tool of that name.
    ///
    /// Invalid arguments and mathematical errors are a result with `isError: true`. The computation runs on the calling
    /// thread.
    pub fn call(&self, name: &str, arguments: &Map<String, Value>) -> Option<CallToolResult> {
        let runnable = find(name)?;
        let outcome = bounded(|| {
            let given = Value::Object(arguments.clone()).to_string();
            let repaired = runnable.schema.apply(&given).map_err(Error::of_arguments)?.repaired;
            let repaired = repaired.and_then(|text| serde_json::from_str(text.get()).ok());
            (runnable.run)(&Arguments(repaired.unwrap_or_else(|| arguments.clone())))
        });
        Some(match outcome {
            Ok(output) => CallToolResult::structured(output),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        })
    }
}

impl ServerHandler for MathServer {
    fn get_info(&self) -> ServerConfig {
        let implementation =
            Implementation::new(NAME, VERSION).with_title(NAME).with_description(DESCRIPTION);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|runnable| runnable.tool.clone()).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        find(name).map(|runnable| runnable.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        let arguments = request.arguments.unwrap_or_default();
        let (server, called) = (self.clone(), name.clone());
        let task = tokio::task::spawn_blocking(move || server.call(&called, &arguments));
        match task.await {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) => Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
            Err(_) => Err(ErrorData::internal_error(format!("the call of {name} was interrupted"), None)),
        }
    }
}
