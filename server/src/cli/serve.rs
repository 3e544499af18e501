//! `serve`.

use std::{io::IsTerminal, net::SocketAddr, sync::Arc, time::Duration};

use mcp_disclosure_access::Access;
use mcp_disclosure_gateway::{
    Admission, Assembly, Gateway, Problem, SessionLimits,
    front::{http, stdio::Stdio},
    negotiation::Strategies,
    observe::{Observer, Several, ToolChanges},
    slot::Memory,
    store::SessionStore,
};
use mcp_disclosure_sign_in::Secret;
use mcp_disclosure_transport::child::guard;
use tokio::{net::TcpListener, task::JoinSet};

use super::{Asked, Program, Signals, Told, runtime_for_many, runtime_for_one};
use crate::{
    check::{self, Findings},
    config::{self, DisclosureFile},
    failure::Failure,
    files::{Baseline, Contents, Reloads},
    flags::{ServeArguments, Switch, Transport},
    log,
    operating::Operating,
    receipts,
    remember::{Store, cache_folder},
};

/// Over stdio, how long after the signal this process waits for its upstreams: hosts kill what has not ended after two seconds.
const LEAVING: Duration = Duration::from_millis(1_800);

/// Serves until the client goes (stdio) or the process is asked to end (HTTP).
///
/// # Errors
/// Everything that keeps it from serving, before any client is answered.
pub(crate) fn serve(program: &Program, told: Result<Told, Failure>) -> Result<(), Failure> {
    log::gather();
    let told = told?;
    let places = told.places.clone();
    serve_told(program, told).map_err(|failure| places.placed(failure))
}

fn serve_told(program: &Program, told: Told) -> Result<(), Failure> {
    let source = told.source(program.own.as_ref(), true)?.accepting();
    source.warn();
    let (arguments, options) = (source.serve.clone(), source.options());
    let session_store = session_store(&arguments)?;
    let baseline = source.baseline();
    let (hosts, origins) = (&*arguments.allow_host, &*arguments.allow_origin);
    let operating = Arc::new(Operating::prepare(&arguments.operating, (hosts, origins), &source.limits)?);
    let assembly = Assembly {
        observer: operating.observer(),
        witness: Some(operating.witness()),
        asks_info: true,
        sessions: SessionLimits { most: arguments.max_sessions, idle: arguments.session_idle },
        session_store,
        fetches_per_minute: arguments.fetches_per_minute,
        receipt_lifetime: arguments.receipt_lifetime,
        scope: arguments.upstream_scope,
        wait_for_upstreams: arguments.wait_for_upstreams,
        revisions: arguments.revisions,
        drain: arguments.drain,
        memory: memory(arguments.remember, source.limits.upstream_list_bytes),
        ..source.prepare(&program.registry, &options, arguments.receipt_key_file.as_deref())?
    };
    let baseline = baseline.map_err(Failure::Configuration)?;
    let (runtime, served);
    match arguments.transport {
        Transport::Stdio => {
            let (has_key, remembers) = (arguments.receipt_key_file.is_some(), arguments.remember.is_on());
            // Each session is a process of its own, which does not know what the others knew.
            let assembly = receipts::of_user(assembly, has_key, remembers);
            if std::io::stdin().is_terminal() {
                tracing::info!(
                    "waiting for an MCP client on stdin; your host starts this: mcp-disclosure init"
                );
            }
            runtime = runtime_for_one()?;
            served = runtime.block_on(over_stdio(assembly, baseline, &operating));
        }
        Transport::Http => {
            let proxies = http::Proxies::new(arguments.trusted_proxy);
            let guard = http::Guard::new(arguments.listen.ip(), hosts, origins).behind(proxies);
            runtime = runtime_for_many()?;
            served = runtime.block_on(over_http(assembly, baseline, arguments.listen, guard, &operating));
        }
    }
    // A read of a terminal cannot be interrupted, and must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_millis(500));
    // Calls that were given up by that are recorded as well.
    operating.finish();
    served
}

