//! `[auth]`, `[[principals]]` and `[profiles]`: who may come in, and what exists for them.
//!
//! `entries` is the format. A principal and a profile are two doors to one thing, a grant: `grants` reads it for both, and
//! `settings` reads who may come in, and puts everything together with what flags say.

mod entries;
mod flags;
mod grants;
mod settings;

pub use entries::PrincipalEntry;
pub(super) use entries::{Auth, JwtEntry, ProfileEntry, QuotaEntry, TokenEntry};
pub use flags::AccessFlags;
pub(crate) use flags::principal;
pub use grants::Written;
pub use settings::{unknown_strategies, unreadable};

use super::Found;
