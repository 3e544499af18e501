//! The recommendation: one strategy, the reason in a sentence, and the command.

use serde::Serialize;

use crate::{
    Row,
    comparison::BASELINE,
    report::Compared,
    text::{grouped, of, percent},
};

/// Savings below this share of a conversation do not pay for additional steps: each is one more answer of the model to
/// wait for, and one more chance to go wrong.
const WORTHWHILE: f64 = 0.2;

/// Lists of at most this many tokens are small beside anything else in a model's context.
const SMALL: u64 = 1_000;

/// Strategies whose cost differs by no more than this share are equal; the one with fewer round trips is better.
const ALIKE: f64 = 0.1;

/// Which strategy to serve a source with, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommendation {
    /// The row.
    pub strategy: String,
    /// The reason: one sentence, without the name.
    pub reason: String,
    /// The command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// What serves clients that request nothing.
#[derive(Clone, Debug)]
pub struct Served {
    /// The name of its row.
    pub row: String,
    /// Why it is that one.
    pub because: String,
    /// The command line.
    pub command: Option<String>,
}

impl Recommendation {
    /// The recommendation for an ordinary host, whose conversations cost what the rows say: what such a host gets anyway, if
    /// that is compared and its calls succeeded. Else, among those that `serve` offers, that show all tools and whose calls
    /// succeeded, the cheapest over a conversation.
    pub(crate) fn of(rows: &[Row], strategies: &[Compared], turns: u64, served: Option<&Served>) -> Self {
        if let Some(recommended) = served.and_then(|served| Self::by_default(served, strategies, turns)) {
            return recommended;
        }
        let row = |name: &str| rows.iter().find(|row| row.name == name);
        let is_candidate = |strategy: &&Compared| {
            strategy.name != BASELINE
                && strategy.not_offered.is_none()
                && !strategy.has_failed()
                && row(&strategy.name).is_some_and(|row| row.choices.is_empty() && row.command.is_some())
        };
        let candidates: Vec<&Compared> = strategies.iter().filter(is_candidate).collect();
        let full = strategies.iter().find(|strategy| strategy.name == BASELINE);
        let (strategy, reason) = match full {
            Some(full) => judged(&candidates, full, turns),
            None => (BASELINE, "what it costs is not known".to_owned()),
        };
        let command = row(strategy).and_then(|row| row.command.clone());
        Self { strategy: strategy.to_owned(), reason, command }
    }

    fn by_default(served: &Served, strategies: &[Compared], turns: u64) -> Option<Self> {
        let full = strategies.iter().find(|strategy| strategy.name == BASELINE)?;
        let own = strategies.iter().find(|strategy| strategy.name == served.row)?;
        let is_usable = own.not_offered.is_none() && !own.has_failed();
        let saving = match own.conversation_saving {
            Some(saving) if saving > 0.0 => format!("; it {}", saves(own, full, turns)),
            _ => String::new(),
        };
        let reason = format!("clients get it without --strategy, since {}{saving}", served.because);
        let Served { row, command, .. } = served.clone();
        is_usable.then_some(Self { strategy: row, reason, command })
    }

    /// As one sentence.
    pub fn sentence(&self) -> String {
        format!("Use {}: {}.", self.strategy, self.reason)
    }
}

/// The strategy to use, and why.
fn judged<'a>(candidates: &[&'a Compared], full: &Compared, turns: u64) -> (&'a str, String) {
    if full.initial_tokens <= SMALL {
        let list = grouped(full.initial_tokens);
        return (BASELINE, format!("the list is small, {list} tokens, and needs no step of learning"));
    }
    let additional = |strategy: &Compared| strategy.round_trips.saturating_sub(full.round_trips);
    let saving = |strategy: &Compared| strategy.conversation_saving.unwrap_or(0.0);
    let is_worthwhile = |strategy: &&&Compared| {
        saving(strategy) >= if additional(strategy) == 0 { ALIKE } else { WORTHWHILE }
    };
    if let Some(best) = best(candidates.iter().filter(is_worthwhile)) {
        return (&best.name, format!("it {}", saves(best, full, turns)));
    }
    let most = candidates.iter().max_by(|one, other| saving(one).total_cmp(&saving(other)));
    let reason = match most {
        None => "no other row can be served as it is, shows all tools and has calls that succeed".to_owned(),
        Some(most) if most.conversation_saving.is_none() => "what the others cost is not known".to_owned(),
        Some(most) if saving(most) <= 0.0 => "no other strategy costs less over a conversation".to_owned(),
        Some(most) => format!(
            "the most that another strategy saves is {} ({}), too little for {}",
            percent(saving(most)),
            most.name,
            match additional(most) {
                0 => "what models can do wrong with it".to_owned(),
                more => trips(more),
            }
        ),
    };
    (BASELINE, reason)
}

/// What a strategy saves, and for what.
fn saves(best: &Compared, full: &Compared, turns: u64) -> String {
    format!(
        "saves {} of the tokens of a conversation of {} ({} instead of {}) for {}",
        percent(best.conversation_saving.unwrap_or(0.0)),
        of(usize::try_from(turns).unwrap_or(usize::MAX), "turn"),
        grouped(best.conversation_tokens.unwrap_or(0)),
        grouped(full.conversation_tokens.unwrap_or(0)),
        trips(best.round_trips.saturating_sub(full.round_trips)),
    )
}

