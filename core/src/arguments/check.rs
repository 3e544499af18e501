//! The check of a value, in steps that are counted.
//!
//! What is not judged stays unknown through all that combines it (Kleene's logic): `not` of it is unknown, an alternative
//! beside one that fits does not matter, and where the steps are used up everything further is unknown. So whatever is
//! found out holds for every way in which the rest could have been judged.

use std::{cmp::Ordering, fmt::Display, ops::Not};

use serde_json::{Map, Value};

use super::{
    numbers,
    problem::{self, MOST_PROBLEMS, Problem},
    schema::{Bound, Counted, Keyword, Node, Schema},
};
use crate::nearest::misspelt;

/// Whether something fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    Yes,
    No,
    Unknown,
}

impl Fit {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        !(!self).and(!other)
    }
}

impl Not for Fit {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

/// The steps that are left. A step is about one keyword on one value, or 64 bytes of text.
#[derive(Debug)]
pub(super) struct Fuel(pub(super) usize);

impl Fuel {
    /// Whether there are so many; otherwise none are left.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or_default();
        left.is_some()
    }

    fn read(&mut self, text: &str) -> bool {
        self.spend(1 + text.len() / 64)
    }
}

/// Steps of one check, and as many to say what is wrong: 1 to 2 ms each.
const STEPS: usize = 60_000;
/// Subschemas in subschemas that are applied, references included.
const MAX_DEPTH: usize = 128;
/// A problem's price: its path and the given value are written.
const PROBLEM: usize = 100;
/// Names up to this length, in bytes, are compared with a misspelt one, and so many of them.
const LONGEST_NAME: usize = 100;
const MOST_NAMES: usize = 256;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fits.
    Fits,
    /// It does not, for these reasons among others.
    DoesNotFit(Vec<super::ArgumentProblem>),
    /// It may fit or not: the schema has what is not judged, or judging it takes too long.
    NotJudged,
}

impl Schema {
    /// Checks a value.
    pub fn check(&self, value: &Value) -> Verdict {
        let mut check = Check { schema: self, fuel: Fuel(STEPS), depth: 0, path: Vec::new(), problems: None };
        match check.node(0, value) {
            Fit::Yes => Verdict::Fits,
            Fit::Unknown => Verdict::NotJudged,
            Fit::No => {
                (check.fuel, check.problems) = (Fuel(STEPS), Some(Vec::new()));
                check.node(0, value);
                let problems = check.problems.unwrap_or_default();
                Verdict::DoesNotFit(problem::listed(problems, value))
            }
        }
    }
}

struct Check<'s> {
    schema: &'s Schema,
    fuel: Fuel,
    depth: usize,
    /// Where the value is, while problems are collected.
    path: Vec<String>,
    problems: Option<Vec<Problem>>,
}

impl<'s> Check<'s> {
    fn node(&mut self, node: Node, value: &Value) -> Fit {
        if self.depth == MAX_DEPTH || !self.fuel.spend(1) {
            return Fit::Unknown;
        }
        self.depth += 1;
        let keywords = &self.schema.nodes[node];
        let mut fit = Fit::Yes;
        for keyword in keywords {
            fit = fit.and(self.keyword(keyword, keywords, value));
            // All problems are collected, and there is nothing else to find out.
            if fit == Fit::No && self.problems.is_none() {
                break;
            }
        }
        self.depth -= 1;
        fit
    }

    /// The same without a word of problems.
    fn quietly(&mut self, node: Node, value: &Value) -> Fit {
        let problems = self.problems.take();
        let fit = self.node(node, value);
        self.problems = problems;
        fit
    }

    fn within(&mut self, name: impl Display, node: Node, value: &Value) -> Fit {
        if self.problems.is_none() {
            return self.node(node, value);
        }
        self.path.push(problem::head(&name, problem::LONGEST_VALUE));
        let fit = self.node(node, value);
        self.path.pop();
        fit
    }

