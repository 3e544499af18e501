//! The handshake with an upstream, as a gateway makes it, and its result.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_client::{
    Error,
    handshake::{self, Introduced},
    server,
};
use mcp_disclosure_core::{Concern, EXTENSION, Era, GROUPS, Notes, RawObject, SKILLS, UI, UpstreamName};
use mcp_disclosure_drafts::variants::SERVER_VARIANTS;
use mcp_disclosure_transport::Connection;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Why;
use crate::{
    dialect::{Offer, TASKS},
    lineage::{Chain, Lineage, is_circle},
    session::{Chosen, Client},
};

/// This gateway's half of a handshake with an upstream.
#[derive(Clone, Debug)]
pub(super) struct Hello {
    /// The capabilities of the client that the connection is dedicated to, or what is common to all.
    pub(super) of_clients: RawObject,
    /// The gateways that lead to the upstream.
    pub(super) chain: Chain,
    /// The client's choices of concerns.
    pub(super) chosen: Chosen,
    /// What is said: these capabilities, that complete definitions are asked for, and the chain.
    said: handshake::Hello,
}

impl Hello {
    pub(super) fn new(
        client: Option<&Arc<Client>>,
        common: RawObject,
        tells: bool,
        lineage: &Lineage,
    ) -> Self {
        let of_clients = client.map_or(common, |client| client.capabilities().clone());
        let chain = lineage.chain(&client.map(|client| client.chain()).unwrap_or_default());
        let chosen = client.map(|client| client.chosen().borrow().clone());
        let chosen = chosen.unwrap_or_else(|| Chosen { number: u64::MAX, values: Notes::new() });
        let values = if tells { chosen.values } else { Notes::new() };
        let capabilities = chain.add_to(&Offer::ours(&of_clients));
        let own = json!({"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")});
        let initialize = RawObject::assemble([("capabilities", capabilities.text())]);
        let said = handshake::Hello {
            initialize: chosen_in(initialize.with_value("clientInfo", &own), &values),
            meta: handshake::stateless_meta(&own, &capabilities),
        };
        Self { of_clients, chain, chosen: Chosen { values, ..chosen }, said }
    }
}

/// Maximum concerns that are read of one upstream.
const MOST_CONCERNS: usize = 64;

/// Capabilities that clients are served with.
const PASSED: [&str; 8] =
    ["tools", "resources", "prompts", "completions", "logging", "tasks", "concerns", "delta"];

/// The same of extensions.
const PASSED_EXTENSIONS: [&str; 6] = [EXTENSION, GROUPS, UI, SERVER_VARIANTS, TASKS, SKILLS];

/// The result of the handshake.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Introduction {
    /// Its `capabilities`.
    pub capabilities: RawObject,
    /// Its `serverInfo`.
    pub server_info: RawObject,
    /// Its `instructions`.
    pub instructions: Option<String>,
    /// The eras it supports.
    pub eras: Eras,
    /// The gateways that it leads to, itself included; empty if it is no gateway. They are known of a connection only.
    #[serde(skip)]
    pub leads_to: Chain,
}