/// The cheapest over a conversation; of those that cost about the same, the one with the fewest round trips.
fn best<'a, 'c: 'a>(candidates: impl Iterator<Item = &'a &'c Compared>) -> Option<&'c Compared> {
    let known: Vec<(&Compared, u64)> =
        candidates.filter_map(|strategy| Some((*strategy, strategy.conversation_tokens?))).collect();
    let least = known.iter().map(|(_, tokens)| *tokens).min()?;
    let most = least as f64 * (1.0 + ALIKE);
    let alike = known.into_iter().filter(|(_, tokens)| *tokens as f64 <= most);
    alike.min_by_key(|(strategy, tokens)| (strategy.round_trips, *tokens)).map(|(strategy, _)| strategy)
}

fn trips(additional: u64) -> String {
    match additional {
        0 => "no additional round trip".to_owned(),
        more => of(usize::try_from(more).unwrap_or(usize::MAX), "additional round trip"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Negotiating;

    /// A strategy with this start, this cost of a conversation of ten turns, and this many round trips.
    fn compared(name: &str, initial: u64, conversation: u64, trips: u64) -> Compared {
        let negotiating = Negotiating {
            initial_tokens: 0,
            discovery_tokens: None,
            total_tokens: None,
            conversation_tokens: None,
            round_trips: 0,
        };
        Compared {
            name: name.to_owned(),
            initial_tokens: initial,
            discovery_tokens: Some(0),
            total_tokens: Some(initial),
            initial_saving: 0.0,
            total_saving: Some(0.0),
            round_trips: trips,
            wire_bytes: 0,
            break_even_tools: None,
            conversation_tokens: Some(conversation),
            conversation_saving: Some(1.0 - conversation as f64 / 40_000.0),
            steps: Some(2),
            negotiating,
            not_offered: None,
            also: Vec::new(),
            detail: None,
        }
    }

    fn of(strategies: &[Compared], change: impl Fn(&mut Row)) -> Recommendation {
        let row = |strategy: &Compared| {
            let mut row = Row::of(&strategy.name);
            row.command = Some(format!("serve {}", row.name));
            change(&mut row);
            row
        };
        let rows: Vec<Row> = strategies.iter().map(row).collect();
        Recommendation::of(&rows, strategies, 10, None)
    }

    #[test]
    fn q3_what_clients_get_anyway_comes_first() {
        let mut all = [
            compared("full", 4_000, 40_000, 4),
            compared("search", 400, 10_000, 5),
            compared("cheaper", 300, 9_000, 5),
        ];
        let of = |all: &[Compared], row: &str| {
            let served = Served {
                row: row.to_owned(),
                because: "it fits".to_owned(),
                command: Some("serve".to_owned()),
            };
            Recommendation::of(&[], all, 10, Some(&served))
        };
        let recommended = of(&all, "search");
        assert_eq!((&*recommended.strategy, recommended.command.as_deref()), ("search", Some("serve")));
        assert_eq!(
            recommended.sentence(),
            "Use search: clients get it without --strategy, since it fits; it saves 75.0 % of the tokens of a \
             conversation of 10 turns (10,000 instead of 40,000) for 1 additional round trip."
        );
        assert!(of(&all, "full").sentence().ends_with("since it fits."));
        all[1].not_offered = Some("it cannot".to_owned());
        assert!(of(&all, "search").command.is_none());
    }

    #[test]
    fn q3_the_cheapest_of_those_that_can_be_served_and_of_equals_the_quickest() {
        let mut all = [
            compared("full", 4_000, 40_000, 4),
            compared("slow", 400, 10_000, 9),
            compared("quick", 500, 10_900, 5),
            compared("dear", 900, 20_000, 4),
        ];
        let recommended = of(&all, |_| {});
        assert_eq!((&*recommended.strategy, recommended.command.as_deref()), ("quick", Some("serve quick")));
        assert_eq!(
            recommended.sentence(),
            "Use quick: it saves 72.8 % of the tokens of a conversation of 10 turns (10,900 instead of 40,000) for 1 \
             additional round trip."
        );
        all[2].not_offered = Some("long briefs".to_owned());
        assert_eq!(of(&all, |_| {}).strategy, "slow");
        let chosen = |row: &mut Row| {
            if row.name == "slow" {
                row.choices.insert("cost".to_owned(), "low".into());
            }
        };
        assert_eq!(of(&all, chosen).strategy, "dear");
        let unserved = of(&all, |row| row.command = None);
        assert_eq!(unserved.strategy, "full");
        assert!(unserved.reason.starts_with("no other row can be served"), "{unserved:?}");
    }

    #[test]
    fn q3_full_is_recommended_where_nothing_is_gained() {
        let small = [compared("full", 900, 9_000, 4), compared("other", 100, 1_000, 5)];
        assert!(of(&small, |_| {}).reason.starts_with("the list is small, 900 tokens"));
        let alike = [compared("full", 4_000, 40_000, 4), compared("other", 3_000, 33_000, 5)];
        let recommended = of(&alike, |_| {});
        assert_eq!(recommended.strategy, "full");
        assert!(recommended.reason.contains("17.5 % (other), too little"), "{recommended:?}");
        let quick = [compared("full", 4_000, 40_000, 4), compared("other", 3_000, 33_000, 4)];
        assert!(of(&quick, |_| {}).sentence().ends_with("for no additional round trip."));
        // A gain that is too small hides none that is not.
        let both = [
            compared("full", 4_000, 40_000, 4),
            compared("little", 3_900, 39_000, 4),
            compared("much", 3_000, 31_500, 5),
        ];
        assert_eq!(of(&both, |_| {}).strategy, "much");
        let dearer = [compared("full", 4_000, 40_000, 4), compared("other", 5_000, 50_000, 5)];
        assert!(of(&dearer, |_| {}).reason.contains("no other strategy costs less"));
    }
}
