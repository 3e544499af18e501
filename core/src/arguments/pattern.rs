//! Regular expressions, as far as all engines agree on them.
//!
//! A pattern is judged if it has nothing but literals, sets, groups, alternatives, quantifiers, anchors, and lookaheads at
//! its very beginning; and only for printable ASCII: engines differ in what `\d`, `.` and `$` mean beyond that. It is
//! matched by all its threads at once, in steps that are bounded by its length times that of the text.

use super::check::{Fit, Fuel};

/// Characters of ASCII, a bit each.
type Set = u128;

const PRINTABLE: Set = range(b' ', b'~');
const DIGITS: Set = range(b'0', b'9');
const WORD: Set = DIGITS | range(b'a', b'z') | range(b'A', b'Z') | range(b'_', b'_');
const SPACES: Set = range(b'\t', b'\r') | range(b' ', b' ');

/// The longest program of one pattern, in instructions.
const LONGEST: usize = 1_000;
/// Groups in groups.
const MAX_DEPTH: usize = 16;

#[derive(Debug)]
pub(super) struct Pattern {
    main: Program,
    /// Lookaheads from the beginning, and whether each must match.
    ahead: Vec<(bool, Program)>,
}

type Program = Vec<Instruction>;

#[derive(Clone, Copy, Debug)]
enum Instruction {
    One(Set),
    Start,
    End,
    Either(usize, usize),
    Found,
}

enum Expression {
    One(Set),
    Start,
    End,
    All(Vec<Self>),
    Any(Vec<Self>),
    Repeated(Box<Self>, usize, Option<usize>),
}

impl Pattern {
    /// `None` where it is not judged.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rest: text.as_bytes(), depth: 0 };
        let (mut ahead, mut all) = (Vec::new(), Vec::new());
        if ["^(?=", "^(?!"].iter().any(|start| text.starts_with(start)) {
            parser.rest = &parser.rest[1..];
            all.push(Expression::Start);
            while let [b'(', b'?', sign @ (b'=' | b'!'), rest @ ..] = parser.rest {
                parser.rest = rest;
                let inner = Expression::All(vec![Expression::Start, parser.alternatives()?]);
                ahead.push((*sign == b'=', program(&inner)?));
                parser.take(b')')?;
            }
            // In `^(?=a)b|c` the lookahead is part of the first alternative.
            all.push(parser.sequence()?);
        } else {
            all.push(parser.alternatives()?);
        }
        parser.rest.is_empty().then_some(())?;
        Some(Self { main: program(&Expression::All(all))?, ahead })
    }

    /// Its memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let programs = self.ahead.iter().map(|(_, program)| program).chain([&self.main]);
        programs.map(|program| program.len() * size_of::<Instruction>()).sum()
    }

    /// Whether it is found in a text.
    pub(super) fn matches(&self, text: &str, fuel: &mut Fuel) -> Fit {
        if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Fit::Unknown;
        }
        let mut fit = run(&self.main, text.as_bytes(), fuel);
        for (wanted, program) in &self.ahead {
            let found = run(program, text.as_bytes(), fuel);
            fit = fit.and(if *wanted { found } else { !found });
        }
        fit
    }
}

fn run(program: &[Instruction], text: &[u8], fuel: &mut Fuel) -> Fit {
    // At which position, counted from 1, an instruction was last reached.
    let mut reached = vec![0; program.len()];
    let (mut threads, mut open) = (Vec::new(), Vec::new());
    for at in 0..=text.len() {
        open.append(&mut threads);
        // It may begin anywhere.
        if at == 0 || !matches!(program[0], Instruction::Start) {
            open.push(0);
        }
        while let Some(place) = open.pop() {
            if !fuel.spend(1) {
                return Fit::Unknown;
            }
            if std::mem::replace(&mut reached[place], at + 1) == at + 1 {
                continue;
            }
            match program[place] {
                Instruction::Found => return Fit::Yes,
                Instruction::Either(one, other) => open.extend([one, other]),
                Instruction::Start if at == 0 => open.push(place + 1),
                Instruction::End if at == text.len() => open.push(place + 1),
                Instruction::One(set) if text.get(at).is_some_and(|byte| set >> byte & 1 == 1) => {
                    threads.push(place + 1);
                }
                _ => {}
            }
        }
    }
    Fit::No
}

fn program(expression: &Expression) -> Option<Program> {
    let mut program = Vec::new();
    write(expression, &mut program)?;
    program.push(Instruction::Found);
    Some(program)
}

