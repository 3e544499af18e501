//! The catalogue: snapshots, the pages made of them, and their replacement.

mod changes;
mod keeper;
mod page;
mod tools;

pub use changes::Said;
pub use keeper::{Accepting, Declared, Keeper, Made};
pub use page::{Catalogue, Page, Published};
pub use tools::PreparedManifest;
