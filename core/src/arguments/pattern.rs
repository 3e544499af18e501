//! Regular expressions, as far as all engines agree on them.
//!
//! A pattern is judged if it has nothing but literals, sets, groups, alternatives, quantifiers, anchors and lookaheads; and
//! only for printable ASCII: engines differ in what `\d`, `.` and `$` mean beyond that. It is matched from all positions at
//! once, so nothing is tried twice.

use std::collections::BTreeSet;

use super::check::{Fit, Steps};

/// Characters of ASCII, a bit each.
type Set = u128;
/// Positions in a text.
type Positions = BTreeSet<usize>;

const DIGITS: Set = range(b'0', b'9');
const WORD: Set = DIGITS | range(b'a', b'z') | range(b'A', b'Z') | range(b'_', b'_');

/// Groups in groups.
const MAX_DEPTH: usize = 16;

#[derive(Debug)]
pub(super) enum Pattern {
    One(Set),
    Start,
    End,
    All(Vec<Self>),
    Any(Vec<Self>),
    Repeated(Box<Self>, usize, usize),
    /// A lookahead, and whether it must match.
    Ahead(bool, Box<Self>),
}

impl Pattern {
    /// `None` where it is not judged.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rest: text.as_bytes(), depth: 0 };
        let pattern = parser.alternatives()?;
        parser.rest.is_empty().then_some(pattern)
    }

    /// Whether it is found in a text.
    pub(super) fn matches(&self, text: &str, steps: &mut Steps) -> Fit {
        steps.spend(text.len())?;
        text.bytes().all(|byte| matches!(byte, b' '..=b'~')).then_some(())?;
        Some(!self.ends((0..=text.len()).collect(), text.as_bytes(), steps)?.is_empty())
    }

    /// Where matches end that begin at one of these positions. `None` where that costs too much.
    fn ends(&self, mut from: Positions, text: &[u8], steps: &mut Steps) -> Option<Positions> {
        steps.spend(4 + 2 * from.len())?;
        Some(match self {
            Self::One(set) => {
                let fits = |at: &usize| text.get(*at).is_some_and(|byte| set >> byte & 1 == 1);
                from.into_iter().filter(fits).map(|at| at + 1).collect()
            }
            Self::Start => from.into_iter().filter(|at| *at == 0).collect(),
            Self::End => from.into_iter().filter(|at| *at == text.len()).collect(),
            Self::All(parts) => parts.iter().try_fold(from, |from, part| part.ends(from, text, steps))?,
            Self::Any(parts) => {
                let each: Option<Vec<_>> =
                    parts.iter().map(|part| part.ends(from.clone(), text, steps)).collect();
                each?.into_iter().flatten().collect()
            }
            Self::Repeated(part, least, most) => {
                let mut ends = Positions::new();
                for times in 0.. {
                    if times >= *least {
                        from.retain(|at| ends.insert(*at));
                    }
                    if times == *most || from.is_empty() {
                        break;
                    }
                    from = part.ends(from, text, steps)?;
                }
                ends
            }
            Self::Ahead(wanted, part) => {
                let mut kept = Positions::new();
                for at in from {
                    if part.ends([at].into(), text, steps)?.is_empty() != *wanted {
                        kept.insert(at);
                    }
                }
                kept
            }
        })
    }
}