fn write(expression: &Expression, program: &mut Program) -> Option<()> {
    match expression {
        Expression::One(set) => program.push(Instruction::One(*set)),
        Expression::Start => program.push(Instruction::Start),
        Expression::End => program.push(Instruction::End),
        Expression::All(parts) => parts.iter().try_for_each(|part| write(part, program))?,
        Expression::Any(parts) => {
            let mut ends = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let fork = program.len();
                program.push(Instruction::Either(fork + 1, fork + 1));
                write(part, program)?;
                ends.push(program.len());
                program.push(Instruction::Either(0, 0));
                if at + 1 < parts.len() {
                    program[fork] = Instruction::Either(fork + 1, program.len());
                }
            }
            let end = program.len();
            ends.into_iter().for_each(|jump| program[jump] = Instruction::Either(end, end));
        }
        Expression::Repeated(part, least, most) => {
            for _ in 0..*least {
                write(part, program)?;
            }
            for _ in 0..most.map_or(1, |most| most - least) {
                let fork = program.len();
                program.push(Instruction::Either(fork + 1, fork + 1));
                write(part, program)?;
                if most.is_none() {
                    program.push(Instruction::Either(fork, fork));
                }
                program[fork] = Instruction::Either(fork + 1, program.len());
            }
        }
    }
    (program.len() < LONGEST).then_some(())
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

    fn take(&mut self, wanted: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[wanted])?;
        Some(())
    }

    fn alternatives(&mut self) -> Option<Expression> {
        let mut parts = vec![self.sequence()?];
        while self.take(b'|').is_some() {
            parts.push(self.sequence()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn sequence(&mut self) -> Option<Expression> {
        let mut parts = Vec::new();
        while !matches!(self.rest.first(), None | Some(b'|' | b')')) {
            let part = self.atom()?;
            let bounds = self.quantifier()?;
            parts.push(match (part, bounds) {
                (part, None) => part,
                // Engines differ in whether these may be repeated.
                (Expression::Start | Expression::End, Some(_)) => return None,
                (part, Some((least, most))) => Expression::Repeated(Box::new(part), least, most),
            });
        }
        // What is repeated has instructions, so that a program's length bounds the work of writing it.
        (self.depth == 0 || !parts.is_empty()).then_some(Expression::All(parts))
    }

    fn atom(&mut self) -> Option<Expression> {
        Some(match self.next()? {
            b'^' => Expression::Start,
            b'$' => Expression::End,
            b'.' => Expression::One(PRINTABLE),
            b'\\' => Expression::One(self.escape()?.0),
            b'[' => Expression::One(self.set()?),
            b'(' => {
                if self.take(b'?').is_some() {
                    self.take(b':')?;
                }
                self.depth += 1;
                (self.depth < MAX_DEPTH).then_some(())?;
                let inner = self.alternatives()?;
                self.depth -= 1;
                self.take(b')')?;
                inner
            }
            b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return None,
            literal => Expression::One(range(literal, literal)),
        })
    }

    /// The set of an escape, and the character if it is of one.
    fn escape(&mut self) -> Option<(Set, Option<u8>)> {
        Some(match self.next()? {
            b'd' => (DIGITS, None),
            b'D' => (!DIGITS, None),
            b'w' => (WORD, None),
            b'W' => (!WORD, None),
            b's' => (SPACES, None),
            b'S' => (!SPACES, None),
            b't' => (range(b'\t', b'\t'), None),
            b'n' => (range(b'\n', b'\n'), None),
            b'r' => (range(b'\r', b'\r'), None),
            literal if literal.is_ascii_punctuation() => (range(literal, literal), Some(literal)),
            _ => return None,
        })
    }

    fn set(&mut self) -> Option<Set> {
        let excludes = self.take(b'^').is_some();
        let mut set = 0;
        loop {
            let (one, first) = match self.next()? {
                b']' if set == 0 => return None,
                b']' => return Some(if excludes { !set } else { set }),
                b'\\' => self.escape()?,
                // Elsewhere it is a range, or engines differ.
                b'-' if set != 0 && self.rest.first() != Some(&b']') => return None,
                b'[' => return None,
                literal => (range(literal, literal), Some(literal)),
            };
            set |= one;
            if let ([b'-', next, ..], true) = (self.rest, self.rest.get(1) != Some(&b']')) {
                let (from, to) = (first?, *next);
                self.rest = &self.rest[2..];
                let to = if to == b'\\' { self.escape()?.1? } else { to };
                (from <= to && to.is_ascii_graphic() && to != b'[').then_some(())?;
                set |= range(from, to);
            }
        }
    }

    /// `Some(None)` where there is none.
    #[allow(clippy::option_option, reason = "either may be missing: what is understood, and a quantifier")]
    fn quantifier(&mut self) -> Option<Option<(usize, Option<usize>)>> {
        let bounds = match self.rest.first() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                let end = self.rest.iter().position(|byte| *byte == b'}')?;
                let inner = std::str::from_utf8(&self.rest[1..end]).ok()?;
                inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b',').then_some(())?;
                self.rest = &self.rest[end..];
                match inner.split_once(',') {
                    None => (inner.parse().ok()?, Some(inner.parse().ok()?)),
                    Some((least, "")) => (least.parse().ok()?, None),
                    Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
                }
            }
            _ => return Some(None),
        };
        self.rest = &self.rest[1..];
        // A lazy one finds the same texts.
        let _lazy = self.take(b'?');
        let is_twice = matches!(self.rest.first(), Some(b'*' | b'+' | b'?' | b'{'));
        let is_ordered = bounds.1.is_none_or(|most| bounds.0 <= most && most > 0);
        (!is_twice && is_ordered).then_some(Some(bounds))
    }
}

const fn range(from: u8, to: u8) -> Set {
    (!0 >> (127 - to)) & (!0 << from)
}
