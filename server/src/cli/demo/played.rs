//! The embedded server's task, really played.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use mcp_disclosure_compare::{
    HostKind, Row, Tokenizer,
    transcript::{Assignment, Behavior, Transcript},
};
use mcp_disclosure_core::full;
use mcp_disclosure_demo::MathServer;
use mcp_disclosure_gateway::{
    Problem,
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig,
            Tool,
        },
        service::RequestContext,
    },
    upstream::{Target, UpstreamConfig},
};
use tracing::subscriber::NoSubscriber;

use super::FLAG;
use crate::{
    cli::{
        Program,
        compare::{
            command::Command,
            prepared::{Prepared, Setup},
            progress::Progress,
            stand_in::Behind,
        },
    },
    demo::{demonstration, task},
    failure::Failure,
    flags::{Given, Transport},
};

/// The task under `full` and another strategy, over real connections to the embedded server; and the row of the other.
/// `started` is how this program was started.
///
/// # Errors
/// Like `serve`, for the strategy; [`Failure::Usage`] for several.
pub(super) async fn played(
    program: &Program,
    strategy: &str,
    started: &str,
) -> Result<(Transcript, Row), Failure> {
    // This is about messages, and not about what operators are warned of.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let rows = format!("{},{strategy}", full::NAME);
    let flags = Given::default();
    let command = Command::of(&flags).by(started.to_owned());
    let own = demonstration();
    let setup = Setup {
        registry: &program.registry,
        own: Some(&own),
        flags,
        principal: None,
        rows: (FLAG, &rows),
        command,
        transport: Transport::Stdio,
        progress: Progress::hidden(),
    };
    let mut prepared = Prepared::of(setup).await?;
    let names = prepared.contestants.names();
    let calls = Arc::new(AtomicU64::new(0));
    let (counted, reached) = (Counted { server: MathServer::new(), calls: calls.clone() }, calls);
    let behind = Behind {
        upstreams: vec![UpstreamConfig::new(None, Target::handler(counted))],
        reached: Arc::new(move || reached.load(Ordering::Acquire)),
    };
    let assignment = Assignment { courses: vec![Behavior::Workflow, Behavior::TooEarly], ..task() };
    let shown_as = (Tokenizer::default(), HostKind::default());
    let transcript = prepared.play(behind, assignment, shown_as, &names, FLAG).await?;
    let [_, shown] = prepared.contestants.rows().try_into().map_err(|_| several(strategy))?;
    Ok((transcript, shown))
}

fn several(strategy: &str) -> Failure {
    let problem = Problem::new(format!("{FLAG} {strategy}: one strategy or stack is shown against full"));
    Failure::Usage(vec![problem.hint("compare --transcript --strategies shows several")])
}

/// The embedded server, and the number of calls that have reached it.
#[derive(Clone)]
struct Counted {
    server: MathServer,
    calls: Arc<AtomicU64>,
}

impl ServerHandler for Counted {
    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.server.list_tools(request, context).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.get_tool(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.calls.fetch_add(1, Ordering::AcqRel);
        self.server.call_tool(request, context).await
    }
}
