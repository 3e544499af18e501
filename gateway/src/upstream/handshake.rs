//! The handshake with an upstream and its result.
//!
//! Each attempt proposes one revision: by `initialize` if it has sessions, by `server/discover` if not. Which
//! ones are proposed, and in which order, is up to [`Proposals`].

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{EXTENSION, Era, GROUPS, Notes, RawObject, SKILLS, UI, UpstreamName};
use mcp_disclosure_drafts::variants::SERVER_VARIANTS;
use mcp_disclosure_transport::{CallError, Connection, code, meta};
use serde_json::json;

use super::{
    Why,
    proposals::{Failure, Proposals, Supported},
};
use crate::{
    dialect::{Offer, RequestMeta, Revision, TASKS},
    lineage::{Chain, Lineage, is_circle},
    session::{Chosen, Client},
};

/// This gateway's half of a handshake with an upstream.
#[derive(Clone, Debug)]
pub(super) struct Hello {
    /// The capabilities of the client that the connection is dedicated to, or what is common to all.
    pub(super) of_clients: RawObject,
    /// The capabilities to declare: these, that complete definitions are asked for, and the chain.
    pub(super) capabilities: RawObject,
    /// The gateways that lead to the upstream.
    pub(super) chain: Chain,
    /// The client's choices of concerns.
    pub(super) chosen: Chosen,
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
        Self {
            capabilities: chain.add_to(&Offer::ours(&of_clients)),
            of_clients,
            chosen: Chosen { values, ..chosen },
            chain,
        }
    }
}

/// Capabilities that clients are served with.
const PASSED: [&str; 8] =
    ["tools", "resources", "prompts", "completions", "logging", "tasks", "concerns", "delta"];

/// The same of extensions.
const PASSED_EXTENSIONS: [&str; 6] = [EXTENSION, GROUPS, UI, SERVER_VARIANTS, TASKS, SKILLS];

/// The result of the handshake.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Its `capabilities`.
    pub capabilities: RawObject,
    /// Its `serverInfo`.
    pub server_info: RawObject,
    /// Its `instructions`.
    pub instructions: Option<String>,
    /// The eras it supports.
    pub eras: Eras,
    /// The gateways that it leads to, itself included; empty if it is no gateway.
    pub leads_to: Chain,
}

