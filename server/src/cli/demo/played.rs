//! The embedded server's task, really played.

use std::{
    num::NonZeroU64,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use mcp_disclosure_compare::{
    HostKind, Row, Tokenizer,
    transcript::{Assignment, Course, Play, Transcript},
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
use mcp_disclosure_strategy_concerns::NAME as CONCERNS;
use serde_json::json;
use tracing::subscriber::NoSubscriber;

use crate::{
    cli::{
        Program, SettingArguments, SourceArguments,
        compare::{
            command::Command, contestants::Contestants, progress::Progress, stage::Stage, transcript::Behind,
        },
    },
    config::Transport,
    demo::{demonstration, task},
    failure::Failure,
};

/// The task under `full` and another strategy, over real connections to the embedded server; and the row of the other.
///
/// # Errors
/// Like `serve`, for the strategy; [`Failure::Usage`] for several.
pub(super) async fn played(program: &Program, strategy: &str) -> Result<(Transcript, Row), Failure> {
    let (connect_timeout, request_timeout) = (Duration::from_secs(60), Duration::from_secs(120));
    // On a busy machine the check of arguments is not to be skipped: its refusal is part of the story.
    let limits = NonZeroU64::new(10_000).map(|time| ("check_time".to_owned(), time)).into_iter().collect();
    let none = SourceArguments { connect_timeout, request_timeout, limits, ..SourceArguments::default() };
    let settings = SettingArguments::default();
    let command = Command::of(&none, &settings);
    let source = none.resolve(Some(&demonstration()))?;
    let declared = source.read().map_err(Failure::Configuration)?.declared;
    let rows = format!("{},{strategy}", full::NAME);
    let mut of_source = source.settings.clone();
    if program.registry.profiles().any(|profile| profile.name == CONCERNS) {
        // The task makes no choices, so that the tool for them is no part of the story.
        of_source.insert(CONCERNS.to_owned(), json!({"bridge": "never"}));
    }
    let settings = (settings, of_source);
    let mut contestants = Contestants::build(&program.registry, &rows, settings, &command)?;
    let [_, shown] = contestants.rows().try_into().map_err(|_| several(strategy))?;
    // This is about messages, and not about what operators are warned of.
    let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
    let progress = Arc::new(Progress::hidden());
    let real = Stage::real(&source, declared.clone(), &contestants, &progress).await?;
    let read = real.read().await;
    real.close().await;
    let (subject, _) = read?;
    let assignment = Assignment { courses: vec![Course::Workflow, Course::TooEarly], ..task() };
    let calls = Arc::new(AtomicU64::new(0));
    let (counted, reached) = (Counted { server: MathServer::new(), calls: calls.clone() }, calls);
    let upstreams = vec![UpstreamConfig::new(None, Target::handler(counted))];
    let reached = Arc::new(move || reached.load(Ordering::Acquire));
    let (source, declared, transport) = (&source, &declared, Transport::Stdio);
    let behind = Behind { source, declared, upstreams, reached, transport, progress: &progress };
    let (tokenizer, host) = (Tokenizer::default(), HostKind::default());
    let play = Play { subject: &subject, assignment, tokenizer, host };
    let names = contestants.names();
    Ok((behind.play(play, &mut contestants, &names).await??, shown))
}

fn several(strategy: &str) -> Failure {
    let problem = Problem::new(format!("--strategy {strategy}: one strategy or stack is shown against full"));
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
