//! What an operator declares in files: read, watched, and put in force again when it changes.

mod contents;
mod origin;
mod private;
mod read_file;
mod reload;
mod together;
mod watch;

pub use contents::Contents;
pub use origin::Origin;
pub(crate) use private::{
    KEY, NEW_KEY, aside, give_owner, make_private_folder, random_key, read_key, warn_of_readers,
    write_newest, write_private,
};
pub(crate) use read_file::description_paths;
pub use read_file::{Files, ReadFile, read_directory};
pub use reload::{Baseline, Reloads};
pub use together::Change;
pub(crate) use together::{Unwritten, is_same, text_of, write_together};
pub use watch::Seen;
