//! Attacks on the shipped program: what hostile clients and upstreams try to make it spend, and whether it holds.
//!
//! Each attack starts the program with real MCP upstreams, lets an honest client ping, list and call beside it, attacks,
//! and judges: the rule that is attacked, the memory that the program took, and how long the honest client waited. A
//! family of attacks is one file; [`all`] is the table of contents.

mod check;
mod gateway;
mod honest;
mod names;
mod peer;
mod queues;
mod report;
mod results;
mod scene;
mod sessions;

use std::{
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt;
pub use report::{Row, table};
pub use scene::{MEMORY, PING};
use scene::{Measured, Verdict};

use crate::{Programs, said};

/// No attack takes longer.
pub const LONGEST: Duration = Duration::from_secs(20);

/// An attack under way.
type Running<'a> = Pin<Box<dyn Future<Output = Verdict> + 'a>>;

/// An attack, and the rule that it tries to break.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// The rule's id.
    pub rule: &'static str,
    /// What is tried.
    pub name: &'static str,
    run: for<'a> fn(&'a Lab) -> Running<'a>,
}

/// Attacks of one rule, from pairs of a name and a call of an `async fn(&Lab, …) -> Verdict` without its lab.
macro_rules! attacks {
    ($rule:literal: $($name:literal => $run:ident($($argument:expr),*),)+) => {
        [$($crate::attack::Attack {
            rule: $rule,
            name: $name,
            run: |lab| Box::pin($run(lab $(, $argument)*)),
        },)+]
    };
}
use attacks;

/// Every attack, in the order of the rules.
pub fn all() -> Vec<Attack> {
    let mut all = Vec::new();
    all.extend(check::attacks());
    all.extend(queues::attacks());
    all.extend(results::attacks());
    all.extend(sessions::attacks());
    all.extend(names::attacks());
    all.sort_by_key(|attack| attack.rule[1..].parse::<u8>().unwrap_or(u8::MAX));
    all
}

/// What attacks are made with.
#[derive(Debug)]
pub struct Lab {
    /// The program under attack, and its upstreams.
    pub programs: Programs,
    measured: Arc<Measured>,
}

impl Lab {
    /// A lab with these programs.
    pub fn new(programs: Programs) -> Self {
        Self { programs, measured: Arc::default() }
    }

    /// Makes an attack and judges it.
    pub async fn run(&mut self, attack: &Attack) -> Row {
        self.measured = Arc::default();
        let begun = Instant::now();
        // What an attack takes for granted, and does not find, is a panic: it has failed, and the others go on.
        let attacking = AssertUnwindSafe((attack.run)(self)).catch_unwind();
        let verdict = match tokio::time::timeout(LONGEST, attacking).await {
            Ok(verdict) => verdict.unwrap_or_else(|panic| Err(said(&*panic))),
            Err(_) => Err(format!("not over after {} s", LONGEST.as_secs())),
        };
        let wall = begun.elapsed();
        Row::new(*attack, verdict, &self.measured, wall)
    }
}
