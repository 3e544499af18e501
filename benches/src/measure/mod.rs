//! The measurements, one per file. Each returns its table.

mod http_call;
mod list;
mod sessions;
mod start;
mod stdio_call;

pub use http_call::http_call;
pub use list::list;
pub use sessions::sessions;
pub use start::start;
pub use stdio_call::stdio_call;

/// The number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// A tenth of the repetitions.
    pub quick: bool,
}

impl Effort {
    /// The full number of repetitions, or a tenth of it.
    fn of(self, count: usize) -> usize {
        if self.quick { count.div_ceil(10) } else { count }
    }
}
