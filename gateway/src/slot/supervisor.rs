//! The task that keeps an upstream connected.

use std::{
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Duration,
};

use futures::future::join_all;
use mcp_disclosure_core::{Era, RawText, UpstreamLists};
use parking_lot::Mutex;
use tokio::{
    sync::{Notify, mpsc, watch},
    task::spawn_blocking,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{End, Memory, Recollection, Remembered, Slot, State, Status, Supervision, Witness};
use crate::{
    session::Client,
    upstream::{
        Authorizer, Configured, Connector, Endpoint, Event, Introduction, Signals, Target, Terms, Timeouts,
        Upstream, UpstreamError,
    },
};

/// The shortest time between two fetches of lists.
const RELISTING: Duration = Duration::from_millis(100);

/// Starts slots.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// What upstreams may use; its time-outs are those of upstreams without their own.
    pub terms: Terms,
    /// What upstreams said and listed in earlier runs of the program.
    pub memory: Option<Arc<dyn Memory>>,
    /// Watches upstreams come up.
    pub witness: Option<Arc<dyn Witness>>,
    /// The client that upstreams may send requests to, if they are dedicated to one.
    pub client: Option<Arc<Client>>,
    /// The era in which upstreams are spoken to where they are dedicated to none.
    pub era: Era,
    /// Where what happens at its slots is sent to.
    pub events: mpsc::UnboundedSender<Event>,
    /// Cancelled when upstreams may be started.
    pub go: CancellationToken,
    /// Cancelled to stop all slots.
    pub stopping: CancellationToken,
}

impl Supervisor {
    /// Starts to supervise an upstream. What it lists is kept for the next run of the program if it `is_remembered`. Must
    /// be called within a runtime.
    ///
    /// It takes the place of `replaced`, the upstream of this name before its entry changed: what that one listed is offered until
    /// it lists itself, what that one was asked for it is asked for, and who waits for that one waits for it.
    pub fn start(
        &self,
        configured: &Arc<Configured>,
        is_remembered: bool,
        replaced: Option<&Slot>,
    ) -> Arc<Slot> {
        let settings = &configured.config.settings;
        let timeouts = Timeouts {
            connect: settings.connect_timeout.unwrap_or(self.terms.timeouts.connect),
            request: settings.request_timeout.unwrap_or(self.terms.timeouts.request),
        };
        // One that is awaited introduces itself before any client is served.
        let memory = self.memory.clone().filter(|_| is_remembered && !configured.config.awaited);
        let recollection = if memory.is_some() { Recollection::Pending } else { Recollection::None };
        let status = Status::new(Supervision::new(settings.restart), recollection);
        let status = match replaced.map(Slot::status) {
            Some(Status { introduction, lists, .. }) => Status { introduction, lists, ..status },
            None => status,
        };
        let slot = Arc::new(Slot {
            configured: Arc::clone(configured),
            patience: timeouts.connect,
            status: watch::Sender::new(status),
            signals: Arc::new(Signals { events: self.events.clone(), lists: Notify::new() }),
            wishes: replaced.map(|slot| Arc::clone(&slot.wishes)).unwrap_or_default(),
            successor: OnceLock::new(),
            stopping: self.stopping.child_token(),
        });
        replaced.into_iter().for_each(|replaced| replaced.succeeded_by(&slot));
        let connector = Arc::new(Connector {
            configured: Arc::clone(configured),
            terms: Terms { timeouts, ..self.terms.clone() },
            signals: Arc::clone(&slot.signals),
            client: self.client.clone(),
            era: self.era,
            connections: Mutex::default(),
            only: Mutex::default(),
        });
        let witness = self.witness.clone();
        let task = Task {
            slot: Arc::clone(&slot),
            connector,
            memory,
            witness,
            replaced: Mutex::default(),
            ends_when_told: AtomicBool::new(false),
        };
        let go = self.go.clone();
        tokio::spawn(async move {
            let running = async {
                go.cancelled().await;
                task.run().await;
            };
            task.slot.stopping.run_until_cancelled(running).await;
            task.stop().await;
        });
        slot
    }
}

/// A connected upstream, what it lists, and the number of its client's choices that the lists follow.
pub(super) struct Connected {
    pub(super) upstream: Arc<Upstream>,
    pub(super) lists: UpstreamLists,
    pub(super) followed: u64,
}

pub(super) struct Task {
    pub(super) slot: Arc<Slot>,
    pub(super) connector: Arc<Connector>,
    memory: Option<Arc<dyn Memory>>,
    witness: Option<Arc<dyn Witness>>,
    /// When its client's choices last took a new connection.
    pub(super) replaced: Mutex<Option<Instant>>,
    /// Whether the upstream ended when it was sent choices by the method for that: from then on only handshakes carry them.
    pub(super) ends_when_told: AtomicBool,
}

