//! The keeper: holds what snapshots are made of, and makes them.

use std::{collections::HashSet, fmt, sync::Arc};

use mcp_disclosure_core::{
    About, Concern, DescriptionFile, Lock, Material, OnChange, RawObject, Review, Rules, Snapshot,
    UpstreamLists, Warning,
};

use super::changes::{KnownDefinitions, Said};
use crate::{
    observe::Observer,
    slot::{Recollection, Status, server_info},
    upstream::Upstreams,
};

/// Everything the operator declares: upstreams, and rules for what they list. Replaced as a whole.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The upstreams; `None` leaves them as they are.
    pub upstreams: Option<Upstreams>,
    /// The description files.
    pub files: Arc<[DescriptionFile]>,
    /// Description of the catalogue as a whole; empty fields default to the upstream's own.
    pub about: About,
    /// Rules for single tools, resources and prompts.
    pub rules: Arc<Rules>,
    /// Accepts what an upstream lists whose new tools are held, the first time.
    pub accepting: Option<Arc<dyn Accepting>>,
}

/// Where it is written down which definitions were reviewed.
pub trait Accepting: fmt::Debug + Send + Sync {
    /// Writes down everything that an upstream lists of which nothing is written down yet, and returns what is then. May
    /// block.
    ///
    /// # Errors
    /// Why it cannot be written, for the log.
    fn accept(&self, lists: &UpstreamLists) -> Result<Lock, String>;
}

/// The material of snapshots: upstreams' lists, and the declarations laid over them.
#[derive(Debug)]
pub struct Keeper {
    /// What the upstreams list.
    pub(crate) listed: Listed,
    declared: Declared,
    /// `serverInfo`, for what is not declared.
    server_info: RawObject,
    /// The warnings about the last snapshot; `None` if another keeper of the same material logs them.
    warned: Option<HashSet<String>>,
    known: KnownDefinitions,
    /// The lists of the upstreams whose connections are this backend's own.
    own: Vec<Arc<UpstreamLists>>,
}

/// What upstreams list; by default nothing, before anything is known.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The lists of the upstreams that have any, in their order.
    lists: Vec<Arc<UpstreamLists>>,
    /// What the others listed before they failed.
    gone: Vec<Arc<UpstreamLists>>,
    /// Whether these are the lists of all upstreams: a missing one may bring what something is declared for.
    complete: bool,
    /// Whether something is known of each upstream.
    started: bool,
    /// The lists among them that are of an earlier run of the program.
    remembered: Vec<Arc<UpstreamLists>>,
}

impl Listed {
    fn of(upstreams: &[Status]) -> Self {
        let lists = |statuses: &mut dyn Iterator<Item = &Status>| -> Vec<Arc<UpstreamLists>> {
            statuses.filter_map(|status| status.offered().cloned()).collect()
        };
        let is_remembered = |status: &&Status| status.recollection == Recollection::Offered;
        let remembered = lists(&mut upstreams.iter().filter(is_remembered));
        let lists = lists(&mut upstreams.iter());
        let failed = upstreams.iter().filter(|status| status.offered().is_none());
        let gone = failed.filter_map(|status| status.lists.clone()).collect();
        let complete = lists.len() == upstreams.len();
        let started = upstreams.iter().all(|status| status.is_tried() || status.offered().is_some());
        Self { lists, gone, complete, started, remembered }
    }

    /// Whether both are of the same lists, and not only of equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.complete, self.started) == (other.complete, other.started)
            && self.remembered.len() == other.remembered.len()
            && are_same(&self.lists, &other.lists)
            && are_same(&self.gone, &other.gone)
    }
}

/// Whether both have the same items, and not only equal ones.
pub(crate) fn are_same<T>(some: &[Arc<T>], others: &[Arc<T>]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| Arc::ptr_eq(one, other))
}

impl Keeper {
    /// A keeper without lists, and its first snapshot. A `quiet` one logs no warnings.
    pub fn open(
        declared: Declared,
        (observer, said): (Arc<dyn Observer>, Arc<Said>),
        quiet: bool,
    ) -> (Self, Snapshot) {
        let warned = (!quiet).then(HashSet::new);
        let (listed, server_info) = (Listed::default(), RawObject::empty());
        let known = KnownDefinitions::new(observer, said, !quiet);
        let keeper = Self { listed, declared, server_info, warned, known, own: Vec::new() };
        keeper.build(&Snapshot::default(), false)
    }

