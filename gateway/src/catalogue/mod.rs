//! The catalogue: snapshots, the pages made of them, and their replacement.

mod declared;
mod drift;
mod keeper;
mod page;

pub use declared::Declared;
pub use keeper::Keeper;
pub use page::{Catalogue, Page, Published};