impl Task {
    /// Keeps the upstream connected until it stops.
    async fn run(&self) {
        let connected = async {
            tokio::select! {
                () = self.keep_connected() => {}
                () = self.ping_when_asked() => {}
            }
        };
        tokio::join!(connected, self.recall());
    }

    async fn keep_connected(&self) {
        loop {
            match self.attempt().await {
                Ok(connected) => {
                    let upstream = self.follow(self.connected(connected)).await;
                    self.ended(&upstream);
                }
                Err(error) => self.failed(error),
            }
            let State::Failing { next } = self.slot.status.borrow().supervision.state() else { return };
            tokio::select! {
                () = tokio::time::sleep_until(next) => {}
                () = self.signed_in() => {}
            }
            self.change(|status| status.supervision.retrying());
        }
    }

    /// Waits until a person has signed in, whatever it fails for.
    async fn signed_in(&self) {
        match &self.slot.configured.config.target {
            Target::Url(Endpoint { authorization: Some(Authorizer(authorization)), .. }) => {
                authorization.changed().await;
            }
            _ => std::future::pending().await,
        }
    }

    /// One attempt to connect, and to fetch the lists.
    async fn attempt(&self) -> Result<Connected, UpstreamError> {
        let has_chosen =
            self.connector.client.as_ref().is_some_and(|client| !client.chosen().borrow().values.is_empty());
        let connected = match self.connect(true).await {
            // It may not bear choices in its handshake.
            Err(_) if has_chosen => self.connect(false).await?,
            connected => connected?,
        };
        let Connected { upstream, lists, followed } = connected;
        let is_first = !self.slot.status.borrow().supervision.was_connected();
        let lists = if is_first && upstream.is_chosen() {
            // A connection without choices lists what this one leaves out.
            let whole = self.connect(false).await.inspect_err(
                |error| tracing::debug!(%error, "what it leaves out for its client's choices is not known"),
            );
            upstream.with_excluded(lists, whole.ok().as_ref().map(|whole| &whole.lists))
        } else {
            self.with_excluded(&upstream, lists)
        };
        Ok(Connected { upstream, lists, followed })
    }

    /// A connection that is sent its client's choices, or none.
    pub(super) async fn connect(&self, tells: bool) -> Result<Connected, UpstreamError> {
        let introduced = |said: &Introduction| {
            self.change(|status| status.introduction = Some(Arc::new(said.clone())));
        };
        let (upstream, followed) = self.connector.connect(tells, introduced).await?;
        let upstream = Arc::new(upstream);
        if !self.repeat_choices(&upstream).await {
            return Box::pin(self.connect(tells)).await;
        }
        let held = self.held(&upstream).await;
        match upstream.lists(held.as_deref(), false).await {
            Ok(lists) => Ok(Connected { upstream, lists, followed }),
            Err(error) => {
                upstream.connection().close().await;
                Err(error)
            }
        }
    }

    /// Fetches lists again as they change, and as its client chooses, until the connection ends. Returns the last connection.
    async fn follow(&self, mut upstream: Arc<Upstream>) -> Arc<Upstream> {
        loop {
            tokio::select! {
                () = upstream.connection().ended() => return upstream,
                chosen = self.chosen_anew() => {
                    upstream = self.choose(upstream, &chosen).await;
                    self.change(|status| status.followed = chosen.number);
                }
                () = self.slot.signals.lists.notified() => {
                    self.list_again(&upstream).await;
                    // Some servers announce a change whenever they are asked for a list.
                    tokio::time::sleep(RELISTING).await;
                }
            }
        }
    }

    /// Fetches the lists of a connection again. Returns whether they were answered.
    pub(super) async fn list_again(&self, upstream: &Arc<Upstream>) -> bool {
        let held = self.held(upstream).await;
        match upstream.lists(held.as_deref(), true).await {
            Ok(lists) => {
                let lists = self.with_excluded(upstream, lists);
                self.change(|status| status.lists = Some(Arc::new(lists)));
                self.remember();
                true
            }
            Err(error) => {
                tracing::warn!(%error, "a changed list could not be fetched; the old one stays");
                false
            }
        }
    }

    /// What the upstream listed last, in this run of the program or an earlier one, if it can say what changed since.
    async fn held(&self, upstream: &Upstream) -> Option<Arc<UpstreamLists>> {
        if !upstream.offers_manifest() {
            return None;
        }
        let mut status = self.slot.status.subscribe();
        let looked_up = |status: &Status| status.recollection != Recollection::Pending;
        status.wait_for(looked_up).await.ok()?.lists.clone()
    }

    pub(super) fn connected(&self, connected: Connected) -> Arc<Upstream> {
        let Connected { upstream, lists, followed } = connected;
        tracing::info!(upstream = %upstream.name(), tools = lists.tools.len(), "upstream ready");
        if let Some(witness) = &self.witness {
            witness.ready(upstream.name(), &lists);
        }
        self.change(|status| {
            status.supervision.connected(Instant::now());
            status.introduction = Some(Arc::new(upstream.introduction().clone()));
            status.lists = Some(Arc::new(lists));
            status.upstream = Some(Arc::clone(&upstream));
            status.followed = followed;
            status.recollection = Recollection::None;
            status.error = None;
        });
        self.remember();
        self.slot.restore(&upstream);
        upstream
    }