struct Parser<'p> {
    rest: &'p [u8],
    depth: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        matches!(first, b' '..=b'~').then_some(*first)
    }

    fn take(&mut self, wanted: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(wanted)?;
        Some(())
    }

    fn alternatives(&mut self) -> Option<Pattern> {
        let mut parts = vec![self.sequence()?];
        while self.take(b"|").is_some() {
            parts.push(self.sequence()?);
        }
        Some(Pattern::Any(parts))
    }

    fn sequence(&mut self) -> Option<Pattern> {
        let mut parts = Vec::new();
        while !matches!(self.rest.first(), None | Some(b'|' | b')')) {
            let part = self.atom()?;
            parts.push(match (part, self.quantifier()?) {
                (part, (1, 1)) => part,
                // Engines differ in whether these may be repeated.
                (Pattern::Start | Pattern::End | Pattern::Ahead(..), _) => return None,
                (part, (least, most)) => Pattern::Repeated(Box::new(part), least, most),
            });
        }
        Some(Pattern::All(parts))
    }

    fn atom(&mut self) -> Option<Pattern> {
        Some(match self.next()? {
            b'^' => Pattern::Start,
            b'$' => Pattern::End,
            b'.' => Pattern::One(!0),
            b'\\' => Pattern::One(self.escape()?.0),
            b'[' => Pattern::One(self.set()?),
            b'(' => {
                let is_ahead = self.take(b"?=").is_some();
                let is_not_ahead = !is_ahead && self.take(b"?!").is_some();
                if !is_ahead && !is_not_ahead && self.rest.first() == Some(&b'?') {
                    self.take(b"?:")?;
                }
                self.depth += 1;
                (self.depth < MAX_DEPTH).then_some(())?;
                let inner = self.alternatives()?;
                self.depth -= 1;
                self.take(b")")?;
                if is_ahead || is_not_ahead { Pattern::Ahead(is_ahead, Box::new(inner)) } else { inner }
            }
            b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return None,
            literal => Pattern::One(range(literal, literal)),
        })
    }

    /// The set of an escape, and the character if it is of one.
    fn escape(&mut self) -> Option<(Set, Option<u8>)> {
        let escaped = self.next()?;
        let set = match escaped.to_ascii_lowercase() {
            b'd' => DIGITS,
            b'w' => WORD,
            // The only one that is printable.
            b's' => range(b' ', b' '),
            punctuation if punctuation.is_ascii_punctuation() => {
                return Some((range(punctuation, punctuation), Some(punctuation)));
            }
            _ => return None,
        };
        Some((if escaped.is_ascii_uppercase() { !set } else { set }, None))
    }

    fn set(&mut self) -> Option<Set> {
        let excludes = self.take(b"^").is_some();
        let mut set = 0;
        loop {
            let (one, first) = match self.next()? {
                b']' if set != 0 => return Some(if excludes { !set } else { set }),
                b'\\' => self.escape()?,
                // Elsewhere it is a range, or engines differ.
                b'-' if set != 0 && self.rest.first() != Some(&b']') => return None,
                b']' | b'[' => return None,
                literal => (range(literal, literal), Some(literal)),
            };
            set |= one;
            if let [b'-', to, ..] = *self.rest
                && to != b']'
            {
                self.rest = &self.rest[2..];
                let (from, to) = (first?, if to == b'\\' { self.escape()?.1? } else { to });
                (from <= to && to.is_ascii_graphic() && to != b'[').then_some(())?;
                set |= range(from, to);
            }
        }
    }

    /// How often something may stand, at least and at most.
    fn quantifier(&mut self) -> Option<(usize, usize)> {
        let (bounds, length) = match self.rest {
            [b'*', ..] => ((0, usize::MAX), 1),
            [b'+', ..] => ((1, usize::MAX), 1),
            [b'?', ..] => ((0, 1), 1),
            [b'{', rest @ ..] => {
                let end = rest.iter().position(|byte| *byte == b'}')?;
                let inner = std::str::from_utf8(&rest[..end]).ok()?;
                let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
                let most = if most.is_empty() { usize::MAX } else { most.parse().ok()? };
                inner.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b',')).then_some(())?;
                ((least.parse().ok()?, most), end + 2)
            }
            _ => return Some((1, 1)),
        };
        self.rest = &self.rest[length..];
        // A lazy one finds the same texts.
        let _lazy = self.take(b"?");
        let is_twice = matches!(self.rest, [b'*' | b'+' | b'?' | b'{', ..]);
        (!is_twice && bounds.0 <= bounds.1).then_some(bounds)
    }
}

const fn range(from: u8, to: u8) -> Set {
    (!0 >> (127 - to)) & (!0 << from)
}