    fn report(&mut self, problem: impl FnOnce(&[String]) -> Problem) {
        if let Some(problems) = &mut self.problems
            && problems.len() < MOST_PROBLEMS
            && self.fuel.spend(PROBLEM)
        {
            problems.push(problem(&self.path));
        }
    }

    fn keyword(&mut self, keyword: &'s Keyword, beside: &'s [Keyword], value: &Value) -> Fit {
        if !self.fuel.spend(1) {
            return Fit::Unknown;
        }
        match (keyword, value) {
            (Keyword::All(nodes), _) => self.all(nodes, |check, node| check.node(*node, value)),
            (Keyword::Any(nodes) | Keyword::One(nodes), _) => self.union(keyword, nodes, value),
            (Keyword::If { condition, then, otherwise }, _) => {
                let part = |check: &mut Self, part: &Option<Node>| {
                    part.map_or(Fit::Yes, |node| check.node(node, value))
                };
                match self.quietly(*condition, value) {
                    Fit::Yes => part(self, then),
                    Fit::No => part(self, otherwise),
                    Fit::Unknown => {
                        let problems = self.problems.take();
                        let (then, otherwise) = (part(self, then), part(self, otherwise));
                        self.problems = problems;
                        if then == otherwise { then } else { Fit::Unknown }
                    }
                }
            }
            (Keyword::Items { first, rest }, Value::Array(items)) => {
                let nodes = first.iter().copied().chain(rest.iter().copied().cycle());
                self.all(items.iter().enumerate().zip(nodes), |check, ((at, item), node)| {
                    check.within(at, node, item)
                })
            }
            (Keyword::Members { .. }, Value::Object(members)) => {
                self.all(members.keys(), |check, name| check.member(keyword, name, members))
            }
            (Keyword::Required(names), Value::Object(members)) => {
                self.all(names, |check, name| check.required(name, beside, members))
            }
            (Keyword::Dependent(list), Value::Object(members)) => {
                self.all(list, |check, (name, node)| match members.contains_key(name) {
                    _ if !check.fuel.read(name) => Fit::Unknown,
                    true => check.node(*node, value),
                    false => Fit::Yes,
                })
            }
            (Keyword::DependentNames(list), Value::Object(members)) => {
                self.all(list, |check, (name, names)| match members.contains_key(name) {
                    _ if !check.fuel.read(name) => Fit::Unknown,
                    true => check.all(names, |check, name| check.required(name, beside, members)),
                    false => Fit::Yes,
                })
            }
            _ => {
                let fit = self.leaf(keyword, value);
                if fit == Fit::No {
                    self.report(|path| Problem::of(path, keyword, value));
                }
                fit
            }
        }
    }