async fn over_stdio(
    assembly: Assembly,
    baseline: Baseline,
    operating: &Arc<Operating>,
) -> Result<(), Failure> {
    let admin = operating.listen().await?;
    let client = Stdio::on_standard_streams(&assembly.limits)?;
    let Some(gateway) = start(client.alone(assembly), baseline, operating, admin).await? else {
        return Ok(());
    };
    let shutdown = gateway.shutdown().clone();
    let late = tokio::spawn(async move {
        shutdown.cancelled().await;
        tokio::time::sleep(LEAVING).await;
    });
    let served = client.serve(&gateway).await;
    tokio::select! {
        () = gateway.close() => {}
        // The guard asks them once more, and kills what does not listen.
        _ = late => guard::hand_over(),
    }
    Ok(served?)
}

async fn over_http(
    assembly: Assembly,
    baseline: Baseline,
    listen: SocketAddr,
    guard: http::Guard,
    operating: &Arc<Operating>,
) -> Result<(), Failure> {
    let failed = |source| Failure::Listen { flag: "--listen", address: listen.to_string(), source };
    // Bound first: an address in use is found out before anything is started. Clients that come meanwhile wait.
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let admin = operating.listen().await?;
    let Some(gateway) = start(assembly, baseline, operating, admin).await? else { return Ok(()) };
    tracing::info!("listening on http://{address}/mcp");
    http::serve(Arc::clone(&gateway), listener, guard).await;
    gateway.close().await;
    Ok(())
}

/// A gateway that ends when the process is asked to; `None` if that came before it was ready. Operators are served from the
/// beginning.
async fn start(
    assembly: Assembly,
    baseline: Baseline,
    operating: &Arc<Operating>,
    admin: Option<TcpListener>,
) -> Result<Option<Arc<Gateway>>, Failure> {
    // Listened to before anything is started, so that nothing started is left behind.
    let has_files = !baseline.files.watched().is_empty();
    let mut signals = Signals::listen(has_files || operating.reopens());
    let access = door(&baseline.contents, &assembly.strategies)?;
    let admission = Arc::clone(&access) as Arc<dyn Admission>;
    operating.serve(admin, &admission);
    // An issuer that cannot be reached is asked again.
    if let Err(problem) = access.read_keys().await {
        tracing::error!("{problem}; tokens of the issuer are refused until they are read");
    }
    let observers = vec![assembly.observer, Arc::new(Grants(Arc::clone(&access)))];
    let assembly = Assembly { admission, observer: Arc::new(Several(observers)), ..assembly };
    tracing::info!(upstreams = assembly.upstreams.len(), "starting");
    let asked_to_end = async {
        while signals.next().await != Asked::End {
            // What files say is read when it has started; the audit log is rotated at once.
            operating.reopen();
        }
    };
    let started = tokio::select! {
        started = Gateway::start(assembly) => started?,
        () = asked_to_end => return Ok(None),
    };
    for missing in started.missing {
        tracing::error!("{missing}; the others are served, and it is tried again");
    }
    let gateway = started.gateway;
    operating.serves(&gateway);
    let shared = gateway.backends().shared();
    let (upstreams, tools) = (shared.slots().len(), shared.catalogue().current().snapshot().tool_count());
    let offered = gateway.strategies().offered();
    tracing::info!(upstreams, tools, strategies = offered.join(", "), "ready");
    let is_over_http = baseline.origin.access.listening.is_some();
    tokio::spawn(warn_of_access(Arc::clone(&gateway), baseline.files.declarations(), is_over_http));
    let served = Arc::clone(&gateway);
    access.follow_tokens(move || served.permissions_changed());
    let reloads = Reloads::follow(Arc::clone(&gateway), access, baseline);
    tokio::spawn(follow(signals, Arc::clone(&gateway), reloads, has_files, Arc::clone(operating)));
    Ok(Some(gateway))
}

/// Warns of entries about access that have no effect, once all upstreams have listed what they have.
async fn warn_of_access(gateway: Arc<Gateway>, file: Arc<DisclosureFile>, is_over_http: bool) {
    let backend = Arc::clone(gateway.backends().shared());
    tokio::select! {
        () = gateway.shutdown().cancelled() => return,
        () = backend.all_tried() => {}
    }
    let mut findings = Findings::default();
    check::access(&file, backend.catalogue().current().snapshot(), &mut findings);
    if is_over_http {
        check::callers(&file, &mut findings);
    }
    for finding in findings.0 {
        let place = finding.place.shown().unwrap_or_default();
        tracing::warn!("{place}: {} ({})", finding.detail, finding.rule.hint);
    }
}

