//! What a check has left to spend. Where that is used up, the validator is left by unwinding.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use serde_json::Value;

use super::limits::{CheckLimit, Unchecked};

/// What a schema makes accesses cost, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prices {
    /// A value, each time it is reached: what all keywords that meet it there may do without touching another one.
    pub(super) value: u64,
    /// 16 bytes of a string that is read.
    pub(super) text: u64,
    /// 16 bytes of a member's name.
    pub(super) name: u64,
    /// Memory for an error, in bytes, without the path to the value.
    pub(super) error: u64,
    /// Memory for the errors about one member's name.
    pub(super) name_errors: u64,
    /// Whether there are patterns that may stay undecided, which the validator reports by the instance as a whole.
    pub(super) undecidable: bool,
}

/// What one check has left to spend.
pub(super) struct Meter<'m> {
    pub(super) prices: Prices,
    steps: Cell<u64>,
    memory: Cell<u64>,
    /// Whether errors are made, and names kept in them.
    pub(super) makes_errors: bool,
    /// Steps that were left when `stop` was asked last.
    asked: Cell<u64>,
    stop: &'m dyn Fn() -> bool,
}

/// The number of steps between two calls of `stop`, about 50 microseconds.
const PATIENCE: u64 = 4_096;

/// What is thrown.
struct Spent(Unchecked);

impl<'m> Meter<'m> {
    pub(super) fn new(prices: Prices, steps: u64, memory: u64, stop: &'m dyn Fn() -> bool) -> Self {
        let (steps, asked, memory) = (Cell::new(steps), Cell::new(steps), Cell::new(memory));
        Self { prices, steps, memory, makes_errors: false, asked, stop }
    }

    /// The same for a run that makes errors.
    pub(super) fn with_errors(self) -> Self {
        Self { makes_errors: true, ..self }
    }

    /// Does work that pays as it goes. `Err` where it was left before it came to a result.
    pub(super) fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Unchecked> {
        // Nothing that the validator leaves half done outlives the call: it borrows the schema and the value, and
        // both are never written to.
        catch_unwind(AssertUnwindSafe(work)).map_err(|thrown| reason(&*thrown))
    }

    pub(super) fn pay(&self, steps: u64) {
        let Some(left) = self.steps.get().checked_sub(steps) else {
            // What was too dear for the rest is not bought, and nothing else is either.
            self.steps.set(0);
            throw(Unchecked::Limit(CheckLimit::Steps));
        };
        self.steps.set(left);
        if self.asked.get() - left >= PATIENCE {
            self.asked.set(left);
            if (self.stop)() {
                throw(Unchecked::Stopped);
            }
        }
    }

    pub(super) fn pay_memory(&self, bytes: u64) {
        match self.memory.get().checked_sub(bytes) {
            Some(left) => self.memory.set(left),
            None => throw(Unchecked::Limit(CheckLimit::Memory)),
        }
    }

    /// For memory that is given back before anything else is taken.
    pub(super) fn afford_memory(&self, bytes: u64) {
        if bytes > self.memory.get() {
            throw(Unchecked::Limit(CheckLimit::Memory));
        }
    }

    pub(super) fn pay_text(&self, length: usize) {
        self.pay(1 + (length as u64).saturating_mul(self.prices.text) / 16);
    }

    /// Pays for a look at all of a value, `times` over.
    pub(super) fn pay_whole(&self, value: &Value, times: u64) {
        self.pay(times);
        match value {
            Value::String(text) => self.pay(times * (text.len() as u64 / 16)),
            Value::Array(items) => items.iter().for_each(|item| self.pay_whole(item, times)),
            Value::Object(members) => members.iter().for_each(|(name, value)| {
                self.pay(times * (1 + name.len() as u64 / 16));
                self.pay_whole(value, times);
            }),
            _ => {}
        }
    }
}

fn throw(why: Unchecked) -> ! {
    resume_unwind(Box::new(Spent(why)))
}

fn reason(thrown: &(dyn Any + Send)) -> Unchecked {
    match thrown.downcast_ref::<Spent>() {
        Some(Spent(why)) => why.clone(),
        None => {
            tracing::error!("the validator of arguments panicked");
            Unchecked::Failed
        }
    }
}
