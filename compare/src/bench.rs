//! What all connections of a comparison, or of a play, have in common.

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::RawObject;

use crate::{
    Error, Row,
    baseline::Baseline,
    comparison::BASELINE,
    connection::{ClientKind, Connection},
    tokenizer::Counter,
    transcript::Play,
};

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
