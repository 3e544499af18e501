//! An MCP gateway as a library: it stands in front of MCP servers and discloses their tools progressively.
//!
//! To give an `rmcp` handler progressive disclosure, start with [`disclose`]. For a gateway in front of other
//! [upstreams](upstream::Target), start with [`Assembly`] and [`Gateway::start`], and serve it with a
//! [`front`]. Requests are handled in [`dispatch`]; [`backend`] holds upstreams and their [`catalogue`];
//! [`negotiation`] selects strategies. The command line, configuration files and exit codes are in
//! `mcp-disclosure-server`.

pub mod backend;
pub mod catalogue;
mod dialect;
mod disclose;
pub mod dispatch;
mod error;
mod explain;
pub mod front;
pub mod limits;
pub mod lineage;
pub mod negotiation;
pub mod observe;
mod problem;
mod session;
pub mod slot;
mod strategies;
pub mod upstream;

pub use dialect::{Offer, Revision};
pub use disclose::{Disclosure, disclose};
pub use dispatch::{
    Admission, Admittance, Arriving, Assembly, Denied, FETCHES_PER_MINUTE, Gateway, KeptMarks,
    OfferedRevisions, Open, StartedGateway,
};
pub use error::Error;
pub use limits::SessionLimits;
pub use mcp_disclosure_core as core;
pub use mcp_disclosure_drafts::variants::VariantHints;
pub use mcp_disclosure_transport as transport;
pub use negotiation::EXPLANATIONS;
pub use problem::{Place, Problem, Problems};
pub use rmcp;
pub use session::store;
pub use strategies::builtin;

/// Whether drafts of MCP are offered and used.
const DRAFTS: bool = cfg!(feature = "drafts");