    /// Whether all of these fit.
    fn all<T>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Fit,
    ) -> Fit {
        let mut fit = Fit::Yes;
        for part in parts {
            fit = fit.and(each(self, part));
            let is_full = self.problems.as_ref().is_none_or(|problems| problems.len() >= MOST_PROBLEMS);
            if fit == Fit::No && is_full || self.fuel.0 == 0 {
                return fit.and(Fit::Unknown);
            }
        }
        fit
    }

    fn member(&mut self, keyword: &'s Keyword, name: &str, members: &Map<String, Value>) -> Fit {
        let (Keyword::Members { named, patterns, rest }, Some(value)) = (keyword, members.get(name)) else {
            return Fit::Yes;
        };
        if !self.fuel.read(name) {
            return Fit::Unknown;
        }
        let own = named.get(name);
        let mut fit = own.map_or(Fit::Yes, |node| self.within(name, *node, value));
        let mut is_other = Fit::from(own.is_none());
        for (pattern, node) in patterns {
            let matches = pattern.as_ref().map_or(Fit::Unknown, |one| one.matches(name, &mut self.fuel));
            is_other = is_other.and(!matches);
            fit = fit.and(self.where_it_is(matches, name, *node, value));
        }
        let Some(rest) = *rest else { return fit };
        if is_other == Fit::Yes && matches!(*self.schema.nodes[rest], [Keyword::Never]) {
            let meant = self.meant(name, named.keys().filter(|known| !members.contains_key(*known)));
            self.report(|path| Problem::unexpected(path, name, meant));
            return Fit::No;
        }
        fit.and(self.where_it_is(is_other, name, rest, value))
    }

    /// Whether a member fits a subschema that applies to it where `applies` is so.
    fn where_it_is(&mut self, applies: Fit, name: &str, node: Node, value: &Value) -> Fit {
        match applies {
            Fit::Yes => self.within(name, node, value),
            Fit::No => Fit::Yes,
            Fit::Unknown => self.quietly(node, value).or(Fit::Unknown),
        }
    }

    fn required(&mut self, name: &str, beside: &'s [Keyword], members: &Map<String, Value>) -> Fit {
        if !self.fuel.read(name) {
            return Fit::Unknown;
        }
        if members.contains_key(name) {
            return Fit::Yes;
        }
        let known = beside.iter().find_map(|keyword| match keyword {
            Keyword::Members { named, .. } => Some(named),
            _ => None,
        });
        let unknown = members.keys().filter(|given| known.is_some_and(|known| !known.contains_key(*given)));
        let given = self.meant(name, unknown);
        self.report(|path| Problem::missing(path, name, given));
        Fit::No
    }

    /// The name among these that is probably the same.
    fn meant<'n>(&mut self, name: &str, others: impl Iterator<Item = &'n String>) -> Option<&'n str> {
        if self.problems.is_none() || name.len() > LONGEST_NAME {
            return None;
        }
        let others = others.map(String::as_str).filter(|other| other.len() <= LONGEST_NAME).take(MOST_NAMES);
        misspelt(name, others.take_while(|other| self.fuel.spend(1 + name.len() * other.len() / 64)))
    }

    fn union(&mut self, keyword: &Keyword, nodes: &[Node], value: &Value) -> Fit {
        let most = if matches!(keyword, Keyword::One(_)) { 1 } else { u64::MAX };
        let enough = if most == 1 { 2 } else { 1 };
        match self.fitting(nodes.iter().map(|node| (*node, value)), enough) {
            (0, 0) => {
                self.report_union(nodes, value);
                Fit::No
            }
            (fits, _) if fits > most => {
                self.report(|path| Problem::of(path, keyword, value));
                Fit::No
            }
            (1.., may_fit) if may_fit <= most => Fit::Yes,
            _ => Fit::Unknown,
        }
    }

    /// How many of these fit, up to so many, and how many may fit.
    fn fitting<'v>(&mut self, parts: impl Iterator<Item = (Node, &'v Value)>, enough: u64) -> (u64, u64) {
        let (mut fits, mut may_fit) = (0, 0);
        for (node, value) in parts {
            let fit = self.quietly(node, value);
            fits += u64::from(fit == Fit::Yes);
            may_fit += u64::from(fit != Fit::No);
            if self.fuel.0 == 0 {
                return (fits, u64::MAX);
            }
            if fits == enough {
                break;
            }
        }
        (fits, may_fit)
    }

    /// What is wrong with the value as the alternative that it is nearest to.
    fn report_union(&mut self, nodes: &[Node], value: &Value) {
        let Some(mut problems) = self.problems.take() else { return };
        let mut branches = Vec::new();
        for node in nodes {
            self.problems = Some(Vec::new());
            self.node(*node, value);
            branches.push(self.problems.take().unwrap_or_default());
        }
        problems.extend(problem::nearest(branches, &self.path, value));
        self.problems = Some(problems);
    }

    fn leaf(&mut self, keyword: &Keyword, value: &Value) -> Fit {
        match (keyword, value) {
            (Keyword::Never, _) => Fit::No,
            (Keyword::NotJudged, _) => Fit::Unknown,
            (Keyword::Type(kinds), _) => kinds.iter().fold(Fit::No, |fit, kind| fit.or(is_of(kind, value))),
            (Keyword::Enum(Value::Array(values)), _) => {
                !self.all(values, |check, other| !check.equal(value, other))
            }
            (Keyword::Const(other), _) => self.equal(value, other),
            (Keyword::Bound(bound, limit), Value::Number(number)) => match numbers::compare(number, limit) {
                None => Fit::Unknown,
                Some(order) => match bound {
                    Bound::Least => order != Ordering::Less,
                    Bound::Above => order == Ordering::Greater,
                    Bound::Most => order != Ordering::Greater,
                    Bound::Below => order == Ordering::Less,
                }
                .into(),
            },
            (Keyword::MultipleOf(of), Value::Number(number)) => numbers::is_multiple(number, of),
            (Keyword::Least(counted, least), _) => self.count(*counted, value, |count| count >= *least),
            (Keyword::Most(counted, most), _) => self.count(*counted, value, |count| count <= *most),
            (Keyword::Pattern(_, pattern), Value::String(text)) => pattern.matches(text, &mut self.fuel),
            (Keyword::Unique, Value::Array(items)) => self
                .all(items.iter().enumerate(), |check, (at, item)| {
                    check.all(&items[..at], |check, other| !check.equal(item, other))
                }),
            (Keyword::Contains { node, least, most }, Value::Array(items)) => {
                let (fits, may_fit) = self.fitting(items.iter().map(|item| (*node, item)), u64::MAX);
                if may_fit < *least || fits > *most {
                    Fit::No
                } else if fits >= *least && may_fit <= *most {
                    Fit::Yes
                } else {
                    Fit::Unknown
                }
            }
            (Keyword::Names(node), Value::Object(members)) => self.all(members.keys(), |check, name| {
                if !check.fuel.read(name) {
                    return Fit::Unknown;
                }
                check.quietly(*node, &Value::from(name.as_str()))
            }),
            (Keyword::Not(node, _), _) => !self.quietly(*node, value),
            _ => Fit::Yes,
        }
    }

    fn count(&mut self, counted: Counted, value: &Value, is_allowed: impl Fn(u64) -> bool) -> Fit {
        let count = match (counted, value) {
            (Counted::Characters, Value::String(text)) if self.fuel.read(text) => text.chars().count(),
            (Counted::Characters, Value::String(_)) => return Fit::Unknown,
            (Counted::Items, Value::Array(items)) => items.len(),
            (Counted::Members, Value::Object(members)) => members.len(),
            _ => return Fit::Yes,
        };
        is_allowed(count as u64).into()
    }

    fn equal(&mut self, one: &Value, other: &Value) -> Fit {
        if !self.fuel.spend(1) {
            return Fit::Unknown;
        }
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => {
                numbers::compare(one, other).map_or(Fit::Unknown, |order| order.is_eq().into())
            }
            (Value::String(one), Value::String(other)) => match one.len() == other.len() {
                true if !self.fuel.read(one) => Fit::Unknown,
                is_as_long => (is_as_long && one == other).into(),
            },
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                self.all(one.iter().zip(other), |check, (one, other)| check.equal(one, other))
            }
            (Value::Object(one), Value::Object(other)) if one.len() == other.len() => {
                self.all(one, |check, (name, one)| match other.get(name) {
                    Some(other) if check.fuel.read(name) => check.equal(one, other),
                    Some(_) => Fit::Unknown,
                    None => Fit::No,
                })
            }
            _ => (one == other).into(),
        }
    }
}

fn is_of(kind: &str, value: &Value) -> Fit {
    match (kind, value) {
        ("integer", Value::Number(number)) => numbers::is_integer(number),
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => Fit::Yes,
        _ => Fit::No,
    }
}