impl Introduction {
    /// Whether the server declared this capability.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.member(capability).is_some()
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Whether a new connection in the other era may succeed, after one in this: some servers stick to the era of the first
/// request, and some exit when that is not `initialize`. One that exits at `initialize` does so whatever it is asked.
pub(super) fn may_work_in_other_era(why: &Why, tried: Era) -> bool {
    match why {
        Why::Talk(CallError::Answered(error)) => error.code() == code::UNSUPPORTED_VERSION,
        Why::Talk(error @ CallError::Ended { .. }) => tried == Era::Stateless && !is_circle(error),
        _ => false,
    }
}

/// Time-out for `server/discover`, which servers of the session era may leave unanswered.
const DISCOVERY: Duration = Duration::from_secs(5);

/// The same for a server with a session, which works without.
const PROBE: Duration = Duration::from_secs(2);

/// Performs the handshake. The preferred era is tried first, since it may be the only one from then on.
pub(super) async fn introduce(
    connection: &Arc<Connection>,
    hello: &Hello,
    prefer: Era,
    timeout: Duration,
) -> Result<Introduction, Why> {
    let introduction = introduce_in(connection, hello, prefer, timeout).await?;
    // It may have been reached before this gateway was, so it could not refuse.
    if introduction.leads_to.meets(&hello.chain) { Err(Why::Circle) } else { Ok(introduction) }
}

async fn introduce_in(
    connection: &Arc<Connection>,
    hello: &Hello,
    prefer: Era,
    timeout: Duration,
) -> Result<Introduction, Why> {
    let prefer = if connection.carries_stateless() { prefer } else { Era::Session };
    let mut proposals = Proposals::new(prefer);
    let mut proposed = proposals.first();
    loop {
        let answered = match proposed.era() {
            Era::Session => initialize(connection, hello, proposed, timeout).await,
            Era::Stateless => discover(connection, hello, timeout.min(DISCOVERY)).await,
        };
        match answered {
            Ok(introduction) if introduction.eras.session && prefer == Era::Session => {
                return Ok(also_stateless(connection, hello, introduction).await);
            }
            Ok(introduction) => return Ok(introduction),
            Err(failure) => proposed = proposals.after(proposed, failure, connection.carries_stateless())?,
        }
    }
}

/// Probes whether an upstream with a session also answers stateless requests, where both can be sent.
async fn also_stateless(
    connection: &Arc<Connection>,
    hello: &Hello,
    introduction: Introduction,
) -> Introduction {
    let stateless = connection.carries_both_eras() && discover(connection, hello, PROBE).await.is_ok();
    Introduction { eras: Eras { stateless, ..introduction.eras }, ..introduction }
}

async fn initialize(
    connection: &Arc<Connection>,
    hello: &Hello,
    revision: Revision,
    timeout: Duration,
) -> Result<Introduction, Failure> {
    let params = json!({
        "protocolVersion": revision.to_string(),
        "capabilities": hello.capabilities,
        "clientInfo": {"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")},
    });
    let params = RawObject::parse(params.to_string()).unwrap_or_default();
    let params = chosen_in(params, &hello.chosen.values);
    let result = request(connection, "initialize", params, timeout).await?;
    let version = result
        .string("protocolVersion")
        .ok_or_else(|| Failure::foreign("initialize result has no protocolVersion"))?;
    let negotiated = Revision::parse(&version).ok_or_else(|| {
        Failure::foreign(format!("initialize result has protocolVersion {version:?}, which is not supported"))
    })?;
    connection.negotiated(&version);
    let server_info = result.object("serverInfo").unwrap_or_else(RawObject::empty);
    let session = negotiated.has_sessions();
    let said = introduction(&result, server_info, Eras { session, stateless: !session });
    let chosen = said.understood(&hello.chosen.values);
    connection.notify("notifications/initialized", chosen_in(RawObject::empty(), &chosen));
    if session {
        return Ok(said);
    }
    // It wants a revision that has no `initialize`, so it is asked as that revision demands. What it has said of
    // itself holds if it does not answer that.
    Ok(discover(connection, hello, timeout.min(DISCOVERY)).await.unwrap_or(said))
}

/// Parameters with choices, if there are any.
pub(super) fn chosen_in(params: RawObject, chosen: &Notes) -> RawObject {
    if chosen.is_empty() { params } else { params.with_value("concerns", chosen) }
}

async fn discover(
    connection: &Arc<Connection>,
    hello: &Hello,
    timeout: Duration,
) -> Result<Introduction, Failure> {
    let params = RequestMeta::declaring(&RawObject::empty(), &hello.capabilities);
    let result = request(connection, "server/discover", params, timeout).await?;
    let supported = result
        .member("supportedVersions")
        .and_then(Supported::read)
        .ok_or_else(|| Failure::foreign("server/discover result has no supportedVersions"))?;
    if supported.known().all(Revision::has_sessions) {
        return Err(Failure::counter(supported));
    }
    let server_info = result.object("_meta").and_then(|meta| meta.object(meta::SERVER_INFO));
    let server_info = server_info.unwrap_or_else(RawObject::empty);
    Ok(introduction(&result, server_info, Eras { session: false, stateless: true }))
}

fn introduction(result: &RawObject, server_info: RawObject, eras: Eras) -> Introduction {
    let capabilities = result.object("capabilities").unwrap_or_else(RawObject::empty);
    Introduction {
        leads_to: Chain::read(&capabilities).unwrap_or_default(),
        capabilities,
        server_info,
        instructions: result.string("instructions"),
        eras,
    }
}

async fn request(
    connection: &Arc<Connection>,
    method: &str,
    params: RawObject,
    timeout: Duration,
) -> Result<RawObject, Failure> {
    let call = connection.call(method, params);
    let result = Arc::clone(connection).request(call, timeout).await.map_err(Failure::talk)?;
    RawObject::parse(result.as_str())
        .map_err(|_| Failure::foreign(format!("{method} result is not an object")))
}

#[cfg(test)]
mod tests;
