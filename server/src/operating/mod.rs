//! What operators see of a running gateway: metrics, status and health on an address of their own, and the audit log.
//!
//! Everything is fed by the gateway's [`Observer`] (numbers of what happened) and read from the gateway itself when it is
//! asked for (states). The decisions are explained in docs/decisions/0030.

mod address;
mod admin;
mod arguments;
mod audit;
mod counting;
mod metrics;
mod page;
mod readiness;
mod state;
mod status;

use std::sync::Arc;

pub use address::AdminAddress;
pub use arguments::OperatingArguments;
use audit::Audit;
use mcp_disclosure_gateway::{
    Gateway,
    front::http,
    limits::Limits,
    observe::{Observer, Several},
};
use metrics::Metrics;
use tokio::net::TcpListener;

use crate::failure::Failure;

/// What one run of `serve` has for its operators.
#[derive(Debug)]
pub struct Operating {
    admin: Option<AdminAddress>,
    /// Names and origins beside this machine's own.
    hosts: Vec<String>,
    origins: Vec<String>,
    metrics: Option<Arc<Metrics>>,
    audit: Option<Arc<Audit>>,
}

impl Operating {
    /// Opens what is asked for. Requests to the address may name these hosts and origins besides its own. `is_authenticated`: the gateway's admission asks for credentials.
    ///
    /// # Errors
    /// If the address is not allowed, a key cannot be used, or a file cannot be opened.
    pub fn prepare(
        arguments: &OperatingArguments,
        configured: Option<AdminAddress>,
        (hosts, origins): (&[String], &[String]),
        limits: &Limits,
        is_authenticated: bool,
    ) -> Result<Self, Failure> {
        let admin = arguments.admin.or(configured);
        admin.iter().try_for_each(|address| address.allowed(is_authenticated))?;
        let audit = Audit::open(arguments, limits)?.map(Arc::new);
        let losses = audit.as_ref().map(|audit| audit.losses());
        let metrics = admin.map(|_| Metrics::new(losses).map(Arc::new)).transpose()?;
        Ok(Self { admin, hosts: hosts.to_vec(), origins: origins.to_vec(), metrics, audit })
    }

    /// The observer of the gateway.
    pub fn observer(&self) -> Arc<dyn Observer> {
        let metrics = self.metrics.iter().map(|metrics| Arc::clone(metrics) as Arc<dyn Observer>);
        let audit = self.audit.iter().map(|audit| Arc::clone(audit) as Arc<dyn Observer>);
        Arc::new(Several(metrics.chain(audit).collect()))
    }

    /// Listens on the address for operators, if there is one.
    ///
    /// # Errors
    /// If that is not possible.
    pub async fn listen(&self) -> Result<Option<TcpListener>, Failure> {
        let Some(AdminAddress(address)) = self.admin else { return Ok(None) };
        let failed = |source| Failure::Listen { flag: "--admin", address: address.to_string(), source };
        Ok(Some(TcpListener::bind(address).await.map_err(failed)?))
    }

    /// Serves operators until the gateway ends.
    pub fn serve(&self, listener: Option<TcpListener>, gateway: &Arc<Gateway>) {
        let (Some(listener), Some(metrics), Some(address)) = (listener, &self.metrics, self.admin) else {
            return;
        };
        let guard = http::Guard::new(address.0.ip(), &self.hosts, &self.origins);
        metrics.expect(&gateway.strategies().offered());
        let (gateway, metrics) = (Arc::clone(gateway), Arc::clone(metrics));
        tokio::spawn(admin::serve(listener, guard, !address.is_local(), gateway, metrics));
    }

    /// Whether it writes a file that is opened again when the operator asks for it.
    pub fn reopens(&self) -> bool {
        self.audit.is_some()
    }

    /// Opens files again, after they were renamed.
    pub fn reopen(&self) {
        self.audit.iter().for_each(|audit| audit.reopen());
    }

    /// Writes what is not written yet. Call it when the gateway is gone.
    pub fn finish(&self) {
        self.audit.iter().for_each(|audit| audit.finish());
    }
}
