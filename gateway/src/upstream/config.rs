//! The configuration of upstreams, and their identities, which outlast a change of it.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_disclosure_core::UpstreamName;
use serde::{Deserialize, Serialize};
use tokio::sync::SetOnce;

use super::Target;

/// An upstream as configured: what it is called, how it is reached, and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct UpstreamConfig {
    /// The operator's name for it; without one it is derived from `serverInfo`.
    pub name: Option<UpstreamName>,
    /// How to start or reach it.
    pub target: Target,
    /// Its settings.
    pub settings: UpstreamSettings,
    /// Whether the gateway starts only after this upstream was tried. Otherwise clients are served at once, and
    /// the upstream joins when it is ready.
    pub awaited: bool,
}

impl UpstreamConfig {
    /// An upstream that the start waits for, with default settings.
    pub fn new(name: impl Into<Option<UpstreamName>>, target: Target) -> Self {
        Self { name: name.into(), target, settings: UpstreamSettings::default(), awaited: true }
    }
}

impl From<Target> for UpstreamConfig {
    fn from(target: Target) -> Self {
        Self::new(None, target)
    }
}

/// How the connection to one upstream is kept. What is `None` is as for all upstreams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamSettings {
    /// From start to the end of the handshake.
    pub connect_timeout: Option<Duration>,
    /// For a request, measured from its start or its last progress notification.
    pub request_timeout: Option<Duration>,
    /// What happens after it ended or failed.
    pub restart: Restart,
    /// Whether clients share its connection.
    pub scope: Option<Scope>,
    /// Methods that are passed on as they are; and the extension that clients who share it are said to have, `UI`.
    pub pass: Vec<String>,
}

/// Whether an upstream that ended or failed is started again, or connected to again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Restart {
    /// It is, after a delay that grows with each failure.
    #[default]
    Always,
    /// It stays ended.
    Never,
}

/// Whether clients share upstreams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    /// All clients share one connection to each upstream, and are asked nothing.
    #[default]
    Shared,
    /// Each session has connections of its own, and each request without a session has them while it runs.
    Session,
}

/// A configured upstream. Connections of several backends to it share its number and name.
#[derive(Debug)]
pub struct Configured {
    /// Its number, unique in this process.
    pub number: usize,
    /// Its configuration.
    pub config: UpstreamConfig,
    name: SetOnce<UpstreamName>,
}

impl Configured {
    fn new(config: UpstreamConfig) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = SetOnce::new_with(config.name.clone());
        Self { number: NEXT.fetch_add(1, Ordering::Relaxed), config, name }
    }

    /// Its name; `None` as long as it has to introduce itself.
    pub fn name(&self) -> Option<&UpstreamName> {
        self.name.get()
    }

    /// Its name, or what it is started or reached by as long as it has none.
    pub fn called(&self) -> String {
        self.name().map_or_else(|| self.config.target.to_string(), ToString::to_string)
    }

    /// Its name, once it is known.
    pub(crate) async fn named(&self) -> &UpstreamName {
        self.name.wait().await
    }
}

/// The configured upstreams, in their order.
#[derive(Clone, Debug, Default)]
pub struct Upstreams(Arc<[Arc<Configured>]>);

impl Upstreams {
    /// These upstreams, none of which is known yet.
    pub fn new(configs: impl IntoIterator<Item = UpstreamConfig>) -> Self {
        Self(configs.into_iter().map(|config| Arc::new(Configured::new(config))).collect())
    }

    /// The same upstreams, where those with an unchanged configuration are the ones of `before`.
    pub(crate) fn keeping(&self, before: &Self) -> Self {
        let mut before: Vec<&Arc<Configured>> = before.iter().collect();
        let mut kept = |new: &Arc<Configured>| {
            let same = before.iter().position(|old| old.config == new.config)?;
            Some(Arc::clone(before.remove(same)))
        };
        Self(self.iter().map(|new| kept(new).unwrap_or_else(|| Arc::clone(new))).collect())
    }

    /// Names an upstream after what it says of itself, unless another has that name or was given it by the operator:
    /// rules are bound to names.
    pub(crate) fn name(&self, configured: &Configured, wanted: UpstreamName) {
        let is_taken =
            |name: &str| self.iter().filter_map(|other| other.name()).any(|other| **other == *name);
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let free = std::iter::once(wanted.to_string()).chain(numbered).find(|name| !is_taken(name));
        let name = free.and_then(|name| UpstreamName::parse(&name).ok()).unwrap_or(wanted);
        // The first one stays.
        let _has_one = configured.name.set(name);
    }
}

impl Deref for Upstreams {
    type Target = [Arc<Configured>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::Target;

    fn named(name: Option<&str>, program: &str) -> UpstreamConfig {
        let name = name.map(|name| UpstreamName::parse(name).unwrap());
        UpstreamConfig::new(name, Target::command(program, vec![]))
    }

    #[test]
    fn p2_an_upstream_that_names_itself_gets_no_name_that_another_has() {
        let upstreams =
            Upstreams::new([named(None, "x"), named(Some("notes"), "x"), named(None, "y"), named(None, "z")]);
        let wanted = |name: &str| UpstreamName::parse(name).unwrap();
        upstreams.name(&upstreams[0], wanted("notes"));
        upstreams.name(&upstreams[2], wanted("math"));
        upstreams.name(&upstreams[3], wanted("math"));
        let names: Vec<&str> = upstreams.iter().map(|one| one.name().unwrap().as_str()).collect();
        assert_eq!(names, ["notes-2", "notes", "math", "math-2"]);
    }
}
