//! One connection of a host to a server of a row, the record of its messages, and what all connections have in common.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use mcp_disclosure_client::{
    Concerns, Direction, Error as Refusal, Host, Kind, Link, Observer, Passage, Preferences,
};
use mcp_disclosure_core::{RawObject, size};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{BASELINE, Error, Row, baseline::Baseline, tokenizer::Counter, transcript::Play};

/// Opens a new link to a server that serves the row of this name to every client.
pub type LinkFactory = Arc<dyn Fn(&str) -> Link + Send + Sync>;

/// Counts the calls that have reached the upstreams of a server so far.
pub type Reached = Arc<AtomicU64>;

/// The kind of client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientKind {
    /// It knows nothing of disclosure, and its model can use tools only, as most hosts do.
    #[default]
    Ordinary,
    /// It negotiates the strategy and uses its native channel.
    Negotiating,
}

/// Which members of a listed tool a host shows to its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum HostKind {
    /// `name`, `description` and `inputSchema`: what APIs of models take.
    #[default]
    Ordinary,
    /// Every member, as listed.
    Verbatim,
}

impl HostKind {
    /// What the model sees of listed tools.
    pub(crate) fn shown(self, tools: &[RawObject]) -> Vec<RawObject> {
        match self {
            Self::Ordinary => tools.iter().map(size::shown).collect(),
            Self::Verbatim => tools.to_vec(),
        }
    }

    /// The members, in words.
    pub fn members(self) -> &'static str {
        match self {
            Self::Ordinary => "name, description and inputSchema of a tool",
            Self::Verbatim => "every member of a tool",
        }
    }
}

/// What all connections have in common.
pub(crate) struct Bench<'a> {
    pub(crate) play: &'a Play<'a>,
    pub(crate) counter: Counter,
    /// The lists of `full`; empty until they are known.
    pub(crate) baseline: Baseline,
}

impl<'a> Bench<'a> {
    /// Finds out what the source lists; its resources are those of a server of complete definitions, if there is one.
    pub(crate) async fn of(play: &'a Play<'a>, rows: &[Row]) -> Result<Self, Error> {
        let counter = Counter::new(play.tokenizer);
        let mut bench = Self { play, counter, baseline: Baseline::default() };
        let mut resources = Vec::new();
        if let Some(full) = rows.iter().find(|row| row.name == BASELINE) {
            let connection = Connection::open(&bench, full, ClientKind::Negotiating, Concerns::new()).await?;
            resources = connection.resources().await?;
            connection.host.close().await;
        }
        let tools: Vec<&RawObject> = play.subject.tools.iter().map(|tool| &tool.definition).collect();
        bench.baseline = Baseline::of(tools, &resources);
        Ok(bench)
    }
}

/// One connection of a host.
pub(crate) struct Connection<'a> {
    pub(crate) row: &'a Row,
    pub(crate) kind: ClientKind,
    pub(crate) host: Host,
    /// Its requests since they were looked at.
    record: Arc<Mutex<Vec<Exchange>>>,
}

impl<'a> Connection<'a> {
    /// Connects, with these choices of concerns.
    ///
    /// # Errors
    /// The failure of the connection.
    pub(crate) async fn open(
        bench: &Bench<'_>,
        row: &'a Row,
        kind: ClientKind,
        choices: Concerns,
    ) -> Result<Self, Error> {
        let record = Arc::default();
        let (is_native, strategy) = (kind == ClientKind::Negotiating, &*row.profile.name);
        let preferences = Preferences {
            omit_input_schema: bench.play.omits_schemas && is_native,
            listens: false,
            observer: Some(observer(Arc::clone(&record), Arc::clone(&bench.play.reached))),
            concerns: choices,
            ..Preferences::of(is_native.then_some(strategy))
        };
        let failed = |source| Error::Connection { strategy: row.name.clone(), during: "connecting", source };
        let host = Host::connect((bench.play.links)(&row.name), preferences).await.map_err(failed)?;
        Ok(Self { row, kind, host, record })
    }

    /// The listed tools.
    pub(crate) async fn tools(&self) -> Result<Vec<RawObject>, Error> {
        self.host.list().await.map_err(|source| self.failed("listing tools", source))
    }

    /// The listed resources and templates; none if the server has none.
    pub(crate) async fn resources(&self) -> Result<Vec<RawObject>, Error> {
        if !self.host.server().has("resources") {
            return Ok(Vec::new());
        }
        let failed = |source| self.failed("listing resources", source);
        let mut listed = self.host.resources().await.map_err(failed)?;
        listed.extend(self.host.resource_templates().await.map_err(failed)?);
        Ok(listed)
    }

    /// The instructions that the host shows to the model.
    pub(crate) fn instructions(&self) -> String {
        match self.kind {
            ClientKind::Negotiating => self.host.system_prompt(),
            ClientKind::Ordinary => self.host.server().instructions.clone().unwrap_or_default(),
        }
    }

    /// The requests since the last time that have a response, in the order in which they were sent.
    pub(crate) fn fresh(&self) -> Vec<Exchange> {
        let mut fresh = std::mem::take(&mut *self.record.lock());
        fresh.retain(|exchange| exchange.answer.is_some());
        fresh
    }

    /// Those of the model, without the lists of its host.
    pub(crate) fn moves(&self) -> Vec<Exchange> {
        self.fresh().into_iter().filter(|exchange| !exchange.is_list()).collect()
    }

    pub(crate) fn failed(&self, during: &'static str, source: Refusal) -> Error {
        Error::Connection { strategy: self.row.name.clone(), during, source }
    }
}

/// A request of the host with its response.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) method: String,
    /// The whole message.
    pub(crate) request: RawObject,
    /// The whole message: a result or an error. None until it has come.
    pub(crate) answer: Option<RawObject>,
    /// The number of calls that had reached the upstreams when the response arrived.
    pub(crate) reached: u64,
}

impl Exchange {
    /// Whether this is a request of the host itself, and not of its model.
    pub(crate) fn is_list(&self) -> bool {
        self.method.ends_with("/list")
    }
}

/// Records requests and their responses.
fn observer(record: Arc<Mutex<Vec<Exchange>>>, reached: Reached) -> Observer {
    Arc::new(move |passage: &Passage<'_>| {
        let Ok(message) = RawObject::parse(passage.as_str()) else { return };
        let mut exchanges = record.lock();
        match (passage.direction, passage.kind) {
            (Direction::Sent, Kind::Request) => {
                let method = passage.method.to_owned();
                exchanges.push(Exchange { method, request: message, answer: None, reached: 0 });
            }
            (Direction::Received, Kind::Answer) => {
                let is_answered = |exchange: &&mut Exchange| {
                    exchange.answer.is_none() && exchange.request.member("id") == message.member("id")
                };
                if let Some(exchange) = exchanges.iter_mut().rev().find(is_answered) {
                    (exchange.answer, exchange.reached) = (Some(message), reached.load(Ordering::Acquire));
                }
            }
            _ => {}
        }
    })
}
