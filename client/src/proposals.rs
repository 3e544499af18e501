//! Which revisions are proposed to an upstream, one after the other.

use mcp_disclosure_core::{Era, brief::shorten};
use mcp_disclosure_transport::CallError;

use crate::{Error, Revision};

/// Maximum length of a list of supported revisions; a longer one is ignored.
const LONGEST_LIST: usize = 8192;

/// How often one revision is proposed: again if the server refuses it but lists it as supported.
const MOST: usize = 2;

/// Why a proposal failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
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
        Self { error: Error::of(method, error), supported }
    }

    /// The response is invalid.
    pub(crate) fn foreign(reason: impl Into<String>) -> Self {
        Self { error: Error::foreign(reason), supported: None }
    }

    /// The server supports other revisions than the one proposed.
    pub(crate) fn counter(supported: Supported) -> Self {
        Self { error: unsupported(&supported), supported: Some(supported) }
    }

    /// The next proposal after those that were made, of which `proposed`, the last, failed for this reason: the newest supported revision, of
    /// the preferred era if possible, where the server lists what it supports; otherwise the other era. `None` if nothing is
    /// left to propose. Of the eras that may be proposed, the preferred one is the first.
    ///
    /// # Errors
    /// What the server supports, if none of it may be proposed.
    pub(crate) fn next(
        &self,
        proposed: Revision,
        made: &[Revision],
        eras: &[Era],
    ) -> Result<Option<Revision>, Error> {
        let is_ours = |revision: &Revision| eras.contains(&revision.era());
        let Some(list) = &self.supported else {
            let other = proposed.era().other();
            let is_new =
                self.leaves_other_era(proposed.era()) && made.iter().all(|revision| revision.era() != other);
            return Ok(Some(latest(other)).filter(|revision| is_new && is_ours(revision)));
        };
        let mutual: Vec<Revision> = list.known().filter(is_ours).collect();
        if mutual.is_empty() {
            return Err(unsupported(list));
        }
        let count = |revision| made.iter().filter(|made| **made == revision).count();
        let left = mutual.into_iter().filter(|revision| count(*revision) < MOST);
        Ok(left.max_by_key(|revision| (Some(&revision.era()) == eras.first(), *revision)))
    }

    /// Whether the server may accept a proposal of the other era, although it did not say so.
    fn leaves_other_era(&self, proposed: Era) -> bool {
        let Error::NoResult { error, .. } = &self.error else { return proposed == Era::Stateless };
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

/// The revision to propose for an era.
pub(crate) fn latest(era: Era) -> Revision {
    match era {
        Era::Session => Revision::LATEST_WITH_SESSIONS,
        Era::Stateless => Revision::V2026_07_28,
    }
}

fn unsupported(supported: &Supported) -> Error {
    let theirs = shorten(&supported.0.join(", "), 200);
    Error::foreign(format!("it supports no other protocol versions than {theirs}"))
}