    /// Offers what the upstream listed in an earlier run of the program, until it lists itself.
    async fn recall(&self) {
        let recalled = self.recalled().await;
        self.change(|status| {
            let recalled = recalled.filter(|_| status.lists.is_none());
            status.recollection = if recalled.is_some() { Recollection::Offered } else { Recollection::None };
            if let Some(Remembered { introduction, lists }) = recalled {
                (status.introduction, status.lists) = (Some(introduction), Some(lists));
            }
        });
    }

    async fn recalled(&self) -> Option<Remembered> {
        let (memory, name) = (self.memory.clone()?, self.slot.name()?.clone());
        let era = self.connector.spoken_era().await;
        let configured = Arc::clone(&self.slot.configured);
        let recalled = spawn_blocking(move || memory.recall(&configured.config, era)).await;
        let Remembered { introduction, lists } = Remembered::of_json(&recalled.ok()??, &name)?;
        let follows_choices = self.connector.client.is_some() && era == Era::Session;
        let lists = UpstreamLists { follows_choices, ..Arc::unwrap_or_clone(lists) };
        let lists = lists.kept_in(&self.connector.terms.texts);
        Some(Remembered { introduction, lists: Arc::new(lists) })
    }

    /// Keeps what the upstream listed for the next run of the program.
    fn remember(&self) {
        let Some(memory) = self.memory.clone() else { return };
        let status = self.slot.status.borrow().clone();
        let (Some(introduction), Some(lists)) = (status.introduction, status.lists) else { return };
        let connector = Arc::clone(&self.connector);
        tokio::spawn(async move {
            let era = connector.spoken_era().await;
            let remembered = RawText::of(&Remembered { introduction, lists });
            spawn_blocking(move || memory.keep(&connector.configured.config, era, &remembered)).await
        });
    }

    fn ended(&self, upstream: &Upstream) {
        let end = if upstream.connection().has_lost_session() { End::SessionLost } else { End::Lost };
        self.change(|status| {
            status.supervision.ended(end, Instant::now(), chance());
            status.upstream = None;
            status.error = Some(Arc::new(upstream.end()));
        });
        self.log_failure();
    }

    fn failed(&self, error: UpstreamError) {
        let was_known = self.slot.status.borrow().error.as_ref().is_some_and(|error| error.needs_sign_in());
        self.change(|status| {
            match error.is_circle() {
                true => status.supervision.failed_for_good(),
                false => status.supervision.failed(Instant::now(), chance()),
            }
            status.error = Some(Arc::new(error));
        });
        // Each attempt fails until a person signs in: that is logged once.
        if !(was_known && self.slot.status.borrow().needs_sign_in()) {
            self.log_failure();
        }
    }

    fn log_failure(&self) {
        let status = self.slot.status.borrow();
        let Some(error) = &status.error else { return };
        let failures = status.supervision.failures();
        if status.needs_sign_in() {
            return tracing::warn!(%error, "sign-in needed");
        }
        // What a start waits for may end the program instead.
        let is_start = self.slot.configured.config.awaited && !status.supervision.was_connected();
        match status.supervision.state() {
            _ if is_start && !error.is_circle() => tracing::warn!(%error, failures, "upstream failed"),
            State::Failing { next } => {
                let retry_in = next.saturating_duration_since(Instant::now());
                tracing::warn!(%error, failures, ?retry_in, "upstream failed, will be restarted");
            }
            _ => tracing::error!(%error, "upstream failed, is not restarted"),
        }
    }

    async fn stop(&self) {
        // They outlast a change of the entry.
        if self.slot.successor.get().is_none()
            && let Some(upstream) = self.slot.upstream()
        {
            upstream.cancel_tasks().await;
        }
        let connections = std::mem::take(&mut *self.connector.connections.lock());
        join_all(connections.iter().map(|connection| connection.close())).await;
        self.change(|status| {
            status.supervision.stopped();
            status.upstream = None;
        });
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Status)) {
        self.turn(|status| {
            change(status);
            true
        });
    }

    /// Changes the status, and says so if it is news. Returns whether it is.
    pub(super) fn turn(&self, change: impl FnOnce(&mut Status) -> bool) -> bool {
        let is_news = self.slot.status.send_if_modified(change);
        if is_news {
            self.slot.signals.send(Event::Changed);
        }
        is_news
    }
}

/// A random number from 0 to 1; 0 if the operating system has none.
fn chance() -> f64 {
    let mut bytes = [0; 2];
    let _no_randomness = getrandom::fill(&mut bytes);
    f64::from(u16::from_ne_bytes(bytes)) / f64::from(u16::MAX)
}
