//! Who may use a gateway, and what exists for whom: an [`Admission`](mcp_disclosure_gateway::Admission) for bearer tokens
//! and JWTs.
//!
//! [`Access`] is the whole of it: it is made from [`Settings`], replaced by others while the gateway serves, and asked
//! once for each request. `credential` finds the token in a request; `tokens` knows those of files and of the environment,
//! `jwt` those that an authorization server signed, with the keys of `keys`; `entry` says what exists for whom; `metadata`
//! is what clients without a token need to know.

mod access;
mod claims;
mod clock;
mod credential;
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
pub use clock::Clock;
pub use entry::{Caller, Entry};
pub use error::{Error, UnreadableToken};
pub use keys::KeyTimes;
pub use metadata::WELL_KNOWN;
pub use settings::{Jwt, KeySource, Profile, Settings, Token, TokenSource};
