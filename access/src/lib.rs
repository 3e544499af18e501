//! Who may use a gateway, and what exists for whom: an [`Admission`](mcp_disclosure_gateway::Admission) for bearer tokens
//! and JWTs.
//!
//! [`Access`] is the whole of it: it is made from [`Settings`], replaced by others while the gateway serves, and asked
//! once for each request. `bearer` finds the token in a request, and refuses one without; `metadata` says where there are
//! tokens; `tokens` knows those of files and of the environment, `jwt` those that an authorization server signed, with the keys of
//! `keys`; `entry` says what exists for whom.

mod access;
mod bearer;
mod entry;
mod error;
mod jwt;
mod keys;
mod metadata;
mod settings;
mod signatures;
mod source;
mod tokens;

pub use access::Access;
pub use entry::{Caller, Entry};
pub use error::{Error, UnreadableToken};
pub use jwt::Clock;
pub use keys::KeyTimes;
pub use metadata::WELL_KNOWN;
pub use settings::{Jwt, KeySource, Profile, Settings, Token, TokenSource};
