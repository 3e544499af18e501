//! A gateway under test, with everything about it adjustable.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use mcp_disclosure_access::{Access, Clock, Settings};
use mcp_disclosure_core::{About, ReceiptKey, UpstreamName};
use mcp_disclosure_gateway::{
    Admission, SessionLimits,
    backend::Scope,
    builtin,
    catalogue::Declared,
    dispatch::{Assembly, Gateway},
    front::{http, stdio::Stdio},
    limits::Limits,
    negotiation::{Bridge, Strategies, StrategyOptions},
    store::SessionStore,
    upstream::{Target, Timeouts},
};
use mcp_disclosure_server::{
    config::{AccessFlags, Named},
    files::{Baseline, Files, Origin, Reloads},
};
use mcp_disclosure_session_redis::RedisStore;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{io::DuplexStream, net::TcpListener};

use crate::{HeaderAdmission, Scenario};

/// How the gateway of a test is made.
#[derive(Debug)]
pub struct Options {
    /// The programs that upstreams are started from, each with its scenario and name.
    pub upstreams: Vec<(PathBuf, &'static str, Scenario)>,
    /// Handlers in this process, each with its name.
    pub handlers: Vec<(&'static str, Target)>,
    /// Names of upstreams that cannot be started.
    pub missing: Vec<&'static str>,
    /// The text of a `disclosure.toml`.
    pub config: String,
    /// Description files.
    pub files: Option<PathBuf>,
    /// What is declared of the catalogue as a whole.
    pub about: About,
    /// Which strategy serves whom.
    pub strategies: StrategyOptions,
    /// Who may come in.
    pub admission: HeaderAdmission,
    /// The time of day at which tokens are checked.
    pub clock: Clock,
    /// What flags say of who may come in.
    pub access: AccessFlags,
    /// How many sessions, and how long they may idle.
    pub sessions: SessionLimits,
    /// Where sessions are kept that several gateways share.
    pub session_store: Option<Arc<dyn SessionStore>>,
    /// How long upstreams may take.
    pub patience: Duration,
    /// How long lists wait for upstreams that are starting.
    pub wait_for_upstreams: Duration,
    /// Whether clients share upstreams.
    pub scope: Scope,
    /// Fetches a minute; 0 is no bound.
    pub fetches: u32,
    /// How long handles are valid.
    pub receipt_lifetime: Duration,
    /// What clients and upstreams may make the gateway spend.
    pub limits: Limits,
}

impl Options {
    /// One upstream of this program, called `kit`, and the contract's defaults; no bound on fetches.
    pub fn new(program: &str, scenario: Scenario) -> Self {
        Self { upstreams: vec![(program.into(), "kit", scenario)], ..Self::without_upstream() }
    }

    /// No upstream at all yet.
    pub fn without_upstream() -> Self {
        Self {
            upstreams: Vec::new(),
            handlers: Vec::new(),
            missing: Vec::new(),
            config: String::new(),
            files: None,
            about: About::default(),
            strategies: StrategyOptions::default(),
            admission: HeaderAdmission::default(),
            clock: Clock::default(),
            access: AccessFlags::default(),
            sessions: SessionLimits::default(),
            session_store: None,
            patience: crate::PATIENCE,
            wait_for_upstreams: Duration::from_secs(20),
            scope: Scope::Shared,
            fetches: 0,
            receipt_lifetime: Duration::from_secs(60),
            limits: Limits::default(),
        }
    }

    /// This upstream alone.
    pub fn alone(name: &'static str, target: Target) -> Self {
        Self { handlers: vec![(name, target)], ..Self::without_upstream() }
    }

    /// The same, and clients have upstreams of their own.
    pub fn own(self) -> Self {
        Self { scope: Scope::Session, ..self }
    }

    /// The same, and this strategy serves everyone.
    pub fn pinned(mut self, strategy: &str) -> Self {
        self.strategies.pinned = Some(strategy.to_owned());
        self
    }

    /// The same with these settings of a strategy.
    pub fn set(mut self, strategy: &str, settings: Value) -> Self {
        self.strategies.settings.insert(strategy.to_owned(), settings);
        self
    }

    /// The same, and tools that stand for a channel are listed to these.
    pub fn bridge(mut self, bridge: Bridge) -> Self {
        self.strategies.bridge = bridge;
        self
    }

    /// The same with this configuration.
    pub fn with_config(mut self, config: &str) -> Self {
        config.clone_into(&mut self.config);
        self
    }

    /// The same with this admission.
    pub fn admitting(self, admission: HeaderAdmission) -> Self {
        Self { admission, ..self }
    }
}

/// A gateway that runs, and listens over HTTP.
#[derive(Debug)]
pub struct Bench {
    /// The gateway.
    pub gateway: Arc<Gateway>,
    /// What reads its files again.
    pub reloads: Reloads,
    /// Where it listens.
    pub address: SocketAddr,
    /// The directory of its files: a scenario for each upstream, and `disclosure.toml`.
    pub directory: TempDir,
}

impl Bench {
    /// Starts it.
    pub async fn start(options: Options) -> Self {
        let scenarios = tempfile::tempdir().unwrap();
        let (mut targets, mut config) = (Vec::new(), options.config);
        let programs = options.upstreams.into_iter().map(|(program, name, scenario)| {
            let path = scenarios.path().join(name);
            scenario.write(&path);
            (name, program.display().to_string(), vec![path.display().to_string()])
        });
        let missed = options.missing.into_iter().map(|name| (name, "/no/such/program".to_owned(), vec![]));
        // The start waits for those that are in no file.
        let mut missing = 0;
        for (name, program, arguments) in programs.chain(missed).collect::<Vec<_>>() {
            // What the configuration has an entry of is started by that.
            let entry = format!("[upstreams.{name}]\n");
            match config.contains(&entry) {
                true => {
                    let started = format!("{entry}command = {program:?}\nargs = {arguments:?}\n");
                    config = config.replace(&entry, &started);
                }
                false => {
                    missing += usize::from(arguments.is_empty());
                    targets.push((name, Target::command(program, arguments)));
                }
            }
        }
        targets.extend(options.handlers);
        let config = (!config.is_empty()).then(|| {
            let path = scenarios.path().join("disclosure.toml");
            std::fs::write(&path, &config).unwrap();
            path
        });
        let strategies = Strategies::build(&builtin(), &options.strategies).unwrap();
        let key = ReceiptKey::new(&[7; ReceiptKey::LEAST_BYTES]).unwrap();
        let named = |(name, target)| Named::given(UpstreamName::parse(name).ok(), target);
        let given = targets.into_iter().map(named).collect();
        let base = Declared { about: options.about, ..Declared::default() };
        let origin = Origin { base, given, access: options.access, ..Origin::default() };
        let files = Files::of_config(config.as_deref(), true).with(&[], options.files, true);
        let contents = origin.contents(&files).unwrap();
        let access = Arc::new(Access::with_clock(contents.access.clone(), options.clock).unwrap());
        // What a file says of access replaces what a test says of it.
        let is_said = contents.access != Settings::default();
        let admission: Arc<dyn Admission> =
            if is_said { Arc::clone(&access) as _ } else { Arc::new(options.admission) };
        let assembly = Assembly {
            upstreams: origin.configs(&contents.found),
            declared: contents.declared.clone(),
            admission,
            sessions: options.sessions,
            session_store: options.session_store.or_else(everywhere),
            timeouts: Timeouts { connect: crate::PATIENCE, request: options.patience },
            wait_for_upstreams: options.wait_for_upstreams,
            scope: options.scope,
            fetches_per_minute: options.fetches,
            receipt_lifetime: options.receipt_lifetime,
            limits: options.limits,
            ..Assembly::new(strategies, key)
        };
        let started = Gateway::start(assembly).await.unwrap();
        assert_eq!(started.missing.len(), missing, "{:?}", started.missing);
        let baseline = Baseline { origin, files, contents };
        let reloads = Reloads::follow(Arc::clone(&started.gateway), access, baseline);
        Self::listen(started.gateway, reloads, scenarios).await
    }

    /// A gateway of this assembly, which reads no files.
    pub async fn of(assembly: Assembly) -> Self {
        let gateway = Gateway::start(assembly).await.unwrap().gateway;
        let baseline = Baseline::default();
        let access = Arc::new(Access::new(Settings::default()).unwrap());
        let reloads = Reloads::follow(Arc::clone(&gateway), access, baseline);
        Self::listen(gateway, reloads, tempfile::tempdir().unwrap()).await
    }

    async fn listen(gateway: Arc<Gateway>, reloads: Reloads, directory: TempDir) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let guard = http::Guard::new(address.ip(), &[], &[]);
        Self { gateway, reloads, address, directory }.guarded(guard).await
    }

    /// The same gateway at another address, behind this guard.
    pub async fn guarded(self, guard: http::Guard) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(http::serve(Arc::clone(&self.gateway), listener, guard));
        Self { address, ..self }
    }

    /// Writes its configuration.
    pub fn write(&self, config: &str) {
        std::fs::write(self.directory.path().join("disclosure.toml"), config).unwrap();
    }

    /// Writes its configuration, and has it read as on an operator's word.
    pub async fn configure(&self, config: &str) {
        self.write(config);
        self.reloads.reload(true).await.unwrap();
    }

    /// A way in for a client of one's own: the other end of a pipe that the gateway serves as standard streams.
    pub fn pipe(&self) -> DuplexStream {
        let (near, far) = tokio::io::duplex(1 << 16);
        let gateway = Arc::clone(&self.gateway);
        // On a thread of its own, as the program does on its main one: the front's future is not `Send`.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let (input, output) = tokio::io::split(far);
            let serving = async { Stdio::new(input, output, gateway.limits()).serve(&gateway).await };
            // How it ends is seen from the near end.
            drop(runtime.block_on(serving));
        });
        near
    }
}

/// The store that `SESSION_STORE` names, so that every rule can be tried with one.
fn everywhere() -> Option<Arc<dyn SessionStore>> {
    let url = std::env::var("SESSION_STORE").ok()?;
    Some(Arc::new(RedisStore::new(url.parse().expect("the URL of a store")).expect("randomness")))
}
