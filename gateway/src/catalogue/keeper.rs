//! The keeper: holds what snapshots are made of, and makes them.

use std::{collections::HashSet, fmt, sync::Arc};

use mcp_disclosure_core::{
    About, Concern, DescriptionFile, Lock, Material, OnChange, Review, Rules, Snapshot, UpstreamLists,
    Warning,
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

impl Declared {
    /// The same in the place of others: unchanged upstreams keep their identity.
    pub(crate) fn after(self, before: &Self) -> Self {
        let known = before.upstreams.clone().unwrap_or_default();
        let upstreams = self.upstreams.map_or_else(|| known.clone(), |upstreams| upstreams.keeping(&known));
        Self { upstreams: Some(upstreams), ..self }
    }
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

/// Makes snapshots of upstreams' lists, and of the declarations laid over them.
#[derive(Debug)]
pub struct Keeper {
    /// What is declared.
    pub(crate) declared: Declared,
    /// The warnings about the last snapshot; `None` if another keeper of the same material logs them.
    warned: Option<HashSet<String>>,
    known: KnownDefinitions,
}

/// What of upstreams a snapshot is made of: two that are made of the same are alike, unless something else is declared.
#[derive(PartialEq)]
pub struct Made {
    /// By upstream that has listed anything: what, whether it is offered, and whether it is of an earlier run of the program.
    lists: Vec<(*const UpstreamLists, bool, bool)>,
    /// Whether these are the lists of all upstreams: a missing one may bring what something is declared for.
    complete: bool,
    /// Whether something is known of each upstream.
    started: bool,
}

impl Made {
    /// Of these.
    pub fn of<'s>(upstreams: impl Iterator<Item = &'s Status>) -> Self {
        let mut made = Self { lists: Vec::new(), complete: true, started: true };
        for status in upstreams {
            let is_offered = status.offered().is_some();
            made.complete &= is_offered;
            made.started &= is_offered || status.is_tried();
            let lists = status.lists.iter().map(Arc::as_ptr);
            made.lists.extend(lists.map(|lists| (lists, is_offered, is_remembered(status))));
        }
        made
    }
}

fn is_remembered(status: &Status) -> bool {
    status.recollection == Recollection::Offered
}

impl Keeper {
    /// A `quiet` one logs no warnings.
    pub fn new(declared: Declared, observer: Arc<dyn Observer>, said: Arc<Said>, quiet: bool) -> Self {
        let warned = (!quiet).then(HashSet::new);
        Self { declared, warned, known: KnownDefinitions::new(observer, said, !quiet) }
    }

    /// Makes the snapshot that follows another one, of these upstreams; `own` is listed by those whose connections are this
    /// backend's own. Warnings about it are logged if they are `final`: while upstreams are starting, what is declared for their
    /// tools seems to be declared for nothing.
    pub fn build(
        &mut self,
        before: &Snapshot,
        upstreams: &[Status],
        own: &[Arc<UpstreamLists>],
        is_final: bool,
    ) -> Snapshot {
        self.accept_first(upstreams);
        let Made { complete, started, .. } = Made::of(upstreams.iter());
        let lists: Vec<_> = upstreams.iter().filter_map(|status| status.offered().cloned()).collect();
        let failed = upstreams.iter().filter(|status| status.offered().is_none());
        let gone: Vec<_> = failed.filter_map(|status| status.lists.clone()).collect();
        let Declared { files, rules, .. } = &self.declared;
        let snapshot =
            Snapshot::assemble_after(before, Material { upstreams: &lists, complete, files, rules }, &gone);
        let mut served = snapshot.own_names();
        for lists in own {
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
        let about = self.about(upstreams, &snapshot);
        snapshot.about_itself(about).while_starting(!started)
    }

    /// Accepts what upstreams list whose new tools are held, and of which nothing was reviewed yet: what they list now, and not
    /// what they listed in an earlier run of the program.
    fn accept_first(&mut self, upstreams: &[Status]) {
        for lists in upstreams.iter().filter(|status| !is_remembered(status)).filter_map(Status::offered) {
            let (name, review) = (&lists.name, &self.declared.rules.review);
            let is_first = review.on_change(name) == OnChange::Hold && !review.lock.knows(name);
            let Some(accepting) = self.declared.accepting.as_ref().filter(|_| is_first) else { continue };
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
    fn about(&self, upstreams: &[Status], snapshot: &Snapshot) -> About {
        let (declared, own) = (&self.declared.about, server_info(upstreams));
        let or_own = |declared: &str, member: &str| match declared {
            "" => own.string(member).unwrap_or_default(),
            declared => declared.to_owned(),
        };
        About {
            name: or_own(&declared.name, "name"),
            version: or_own(&declared.version, "version"),
            description: or_own(&declared.description, "description"),
            concerns: concerns(&declared.concerns, upstreams, snapshot),
            ..declared.clone()
        }
    }
}

/// The declared concerns, and those of upstreams by which choosing has an effect; what is declared counts where both name one.
fn concerns(declared: &[Concern], upstreams: &[Status], snapshot: &Snapshot) -> Vec<Concern> {
    let mut all = declared.to_vec();
    for lists in upstreams.iter().filter_map(Status::offered) {
        for concern in &lists.concerns {
            let is_new = all.iter().all(|known| known.name() != concern.name());
            if is_new && (lists.follows_choices || snapshot.maps(&lists.name, concern.name())) {
                all.push(concern.clone());
            }
        }
    }
    all
}
