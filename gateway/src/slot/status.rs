//! What is known of a supervised upstream, and who watches it come up.

use std::{fmt, sync::Arc};

use mcp_disclosure_core::{RawObject, UpstreamLists, UpstreamName};

use super::{Slot, State, Supervision};
use crate::upstream::{Introduction, Restart, Upstream, UpstreamError};

/// The status of a supervised upstream.
#[derive(Clone, Debug)]
pub struct Status {
    /// Its state, failures and restarts.
    pub supervision: Supervision,
    /// The upstream, while it is connected.
    pub upstream: Option<Arc<Upstream>>,
    /// What it last said of itself.
    pub introduction: Option<Arc<Introduction>>,
    /// What it last listed.
    pub lists: Option<Arc<UpstreamLists>>,
    /// What is known of it from an earlier run of the program.
    pub recollection: Recollection,
    /// The number of its client's choices that its lists follow; none precede it if it has no client.
    pub followed: u64,
    /// Why its last connection or attempt failed, or that it does not answer; `None` while it is ready.
    pub error: Option<Arc<UpstreamError>>,
}

/// What is known of an upstream from an earlier run of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recollection {
    /// That is being looked up.
    Pending,
    /// Nothing, or it is no longer needed.
    None,
    /// Introduction and lists are those of that run.
    Offered,
}

impl Status {
    pub(crate) fn new(supervision: Supervision, recollection: Recollection) -> Self {
        Self {
            supervision,
            upstream: None,
            introduction: None,
            lists: None,
            recollection,
            followed: u64::MAX,
            error: None,
        }
    }

    /// That of an upstream of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self::new(Supervision::new(Restart::Always), Recollection::Pending)
    }

    /// Whether the first attempt is over, and it is known what of an earlier run of the program can be offered if that failed.
    pub fn is_tried(&self) -> bool {
        let is_over = self.upstream.is_some() || self.error.is_some() || self.is_stopped();
        is_over && self.recollection != Recollection::Pending
    }

    /// The number of its client's choices that clients see it follow: what it listed in an earlier run of the program follows
    /// none, until it is connected.
    pub(crate) fn followed(&self) -> u64 {
        match (&self.upstream, self.offered()) {
            (Some(_), _) => self.followed,
            (None, Some(lists)) if lists.follows_choices && !self.is_tried() => 0,
            (None, _) => u64::MAX,
        }
    }

    /// Whether it waits for a person to sign in.
    pub fn needs_sign_in(&self) -> bool {
        matches!(self.supervision.state(), State::Failing { .. } | State::Stopped)
            && self.error.as_ref().is_some_and(|error| error.needs_sign_in())
    }

    /// Whether calls fail without waiting: until a person signs in, or it answers again.
    pub fn fails_at_once(&self) -> bool {
        self.needs_sign_in() || self.supervision.state() == State::Silent
    }

    /// Whether nothing could be reached at its address.
    pub fn is_unreachable(&self) -> bool {
        self.upstream.is_none() && self.error.as_ref().is_some_and(|error| error.is_unreachable())
    }

    /// Whether no further attempts are made.
    pub fn is_stopped(&self) -> bool {
        self.supervision.state() == State::Stopped
    }

    /// Why nothing of it can be used; `None` also if it has listed and ended since, and is connected again soon.
    pub fn missing(&self) -> Option<&Arc<UpstreamError>> {
        self.error.as_ref().filter(|_| self.offered().is_none())
    }

    /// The lists to offer to clients.
    pub fn offered(&self) -> Option<&Arc<UpstreamLists>> {
        self.lists.as_ref().filter(|_| self.supervision.keeps_lists())
    }
}

/// `serverInfo` of the only upstream, otherwise the gateway's own.
pub(crate) fn server_info(upstreams: &[Status]) -> RawObject {
    if let [only] = upstreams
        && let Some(introduction) = &only.introduction
        && !introduction.server_info.is_empty()
    {
        return introduction.server_info.clone();
    }
    RawObject::empty().with_value("name", "mcp-disclosure").with_value("version", env!("CARGO_PKG_VERSION"))
}

/// Watches upstreams come up. Its methods are called where upstreams are served, so they must not block; they do nothing by
/// default.
pub trait Witness: Send + Sync + fmt::Debug {
    /// The upstreams that clients share are being started; there is no gateway as long as one of them is
    /// [awaited](crate::upstream::UpstreamConfig::awaited).
    fn starting(&self, _slots: &Arc<[Arc<Slot>]>) {}

    /// An upstream has connected and listed.
    fn ready(&self, _upstream: &UpstreamName, _lists: &UpstreamLists) {}
}
