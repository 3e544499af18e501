//! The catalogue: snapshots, the pages made of them, and their replacement.

mod declared;
mod drift;
mod keeper;
mod page;
mod tools;

pub use declared::Declared;
pub use keeper::{Keeper, Listed};
pub use page::{Catalogue, Page, Published};
pub use tools::PreparedManifest;
