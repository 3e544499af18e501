//! `[auth]`, `[[principals]]` and `[profiles]`: who may come in, and what exists for them.
//!
//! `entries` is the format; `auth` reads who may come in. A principal and a profile are two doors to one thing, a grant:
//! `grants` reads it for both, and `settings` puts everything together with what flags say.

mod auth;
mod entries;
mod flags;
mod grants;
mod settings;

pub use entries::PrincipalEntry;
pub(super) use entries::{Auth, JwtEntry, ProfileEntry, QuotaEntry, TokenEntry};
pub use flags::AccessFlags;
pub use grants::Written;
pub use settings::{unknown_strategies, unreadable};

use super::Found;
