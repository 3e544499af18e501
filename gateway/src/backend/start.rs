//! Starting backends.

use std::{collections::HashSet, sync::Arc, time::Duration};

use mcp_disclosure_core::{ClientTraits, Era, Principal, Snapshot, Stack, View};
use parking_lot::{Mutex, RwLock};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Backend, Scope,
    follow::{Follower, Progress},
};
use crate::{
    catalogue::{Catalogue, Declared, Keeper, Said},
    error::Error,
    observe::Observer,
    problem::{Problem, Problems},
    session::{Client, Place},
    slot::{Memory, Status, Supervisor, Witness},
    upstream::{Asks, Terms, UpstreamError},
};

/// How long lists wait for upstreams whose lists of an earlier run can be served.
const WAIT_FOR_REMEMBERED: Duration = Duration::from_millis(700);

/// Everything needed to start a backend, any number of times.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// What upstreams may use, but for what each backend has of its own.
    pub terms: Terms,
    /// How long lists wait for upstreams that are starting.
    pub wait_for_upstreams: Duration,
    /// Whether clients share upstreams, where an upstream's settings do not say.
    pub scope: Scope,
    /// What upstreams listed in earlier runs of the program.
    pub memory: Option<Arc<dyn Memory>>,
    /// Watches upstreams come up.
    pub witness: Option<Arc<dyn Witness>>,
    /// Observes what upstreams list.
    pub observer: Arc<dyn Observer>,
    /// What was said of changed definitions.
    pub said: Arc<Said>,
    /// The strategies that may serve clients, and whose own tools reserve names.
    pub strategies: Vec<Arc<Stack>>,
}

impl Recipe {
    /// The backend that clients share. Waits for the awaited upstreams; those that cannot be used so far are returned as well.
    ///
    /// # Errors
    /// [`Error::Upstreams`] if all upstreams are awaited and none can be used; [`Error::Configuration`] for tools whose
    /// names clash.
    pub(super) async fn shared(
        &self,
        declared: Declared,
        client: Option<Arc<Client>>,
    ) -> Result<(Arc<Backend>, Vec<Arc<UpstreamError>>), Error> {
        let backend = self.open(Arc::new(declared), client, None, at_once(), None);
        self.witness.iter().for_each(|witness| witness.starting(&backend.slots()));
        // A start that is given up is an end.
        let starting = backend.ending.clone().drop_guard();
        match self.check(&backend).await {
            Ok(missing) => {
                starting.disarm();
                Ok((backend, missing))
            }
            Err(error) => {
                backend.close().await;
                Err(error)
            }
        }
    }

    async fn check(&self, backend: &Backend) -> Result<Vec<Arc<UpstreamError>>, Error> {
        let missing = backend.awaited().await?;
        let problems = clashes(&self.strategies, backend.catalogue().current().snapshot());
        if problems.is_empty() { Ok(missing) } else { Err(Error::Configuration(Problems(problems))) }
    }

    /// A backend like another one, for what each client or each era has of its own: dedicated to a client, with the reservation of
    /// its peer, or of all clients without sessions. Its upstreams are started after `go`.
    pub(super) fn like(
        &self,
        other: &Arc<Backend>,
        client: Option<Arc<Client>>,
        place: Option<Place>,
        go: CancellationToken,
    ) -> Arc<Backend> {
        self.open(other.progress.declared(), client, place, go, Some(Arc::clone(other)))
    }

    /// Starts the upstreams, for this client or all, and follows them, and what is declared anew.
    fn open(
        &self,
        declared: Arc<Declared>,
        client: Option<Arc<Client>>,
        place: Option<Place>,
        go: CancellationToken,
        like: Option<Arc<Backend>>,
    ) -> Arc<Backend> {
        let (events, happened) = mpsc::unbounded_channel();
        let (declarations, asked) = mpsc::channel(1);
        let ending = CancellationToken::new();
        let (observer, said) = (Arc::clone(&self.observer), Arc::clone(&self.said));
        let mut keeper = Keeper::new(Declared::clone(&declared), observer, said, like.is_some());
        let unknown = declared.upstreams.iter().flat_map(|all| all.iter()).map(|_| Status::unknown());
        let unknown: Vec<Status> = unknown.collect();
        let snapshot = keeper.build(&Snapshot::default(), &unknown, &[], false);
        // Nor is it known what they are called.
        let snapshot = snapshot.about_itself(declared.about.clone());
        let now = Instant::now();
        let backend = Arc::new(Backend {
            catalogue: Catalogue::new(snapshot),
            slots: RwLock::default(),
            progress: Progress::new(Arc::clone(&declared)),
            declarations,
            sharing: Mutex::default(),
            deadline: now + self.wait_for_upstreams,
            deadline_of_remembered: now + self.wait_for_upstreams.min(WAIT_FOR_REMEMBERED),
            audience: Arc::default(),
            client: client.clone(),
            ending: ending.clone(),
            _place: place,
        });
        if let Some(like) = &like {
            let mut sharing = like.sharing.lock();
            // Those of clients that are gone.
            sharing.retain(|backend| backend.strong_count() > 0);
            sharing.push(Arc::downgrade(&backend));
        }
        // What a dedicated upstream lists may be meant for its client alone.
        let is_dedicated = like.is_some() && client.is_some();
        let memory = self.memory.clone().filter(|_| !is_dedicated);
        let rules = Arc::new(RwLock::new(Arc::clone(&declared.rules)));
        let terms = Terms {
            asks: self.terms.asks.clone().map(|asks| Asks { rules, ..asks }),
            audience: Arc::clone(&backend.audience),
            skills: Arc::default(),
            ..self.terms.clone()
        };
        // Each upstream of the backend that clients share is seen once.
        let (witness, stopping) = (self.witness.clone().filter(|_| like.is_none()), ending);
        let era = if like.is_some() && client.is_none() { Era::Stateless } else { Era::Session };
        let supervisor = Supervisor { terms, memory, witness, client, era, events, go, stopping };
        let follower = Follower {
            backend: Arc::clone(&backend),
            keeper,
            supervisor,
            scope: self.scope,
            declared,
            own: Vec::new(),
            strategies: self.strategies.clone(),
            clashing: HashSet::new(),
            like,
        };
        follower.start(happened, asked);
        backend
    }
}

/// That upstreams may be started.
pub(super) fn at_once() -> CancellationToken {
    let go = CancellationToken::new();
    go.cancel();
    go
}

/// Tools whose name clashes, with another or with a strategy's own, even in its long form. Only the first tool of such a
/// name is served.
pub fn clashes(strategies: &[Arc<Stack>], snapshot: &Arc<Snapshot>) -> Vec<Problem> {
    let everything = View::of(Arc::clone(snapshot), &Principal::anonymous());
    let with_bridge = ClientTraits { bridge: true, filter_bridge: true, ..ClientTraits::plain(Era::Session) };
    let own = strategies.iter().flat_map(|strategy| strategy.reserved_names(&everything, &with_bridge));
    let own: Vec<String> = own.collect();
    let reserved: Vec<&str> = own.iter().map(String::as_str).collect();
    let mut names = snapshot.unresolvable(&reserved);
    names.sort();
    names.dedup();
    let message = |name| format!("tool '{name}': the name is taken, and so is <upstream>__<tool>");
    let hint = "give the upstream another name";
    names.iter().map(|name| Problem::new(message(name)).hint(hint)).collect()
}
