//! The catalogue: snapshots, the pages made of them, and their replacement.

mod changes;
mod keeper;
mod page;
mod tools;

pub use changes::Said;
pub(crate) use keeper::are_same;
pub use keeper::{Accepting, Declared, Keeper, Listed};
pub use page::{Catalogue, Page, Published};
pub use tools::PreparedManifest;