/// Does what signals ask for, until the gateway ends.
async fn follow(
    mut signals: Signals,
    gateway: Arc<Gateway>,
    reloads: Reloads,
    has_files: bool,
    operating: Arc<Operating>,
) {
    // One at a time, beside the signals: files may be on a disk that does not answer.
    let mut reloading = JoinSet::new();
    loop {
        let asked = tokio::select! {
            asked = signals.next() => asked,
            Some(_) = reloading.join_next() => continue,
            () = gateway.shutdown().cancelled() => return,
        };
        match asked {
            Asked::Reload => {
                operating.reopen();
                match (has_files, reloading.is_empty()) {
                    (false, _) => {}
                    (true, false) => tracing::info!("SIGHUP: the configuration is being read already"),
                    (true, true) => {
                        tracing::info!("SIGHUP: reading the configuration again");
                        let reloads = reloads.clone();
                        // The operator asks for it, so it may lose protection. What came of it is logged where it is decided.
                        reloading.spawn(async move { drop(reloads.reload(true).await) });
                    }
                }
            }
            Asked::End => {
                tracing::info!("shutting down, running calls may finish first");
                return gateway.shutdown().cancel();
            }
        }
    }
}

/// Where upstreams are remembered.
fn memory(remember: Switch, most_bytes: usize) -> Option<Arc<dyn Memory>> {
    let folder = cache_folder("upstreams").filter(|_| remember.is_on())?;
    Some(Arc::new(Store::new(folder, most_bytes)))
}

/// Who may come in, with what files say of it, where these strategies are offered. Within a runtime.
///
/// # Errors
/// [`Failure::Configuration`] with strategies that are not offered, or every token that cannot be read.
pub(crate) fn door(contents: &Contents, strategies: &Strategies) -> Result<Arc<Access>, Failure> {
    let unknown = config::unknown_strategies(&contents.file, strategies);
    if !unknown.is_empty() {
        return Err(Failure::Configuration(unknown));
    }
    let made = Access::new(contents.access.clone());
    made.map(Arc::new).map_err(|errors| Failure::Configuration(config::unreadable(&contents.file, &errors)))
}

/// Says in the log which principals and profiles may use a tool that is new: a pattern such as `a/*` permits what did not exist
/// when it was written.
#[derive(Debug)]
struct Grants(Arc<Access>);

impl Observer for Grants {
    fn tools_changed(&self, ToolChanges { upstream, new, .. }: &ToolChanges<'_>) {
        let settings = self.0.settings();
        for (name, permits) in settings.permits() {
            for tool in *new {
                if let Some(pattern) = permits.naming(upstream, tool) {
                    tracing::info!("{name}: '{pattern}' covers '{upstream}/{tool}' now, which is new");
                }
            }
        }
    }
}

/// Where sessions are kept, if not in this process; it is connected to later.
///
/// # Errors
/// If the URL cannot be meant.
pub(crate) fn session_store(serve: &ServeArguments) -> Result<Option<Arc<dyn SessionStore>>, Failure> {
    let url = serve.session_store.session_store.as_ref().map(Secret::reveal);
    let Some(url) = url.filter(|url| !url.is_empty()) else { return Ok(None) };
    if serve.transport == Transport::Stdio {
        tracing::warn!(
            "--session-store is ignored: the one session over stdio is in this process (hint: --transport http)"
        );
        return Ok(None);
    }
    store(url).map(Some).map_err(|problem| Failure::Configuration(vec![problem]))
}

#[cfg(feature = "redis")]
fn store(url: &str) -> Result<Arc<dyn SessionStore>, Problem> {
    use mcp_disclosure_session_redis::{Address, RedisStore};

    let problem = |message: String| Problem::new(format!("--session-store: {message}"));
    let address: Address = url.parse().map_err(|error| problem(format!("{error}")))?;
    let store = RedisStore::new(address).map_err(|error| problem(format!("no randomness: {error}")))?;
    Ok(Arc::new(store))
}

#[cfg(not(feature = "redis"))]
fn store(_: &str) -> Result<Arc<dyn SessionStore>, Problem> {
    Err(Problem::new(
        "--session-store: this program was built without the feature redis: cargo install --path server --features redis",
    ))
}
