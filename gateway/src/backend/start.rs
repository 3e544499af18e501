//! Starting backends.

use std::{collections::HashSet, sync::Arc, time::Duration};

use mcp_disclosure_core::{ClientTraits, Era, Principal, Snapshot, Stack, View};
use parking_lot::RwLock;
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    Backend, Scope,
    declare::Declarations,
    follow::{Follower, Progress},
};
use crate::{
    catalogue::{Catalogue, Declared, Keeper, Said},
    error::Error,
    observe::Observer,
    problem::{Problem, Problems},
    session::{Client, Place},
    slot::{Memory, Supervisor, Witness},
    upstream::{Asks, Signals, Terms, UpstreamError},
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
        declarations: Declarations,
        client: Option<Arc<Client>>,
    ) -> Result<(Arc<Backend>, Vec<Arc<UpstreamError>>), Error> {
        let go = CancellationToken::new();
        go.cancel();
        let backend = self.open(declared, declarations, (client, Era::Session), None, go, None);
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

    /// A backend dedicated to a client, like the shared one, with the reservation of the client's peer. Its upstreams are started
    /// after `go`.
    pub fn dedicated(
        &self,
        client: Arc<Client>,
        place: Place,
        declared: watch::Receiver<Declared>,
        shared: &Arc<Backend>,
        go: CancellationToken,
    ) -> Arc<Backend> {
        let now = declared.borrow().clone();
        let client = (Some(client), Era::Session);
        self.open(now, Declarations::PassedOn(declared), client, Some(place), go, Some(Arc::clone(shared)))
    }

    /// The backend that clients without sessions share: like the shared one, but for upstreams that speak both eras.
    pub fn stateless(&self, declared: watch::Receiver<Declared>, shared: &Arc<Backend>) -> Arc<Backend> {
        let now = declared.borrow().clone();
        let (go, client) = (CancellationToken::new(), (None, Era::Stateless));
        go.cancel();
        self.open(now, Declarations::PassedOn(declared), client, None, go, Some(Arc::clone(shared)))
    }

    /// Starts the upstreams, for this client or all of this era, and follows them, and what is declared anew.
    fn open(
        &self,
        declared: Declared,
        declarations: Declarations,
        (client, era): (Option<Arc<Client>>, Era),
        place: Option<Place>,
        go: CancellationToken,
        like: Option<Arc<Backend>>,
    ) -> Arc<Backend> {
        let (events, followed) = mpsc::unbounded_channel();
        let ending = CancellationToken::new();
        let (keeper, snapshot) = Keeper::open(
            declared.clone(),
            (Arc::clone(&self.observer), Arc::clone(&self.said)),
            like.is_some(),
        );
        let now = Instant::now();
        let backend = Arc::new(Backend {
            catalogue: Catalogue::new(snapshot),
            slots: RwLock::default(),
            progress: Progress::default(),
            passed_on: Signals::default(),
            deadline: now + self.wait_for_upstreams,
            deadline_of_remembered: now + self.wait_for_upstreams.min(WAIT_FOR_REMEMBERED),
            audience: Arc::default(),
            client: client.clone(),
            ending: ending.clone(),
            _place: place,
        });
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
        let supervisor = Supervisor { terms, memory, witness, client, era, go, stopping };
        let follower = Follower {
            backend: Arc::clone(&backend),
            keeper,
            supervisor,
            scope: self.scope,
            upstreams: declared.upstreams.unwrap_or_default(),
            own: Vec::new(),
            strategies: self.strategies.clone(),
            clashing: HashSet::new(),
            events,
            like,
        };
        follower.start(followed, declarations);
        backend
    }
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
