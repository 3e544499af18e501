//! Stands for `otel` where the feature is not built in: nothing is exported.

use std::sync::Arc;

use super::{Exports, metrics::Metrics, state::Served};
use crate::failure::Failure;

/// There are none.
pub(super) enum Settings {}

impl Settings {
    /// Says so to those who configured an endpoint.
    ///
    /// # Errors
    /// None.
    pub(super) fn of_process() -> Result<Option<Self>, Failure> {
        const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
        if std::env::var_os(ENDPOINT).is_some_and(|value| !value.is_empty()) {
            tracing::info!(
                "nothing is exported to {ENDPOINT}: this program was built without the feature otel"
            );
        }
        Ok(None)
    }

    pub(super) fn has_metrics(&self) -> bool {
        match *self {}
    }

    pub(super) fn start(self, _: Option<&Arc<Metrics>>, _: &Arc<Served>) -> Result<Exports, Failure> {
        match self {}
    }
}
