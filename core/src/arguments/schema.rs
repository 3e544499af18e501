//! A schema that is enforced within bounds, whoever wrote it and whatever it is applied to.

use jsonschema::{PatternOptions, ValidationError, ValidationOptions, Validator};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    cost::Cost,
    limits::{CheckLimit, CheckLimits, Size, Unchecked},
    meter::{Meter, Prices},
    metered::{Metered, MeteredNode},
    problem::{self, ArgumentProblem},
};

/// A compiled JSON Schema.
pub struct BoundedSchema {
    validator: Validator<Metered>,
    prices: Prices,
    chain: usize,
    limits: CheckLimits,
}

/// Why a schema is not enforced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unenforced {
    /// It nests too deep.
    #[error("the schema is too deep to read")]
    Unreadable,
    /// It takes too much time or memory to compile it, or to check against it.
    #[error("the schema is too expensive to enforce: {0}")]
    Expensive(String),
    /// It is no valid JSON Schema, or refers to something outside of itself.
    #[error("the schema does not compile: {0}")]
    Invalid(String),
}

/// At most this many problems are reported of one call.
const MOST_PROBLEMS: usize = 10;

/// Memory for the errors of which problems are made; a failing union has those of all its branches.
const ERRORS: u64 = 8_000_000;
/// An error of the validator, with its locations, without the text of the path and what it copies of the schema.
const ERROR: u64 = 1_024;
/// Steps to read 16 bytes of text as a date, an address ...
const FORMAT: u64 = 16;

/// The validator recurs this often, for the depth of a schema and that of a value: some 4 MB of stack, up to
/// four times as much without optimization.
const MOST_LEVELS: usize = 4_096;

/// The steps of a check that is made at once: some 100 microseconds.
const QUICK_STEPS: u64 = 10_000;
/// The levels of recursion of such a check, on whatever stack the caller has: some 100 kB.
const QUICK_LEVELS: usize = 100;

/// Stack that a thread needs on which schemas are compiled and arguments are checked.
pub const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The bound on the steps of a regular expression that looks around or back.
const BACKTRACKS: usize = 1_000;

/// The engines and sizes that regular expressions are compiled with, the cheapest first, and how many steps 16 bytes
/// of text may then take: the linear engine goes through all its states for each byte at worst. The bound on the
/// size is what tells how many states there are.
const ENGINES: [(Engine, usize, u64); 5] = [
    (Engine::Linear, 8 << 10, 256),
    (Engine::Backtracking, 8 << 10, 16_384),
    (Engine::Linear, 64 << 10, 4_096),
    (Engine::Backtracking, 64 << 10, 131_072),
    (Engine::Linear, 1 << 20, 65_536),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    Linear,
    Backtracking,
}

/// The memory that an expression may take for what it found out about a text.
const PATTERN_CACHE: usize = 128 << 10;

impl std::fmt::Debug for BoundedSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoundedSchema").field("prices", &self.prices).finish_non_exhaustive()
    }
}

impl BoundedSchema {
    /// Reads and compiles a schema's JSON text. Nothing is ever fetched: references to elsewhere do not compile.
    ///
    /// This recurs: see [`STACK_BYTES`].
    ///
    /// # Errors
    /// Why it is not enforced.
    pub fn compile(text: &str, limits: CheckLimits) -> Result<Self, Unenforced> {
        Self::of(&Self::read(text, &limits)?, limits)
    }

    pub(crate) fn read(text: &str, limits: &CheckLimits) -> Result<Value, Unenforced> {
        if text.len() > limits.schema_bytes {
            let why = format!("it is larger than limits.schema_bytes = {}", limits.schema_bytes);
            return Err(Unenforced::Expensive(why));
        }
        if Size::of(text).memory > limits.memory / 2 {
            let why = format!("reading it takes more than limits.check_memory = {} allows", limits.memory);
            return Err(Unenforced::Expensive(why));
        }
        serde_json::from_str(text).map_err(|_| Unenforced::Unreadable)
    }

    pub(super) fn of(schema: &Value, limits: CheckLimits) -> Result<Self, Unenforced> {
        let cost = Cost::of(schema).map_err(Unenforced::Expensive)?;
        let built = if cost.patterns == 0 {
            options().build(schema).map(|validator| (validator, Engine::Linear, 1))
        } else {
            with_patterns(schema)
        };
        let (validator, engine, pattern) =
            built.map_err(|error| Unenforced::Invalid(problem::head(&error, problem::LONGEST_EXPECTED)))?;
        let error = ERROR + cost.copied as u64;
        let prices = Prices {
            value: cost.value,
            text: if cost.formats { pattern.max(FORMAT) } else { pattern },
            name: if cost.names { pattern.saturating_mul(cost.patterns.max(1) as u64) } else { 1 },
            error,
            name_errors: if cost.names { error.saturating_mul(cost.value) } else { 0 },
            undecidable: engine == Engine::Backtracking,
        };
        Ok(Self { validator, prices, chain: cost.chain, limits })
    }