    /// Takes what the upstreams list now; `own` are those whose connections are this backend's own. Returns whether anything
    /// is new.
    pub fn list<'s>(&mut self, upstreams: &[Status], own: impl Iterator<Item = &'s Status>) -> bool {
        self.own = own.filter_map(|status| status.offered().cloned()).collect();
        let listed = Listed::of(upstreams);
        let is_same = listed.is_same(&self.listed);
        if !is_same {
            self.listed = listed;
            self.server_info = server_info(upstreams);
        }
        !is_same
    }

    /// Takes new declarations.
    pub fn declare(&mut self, declared: Declared) {
        self.declared = declared;
    }

    /// Makes the snapshot that follows another one. Warnings about it are logged if they are `final`: while upstreams are starting, what is
    /// declared for their tools seems to be declared for nothing.
    pub fn build(mut self, before: &Snapshot, is_final: bool) -> (Self, Snapshot) {
        self.accept_first();
        let material = Material {
            upstreams: &self.listed.lists,
            complete: self.listed.complete,
            files: &self.declared.files,
            rules: &self.declared.rules,
        };
        let snapshot = Snapshot::assemble_after(before, material, &self.listed.gone);
        let mut served = snapshot.own_names();
        for lists in &self.own {
            let is_held = |tool: &str| {
                let is_it = |warning: &Warning| match warning {
                    Warning::Held { upstream, change } => *upstream == lists.name && change.tool == tool,
                    _ => false,
                };
                is_final && self.warned.is_some() && snapshot.warnings().iter().any(is_it)
            };
            let served = served.remove(&lists.name).unwrap_or_default();
            self.known.note(lists, &self.declared.rules, served, is_held);
        }
        if is_final {
            self.warn_of(&snapshot);
        }
        let about = self.about(&self.declared.about, &snapshot);
        let snapshot = snapshot.about_itself(about).while_starting(!self.listed.started);
        (self, snapshot)
    }

    /// Accepts what upstreams list whose new tools are held, and of which nothing was reviewed yet: what they list now, and not
    /// what they listed in an earlier run of the program.
    fn accept_first(&mut self) {
        let is_remembered =
            |lists: &Arc<UpstreamLists>| self.listed.remembered.iter().any(|one| Arc::ptr_eq(one, lists));
        for lists in &self.listed.lists {
            let (name, review) = (&lists.name, &self.declared.rules.review);
            let is_first = review.on_change(name) == OnChange::Hold && !review.lock.knows(name);
            let Some(accepting) =
                self.declared.accepting.as_ref().filter(|_| is_first && !is_remembered(lists))
            else {
                continue;
            };
            match accepting.accept(lists) {
                Ok(lock) => {
                    let review = Arc::new(Review { lock, ..Review::clone(review) });
                    let rules = Rules { review, ..Rules::clone(&self.declared.rules) };
                    self.declared.rules = Arc::new(rules);
                }
                Err(why) if self.warned.is_some() => {
                    tracing::error!("upstream '{name}': none of its tools are served, since {why}");
                }
                Err(_) => {}
            }
        }
    }

    /// Logs the warnings that the last snapshot did not have.
    fn warn_of(&mut self, snapshot: &Snapshot) {
        let Some(before) = &mut self.warned else { return };
        let now: Vec<String> = snapshot.warnings().iter().map(ToString::to_string).collect();
        for warning in now.iter().filter(|warning| !before.contains(*warning)) {
            tracing::warn!("{warning}");
        }
        *before = now.into_iter().collect();
    }

    /// What the catalogue says of itself; a name that is not declared is the upstream's own.
    fn about(&self, declared: &About, snapshot: &Snapshot) -> About {
        let or_own = |declared: &str, member: &str| match declared {
            "" => self.server_info.string(member).unwrap_or_default(),
            declared => declared.to_owned(),
        };
        About {
            name: or_own(&declared.name, "name"),
            version: or_own(&declared.version, "version"),
            description: or_own(&declared.description, "description"),
            concerns: self.concerns(&declared.concerns, snapshot),
            ..declared.clone()
        }
    }

    /// The declared concerns, and those of upstreams by which choosing has an effect; what is declared counts where both name
    /// one.
    fn concerns(&self, declared: &[Concern], snapshot: &Snapshot) -> Vec<Concern> {
        let mut all = declared.to_vec();
        for lists in &self.listed.lists {
            for concern in &lists.concerns {
                let is_new = all.iter().all(|known| known.name() != concern.name());
                if is_new && (lists.follows_choices || snapshot.maps(&lists.name, concern.name())) {
                    all.push(concern.clone());
                }
            }
        }
        all
    }
}
