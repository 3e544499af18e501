//! What an operator declares in files: read, watched, and put in force again when it changes.

mod contents;
mod description_files;
mod grants;
mod origin;
mod private;
mod read_file;
mod reload;
mod servers;
mod watch;

pub use contents::Contents;
pub(crate) use description_files::description_paths;
pub use description_files::read_directory;
pub use origin::Origin;
pub(crate) use private::{
    KEY, NEW_KEY, aside, make_private_folder, random_key, read_key, warn_of_readers, write_newest,
    write_private,
};
pub use read_file::{Files, ReadFile};
pub use reload::{Baseline, Reloads};
pub use watch::{Seen, watch};
