//! Which revisions are proposed to an upstream, one after the other.

use mcp_disclosure_core::{Era, brief::shorten};
use mcp_disclosure_transport::CallError;

use crate::{Revision, handshake::Unusable};

/// Maximum length of a list of supported revisions; a longer one is ignored.
const LONGEST_LIST: usize = 8192;

/// How often one revision is proposed: again if the server refuses it but lists it as supported.
const MOST: usize = 2;

/// Why a proposal failed.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Unusable,
    /// The revisions that the server supports, if it listed any.
    supported: Option<Supported>,
}

/// A list of revisions, as the server sent it.
#[derive(Debug)]
pub(crate) struct Supported(Vec<String>);

impl Supported {
    /// Reads a list from JSON text; `None` if it is empty or no list of strings.
    pub(crate) fn read(list: &str) -> Option<Self> {
        let list: Vec<String> = Some(list)
            .filter(|list| list.len() <= LONGEST_LIST)
            .and_then(|list| serde_json::from_str(list).ok())?;
        (!list.is_empty()).then_some(Self(list))
    }

    /// Those that are known here.
    pub(crate) fn known(&self) -> impl Iterator<Item = Revision> {
        self.0.iter().filter_map(|name| Revision::parse(name))
    }
}

impl Failure {
    /// There is no result. An error may list what is supported.
    pub(crate) fn talk(method: &'static str, error: CallError) -> Self {
        let supported = match &error {
            CallError::Answered(error) => {
                error.data().and_then(|data| Supported::read(data.member("supported")?))
            }
            _ => None,
        };
        Self { error: Unusable::Talk { method, error }, supported }
    }

    /// The response is invalid.
    pub(crate) fn foreign(reason: impl Into<String>) -> Self {
        Self { error: Unusable::Foreign(reason.into()), supported: None }
    }

    /// The server supports other revisions than the one proposed.
    pub(crate) fn counter(supported: Supported) -> Self {
        Self { error: unsupported(&supported), supported: Some(supported) }
    }

    /// Whether the server may accept a proposal of the other era, although it did not say so.
    fn leaves_other_era(&self, proposed: Era) -> bool {
        let Unusable::Talk { error, .. } = &self.error else { return proposed == Era::Stateless };
        match error {
            CallError::Answered(_) => true,
            CallError::Ended { .. } => false,
            // Nothing binds an HTTP server to an era, and some close the connection at what they do not know.
            CallError::Http(error) => !error.is_unsent(),
            // Servers of the session era may do anything with a method that they do not know.
            _ => proposed == Era::Stateless,
        }
    }
}

/// What was proposed so far, and what failed.
#[derive(Debug)]
pub(crate) struct Proposals<'e> {
    /// The eras that may be proposed, the preferred one first.
    eras: &'e [Era],
    made: Vec<Revision>,
    /// Why `initialize` failed. It says more than how a server answers an era that it does not know.
    of_session: Option<Unusable>,
}

impl<'e> Proposals<'e> {
    /// Proposals of these eras, the preferred one first.
    pub(crate) fn new(eras: &'e [Era]) -> Self {
        Self { eras, made: Vec::new(), of_session: None }
    }

    /// The first proposal; `None` without an era.
    pub(crate) fn first(&mut self) -> Option<Revision> {
        let preferred = *self.eras.first()?;
        Some(self.make(latest(preferred)))
    }

    /// The next proposal: the newest supported revision, of the preferred era if possible, where the server
    /// lists what it supports; otherwise the other era.
    ///
    /// # Errors
    /// Why the handshake failed, if nothing is left to propose.
    pub(crate) fn after(
        &mut self,
        proposed: Revision,
        failure: Failure,
        carries_stateless: bool,
    ) -> Result<Revision, Unusable> {
        let other = proposed.era().other();
        let leaves_other = failure.leaves_other_era(proposed.era());
        let Failure { error, supported } = failure;
        let can_send = |revision: &Revision| {
            self.eras.contains(&revision.era()) && (carries_stateless || revision.has_sessions())
        };
        let next = match supported {
            Some(list) => {
                let mutual: Vec<Revision> = list.known().filter(can_send).collect();
                if mutual.is_empty() {
                    return Err(unsupported(&list));
                }
                let left = mutual.into_iter().filter(|revision| self.count(*revision) < MOST);
                left.max_by_key(|revision| (Some(&revision.era()) == self.eras.first(), *revision))
            }
            None => {
                let is_new = self.made.iter().all(|revision| revision.era() != other);
                Some(latest(other)).filter(|revision| leaves_other && is_new && can_send(revision))
            }
        };
        match next {
            Some(next) => {
                if proposed.has_sessions() {
                    self.of_session = Some(error);
                }
                Ok(self.make(next))
            }
            None if proposed.has_sessions() => Err(error),
            None => Err(self.of_session.take().unwrap_or(error)),
        }
    }

    fn make(&mut self, revision: Revision) -> Revision {
        self.made.push(revision);
        revision
    }

    fn count(&self, revision: Revision) -> usize {
        self.made.iter().filter(|made| **made == revision).count()
    }
}

/// The revision to propose for an era.
fn latest(era: Era) -> Revision {
    match era {
        Era::Session => Revision::LATEST_WITH_SESSIONS,
        Era::Stateless => Revision::V2026_07_28,
    }
}

fn unsupported(supported: &Supported) -> Unusable {
    let theirs = shorten(&supported.0.join(", "), 200);
    Unusable::Foreign(format!("it supports no other protocol versions than {theirs}"))
}