    /// What is wrong with a value; nothing where it fits. `stop` is asked every 50 microseconds or so whether to give up.
    ///
    /// # Errors
    /// It is not known whether it fits.
    pub fn check(&self, value: &Value, stop: &dyn Fn() -> bool) -> Result<Vec<ArgumentProblem>, Unchecked> {
        let size = Size::of(&value.to_string());
        size.check(&self.limits).map_err(Unchecked::Limit)?;
        self.problems(value, size.depth, stop)
    }

    /// Whether a value is known to fit after at most [`QUICK_STEPS`].
    pub(super) fn fits_quickly(&self, value: &Value, depth: usize) -> bool {
        self.allows(depth, QUICK_LEVELS) && self.fits(value, QUICK_STEPS, &|| false) == Ok(true)
    }

    fn fits(&self, value: &Value, steps: u64, stop: &dyn Fn() -> bool) -> Result<bool, Unchecked> {
        let memory = self.limits.memory as u64 / 2;
        let meter = self.meter(steps, memory, stop);
        meter.run(|| self.validator.is_valid(MeteredNode::root(value, &meter)))
    }

    /// What is wrong with a value that nests `depth` deep; nothing where it fits.
    ///
    /// Errors are only made where there are some, and no more than [`ERRORS`] has room for: else the first one, or that
    /// it does not fit.
    ///
    /// # Errors
    /// It is not known whether it fits.
    pub(super) fn problems(
        &self,
        value: &Value,
        depth: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<ArgumentProblem>, Unchecked> {
        if !self.allows(depth, MOST_LEVELS) {
            return Err(Unchecked::Limit(CheckLimit::Depth));
        }
        let steps = self.limits.steps as u64;
        if self.fits(value, steps, stop)? {
            return Ok(Vec::new());
        }
        let meter = self.meter(steps, ERRORS, stop).with_errors();
        let all = meter.run(|| listed(self.validator.iter_errors(MeteredNode::root(value, &meter)), value));
        if let Some(problems) = found(all)? {
            return Ok(problems);
        }
        let meter = self.meter(steps, ERRORS, stop).with_errors();
        let first =
            meter.run(|| listed(self.validator.validate(MeteredNode::root(value, &meter)).err(), value));
        if let Some(problems) = found(first)? {
            return Ok(problems);
        }
        if self.prices.undecidable { Err(Unchecked::Pattern) } else { Ok(vec![problem::general(value)]) }
    }

    /// Whether the validator may recur on a value of this depth, on a stack for this many levels.
    fn allows(&self, depth: usize, levels: usize) -> bool {
        (depth + 1).saturating_mul(self.chain + 1) <= levels
    }

    fn meter<'m>(&self, steps: u64, memory: u64, stop: &'m dyn Fn() -> bool) -> Meter<'m> {
        Meter::new(self.prices, steps, memory, stop)
    }
}

fn listed<'e>(
    errors: impl IntoIterator<Item = ValidationError<'e>>,
    value: &Value,
) -> Result<Vec<ArgumentProblem>, Unchecked> {
    errors.into_iter().take(MOST_PROBLEMS).map(|error| problem::of(&error, value)).collect()
}

/// The problems, where the validator came to the end of them.
fn found(
    ran: Result<Result<Vec<ArgumentProblem>, Unchecked>, Unchecked>,
) -> Result<Option<Vec<ArgumentProblem>>, Unchecked> {
    match ran {
        // A pattern that was not decided is no misfit.
        Ok(listed) => Ok(Some(listed?).filter(|problems| !problems.is_empty())),
        Err(Unchecked::Stopped) => Err(Unchecked::Stopped),
        Err(_) => Ok(None),
    }
}

fn options() -> ValidationOptions<'static, std::sync::Arc<dyn jsonschema::Retrieve>, Metered> {
    // Text that is JSON is looked through, not built; and no expression out of the arguments is compiled.
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    jsonschema::options_for::<Metered>()
        .offline()
        .with_content_media_type("application/json", is_json)
        .with_format("regex", |_: &str| true)
}

fn with_patterns(schema: &Value) -> Result<(Validator<Metered>, Engine, u64), ValidationError<'static>> {
    let build = |&(engine, size, steps): &(Engine, usize, u64)| {
        let options = match engine {
            Engine::Linear => options()
                .with_pattern_options(PatternOptions::regex().size_limit(size).dfa_size_limit(PATTERN_CACHE)),
            Engine::Backtracking => options().with_pattern_options(
                PatternOptions::fancy_regex()
                    .size_limit(size)
                    .dfa_size_limit(PATTERN_CACHE)
                    .backtrack_limit(BACKTRACKS),
            ),
        };
        options.build(schema).map(|validator| (validator, engine, steps))
    };
    let [cheapest, others @ ..] = &ENGINES;
    others.iter().fold(build(cheapest), |built, engine| built.or_else(|_| build(engine)))
}
