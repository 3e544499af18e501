//! What operators see of a running gateway: metrics, status and health on an address of their own, and the audit log.
//!
//! With the build feature `otel`, traces and the same metrics are sent by OTLP as well. Everything is fed by the gateway's
//! [`Observer`] (numbers of what happened) and read from the gateway itself when it is asked for (states). The decisions are explained in docs/decisions/0030.

mod address;
mod admin;
mod audit;
mod counting;
mod metrics;
#[cfg_attr(not(feature = "otel"), path = "without_otel.rs")]
mod otel;
mod page;
mod state;
mod worker;

use std::{path::PathBuf, sync::Arc};

pub use address::AdminAddress;
use admin::Admin;
use audit::Audit;
use clap::Args;
use mcp_disclosure_gateway::{
    Admission, Gateway,
    front::http,
    limits::Limits,
    observe::{Observer, Several},
    slot::Witness,
};
use metrics::Metrics;
use state::Served;
use tokio::net::TcpListener;

use crate::failure::Failure;

/// The flags of `serve` for operators.
#[derive(Clone, Debug, Default, Args)]
pub struct OperatingArguments {
    /// Where operators find /healthz, /metrics and more
    ///
    /// Also /readyz and /status. A port of this machine, or ADDRESS:PORT
    #[arg(long, value_name = "ADDRESS", help_heading = "Operating")]
    pub admin: Option<AdminAddress>,

    /// Append a JSON line for each call to this file
    ///
    /// And for each decision on one; SIGHUP opens it again
    #[arg(long, value_name = "FILE", help_heading = "Operating")]
    pub audit: Option<PathBuf>,

    /// The key of the fingerprints that stand for arguments in the audit log, at least 32 bytes [default: a new key at
    /// each start]
    #[arg(long, value_name = "FILE", help_heading = "Operating")]
    pub audit_key_file: Option<PathBuf>,

    /// Refuse calls whose decision cannot be written to the audit log before they are forwarded
    #[arg(long, help_heading = "Operating")]
    pub audit_strict: bool,
}

/// What makes spans, if they are exported; and what sends the rest at the end, for at most two seconds.
type Exports = (Option<Arc<dyn Observer>>, Box<dyn Fn() + Send + Sync>);

/// What one run of `serve` has for its operators.
pub struct Operating {
    /// The address for operators, and what requests to it may name.
    admin: Option<(AdminAddress, http::Guard)>,
    limits: Limits,
    served: Arc<Served>,
    metrics: Option<Arc<Metrics>>,
    audit: Option<Arc<Audit>>,
    exports: Option<Exports>,
}

impl Operating {
    /// Opens what is asked for. Requests to the address may name these hosts and origins besides its own.
    ///
    /// # Errors
    /// If a key cannot be used, or a file cannot be opened.
    pub fn prepare(
        arguments: &OperatingArguments,
        (hosts, origins): (&[String], &[String]),
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let audit = Audit::open(arguments, limits)?.map(Arc::new);
        let losses = audit.as_ref().map(|audit| Arc::clone(&audit.losses));
        let guarded = |address: AdminAddress| (address, http::Guard::new(address.0.ip(), hosts, origins));
        let admin = arguments.admin.map(guarded);
        let otel = otel::Settings::of_process()?;
        let counts = admin.is_some() || otel.as_ref().is_some_and(otel::Settings::has_metrics);
        let metrics = counts.then(|| Metrics::new(losses).map(Arc::new)).transpose()?;
        let served = Arc::new(Served::default());
        let exports = otel.map(|otel| otel.start(metrics.as_ref(), &served)).transpose()?;
        Ok(Self { admin, limits: *limits, served, metrics, audit, exports })
    }

    /// The observer of the gateway.
    pub fn observer(&self) -> Arc<dyn Observer> {
        let metrics = self.metrics.iter().map(|metrics| Arc::clone(metrics) as Arc<dyn Observer>);
        let audit = self.audit.iter().map(|audit| Arc::clone(audit) as Arc<dyn Observer>);
        let spans = self.exports.iter().filter_map(|(spans, _)| spans.clone());
        Arc::new(Several(metrics.chain(audit).chain(spans).collect()))
    }

    /// What sees the upstreams of the gateway before it serves.
    pub fn witness(&self) -> Arc<dyn Witness> {
        Arc::clone(&self.served) as Arc<dyn Witness>
    }

    /// Listens on the address for operators, if there is one.
    ///
    /// # Errors
    /// If that is not possible.
    pub async fn listen(&self) -> Result<Option<TcpListener>, Failure> {
        let Some((AdminAddress(address), _)) = self.admin else { return Ok(None) };
        let failed = |source| Failure::Listen { flag: "--admin", address: address.to_string(), source };
        Ok(Some(TcpListener::bind(address).await.map_err(failed)?))
    }

    /// Serves operators from now on, until the gateway ends. Beyond this machine they are admitted as its clients are.
    pub fn serve(&self, listener: Option<TcpListener>, admission: &Arc<dyn Admission>) {
        let (Some(listener), Some((address, guard)), Some(metrics)) = (listener, &self.admin, &self.metrics)
        else {
            return;
        };
        let admission = (!address.is_local()).then(|| Arc::clone(admission));
        let (served, metrics) = (Arc::clone(&self.served), Arc::clone(metrics));
        let admin = Admin { served, metrics, observer: self.observer() };
        tokio::spawn(admin::serve(listener, guard.clone(), self.limits, admission, admin));
    }

    /// Shows operators this gateway, which serves from now on.
    pub fn serves(&self, gateway: &Arc<Gateway>) {
        self.metrics.iter().for_each(|metrics| metrics.expect(&gateway.strategies().offered()));
        self.served.serves(gateway);
    }

    /// Whether it writes a file that is opened again when the operator asks for it.
    pub fn reopens(&self) -> bool {
        self.audit.is_some()
    }

    /// Opens files again, after they were renamed.
    pub fn reopen(&self) {
        self.audit.iter().for_each(|audit| audit.reopen());
    }

    /// Writes and sends what is not written or sent yet. Call it when the gateway is gone.
    pub fn finish(&self) {
        self.audit.iter().for_each(|audit| audit.finish());
        self.exports.iter().for_each(|(_, finish)| finish());
    }
}