impl Introduction {
    /// Whether the server declared this capability.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.member(capability).is_some()
    }

    /// Its half of the disclosure extension; `None` if it does not support it.
    pub fn extension(&self) -> Option<RawObject> {
        server::extension(&self.capabilities)
    }

    /// The concerns that it declares; invalid ones are left out.
    pub(crate) fn concerns(&self) -> Vec<Concern> {
        let declared = server::declared_concerns(&self.capabilities);
        declared.iter().take(MOST_CONCERNS).filter_map(Concern::read).collect()
    }

    /// The choices among these that are of its concerns.
    pub(super) fn understood(&self, chosen: &Notes) -> Notes {
        let values = self.concerns().into_iter().filter_map(|concern| {
            let value = chosen.get(concern.name()).filter(|value| concern.values().have(value))?;
            Some((concern.name().to_owned(), value.clone()))
        });
        values.collect()
    }

    /// Whether the server set this flag of a capability.
    pub(crate) fn says(&self, capability: &str, flag: &str) -> bool {
        self.capabilities.object(capability).is_some_and(|settings| settings.member(flag) == Some("true"))
    }

    /// Whether it offers skills (SEP-2640), and to read the directories of their files too.
    pub(crate) fn skills(&self) -> Option<bool> {
        let skills = self.capabilities.object("extensions")?.object(SKILLS)?;
        Some(skills.member("directoryRead") == Some("true"))
    }

    /// The same, or whether that cannot be told: revisions with sessions have no extensions, and servers of both eras declare none to
    /// clients of those.
    pub(crate) fn may_have_skills(&self) -> Option<bool> {
        let declares_none = self.eras.session && !self.has("extensions");
        self.skills().or(declares_none.then_some(true))
    }

    /// Whether its calls can be tasks, in this era.
    pub(crate) fn runs_tasks(&self, era: Era) -> bool {
        let within = |name: &str| self.capabilities.object(name);
        match era {
            Era::Session => within("tasks")
                .and_then(|tasks| tasks.object("requests")?.object("tools"))
                .is_some_and(|tools| tools.member("call").is_some()),
            Era::Stateless => within("extensions").is_some_and(|all| all.member(TASKS).is_some()),
        }
    }

    /// The capabilities and extensions that are a matter between the server and its clients, and that are not passed on.
    pub fn unpassed(&self) -> Vec<String> {
        let places = ["extensions", "experimental"];
        let own = self.capabilities.iter().map(|(name, _)| name.to_owned());
        let own = own.filter(|name| !PASSED.contains(&name.as_str()) && !places.contains(&name.as_str()));
        let nested = places.iter().flat_map(|place| {
            let place = self.capabilities.object(place).unwrap_or_default();
            place.iter().map(|(id, _)| id.to_owned()).collect::<Vec<_>>()
        });
        own.chain(nested.filter(|id| !PASSED_EXTENSIONS.contains(&id.as_str()))).collect()
    }

    /// A name derived from `serverInfo.name`: lower-case letters, digits and hyphens.
    pub(crate) fn slug(&self) -> UpstreamName {
        let name = self.server_info.string("name").unwrap_or_default();
        let mut slug = String::new();
        for character in name.rsplit('/').next().unwrap_or_default().chars() {
            if character.is_ascii_alphanumeric() {
                slug.push(character.to_ascii_lowercase());
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        UpstreamName::parse(slug.trim_end_matches('-'))
            .or_else(|_| UpstreamName::parse("upstream"))
            .unwrap_or_else(|_| unreachable!("the literal is not empty"))
    }
}

/// The eras that an upstream supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eras {
    /// It has an initialized session.
    pub session: bool,
    /// It answers stateless requests.
    pub stateless: bool,
}

impl Eras {
    /// The era in which to forward a request from a client of this era: the same, if supported.
    pub fn nearest(self, client: Era) -> Era {
        match client {
            Era::Session if self.session => Era::Session,
            Era::Stateless if self.stateless => Era::Stateless,
            _ if self.stateless => Era::Stateless,
            _ => Era::Session,
        }
    }
}

/// Whether a new connection in the other era may succeed, after one in this; not at one that leads back here.
pub(super) fn may_work_in_other_era(why: &Why, tried: Era) -> bool {
    matches!(why, Why::Talk(error) if !is_circle(error) && handshake::may_work_in_other_era(error, tried))
}

/// Time-out for a stateless request to a server with a session, which works without.
const PROBE: Duration = Duration::from_secs(2);

/// Performs the handshake. The preferred era is tried first, since it may be the only one from then on.
pub(super) async fn introduce(
    connection: &Arc<Connection>,
    hello: &Hello,
    prefer: Era,
    timeout: Duration,
) -> Result<Introduction, Why> {
    let introduced = handshake::introduce(connection, &hello.said, &[prefer, prefer.other()], timeout).await;
    let Introduced { revision, server_info, capabilities, result } = introduced.map_err(|why| match why {
        Error::NoResult { error, .. } => Why::Talk(error),
        Error::UnsupportedVersion { reason } => Why::Foreign(reason),
        other => Why::Foreign(other.to_string()),
    })?;
    let leads_to = Chain::read(&capabilities).unwrap_or_default();
    // It may have been reached before this gateway was, so it could not refuse.
    if leads_to.meets(&hello.chain) {
        return Err(Why::Circle);
    }
    let session = revision.has_sessions();
    // A server with a session may answer stateless requests as well, where both can be sent.
    let is_probed = session && prefer == Era::Session && connection.carries_both_eras();
    let stateless = !session || is_probed && handshake::is_stateless(connection, &hello.said, PROBE).await;
    let (instructions, eras) = (result.string("instructions"), Eras { session, stateless });
    Ok(Introduction { leads_to, capabilities, server_info, instructions, eras })
}

/// Parameters with choices, if there are any.
pub(super) fn chosen_in(params: RawObject, chosen: &Notes) -> RawObject {
    if chosen.is_empty() { params } else { params.with_value("concerns", chosen) }
}

#[cfg(test)]
mod tests;
