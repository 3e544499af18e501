//! What all connections of a comparison, or of a play, have in common.

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::RawObject;

use crate::{
    Error, HostKind, Row, Subject,
    baseline::Baseline,
    comparison::BASELINE,
    connection::{ClientKind, Connection, LinkFactory, Reached},
    tokenizer::Counter,
};

/// What all connections have in common.
pub(crate) struct Bench<'a> {
    /// Opens links to a server of each row.
    pub(crate) links: &'a LinkFactory,
    pub(crate) subject: &'a Subject,
    pub(crate) counter: Counter,
    /// What hosts show of a listed tool.
    pub(crate) host: HostKind,
    /// Whether to request lists without `inputSchema`, where the strategy supports that.
    pub(crate) omits_schemas: bool,
    /// Counts the calls that have reached upstreams.
    pub(crate) reached: Reached,
    /// The lists of `full`; empty until they are known.
    pub(crate) baseline: Baseline,
}

impl Bench<'_> {
    /// Finds out what the source lists; its resources are those of a server of complete definitions, if there is one.
    pub(crate) async fn look(&mut self, rows: &[Row]) -> Result<(), Error> {
        let mut resources = Vec::new();
        if let Some(full) = rows.iter().find(|row| row.name == BASELINE) {
            let connection = Connection::open(self, full, ClientKind::Negotiating, Concerns::new()).await?;
            resources = connection.resources().await?;
            connection.host.close().await;
        }
        let tools: Vec<&RawObject> = self.subject.tools.iter().map(|tool| &tool.definition).collect();
        self.baseline = Baseline::of(tools, &resources);
        Ok(())
    }
}
