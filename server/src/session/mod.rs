//! Who is connected: sessions, what is under way for them, and how they are told things unasked.

mod in_flight;
mod listener;
mod outlet;
mod questions;
mod record;
mod table;

pub use in_flight::{InFlight, Ticket};
pub use listener::{Filter, Listeners, Registration};
pub use outlet::{Frame, Outbox, Outlet};
pub use questions::Questions;
pub use record::{Opening, Session, Severity, new_id};
pub use table::{Bounds, Full, Sessions};
