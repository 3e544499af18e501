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

/// Which strategy to serve a source with, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommendation {
    /// The row.
    pub strategy: String,
    /// The reason: one sentence, without the name.
    pub reason: String,
    /// The command line.
    pub command: String,
}

impl Recommendation {
    /// The recommendation for an ordinary host, whose conversations cost what the rows say: what such a host gets anyway, which
    /// is `served` for its reason, if that is compared and its calls succeeded. Else, among those that `serve` offers, that show all tools and whose calls
    /// succeeded, the cheapest over a conversation.
    pub(crate) fn of(rows: &[Row], strategies: &[Compared], turns: u64, served: Option<&Self>) -> Self {
        if let Some(recommended) = served.and_then(|served| Self::by_default(served, strategies, turns)) {
            return recommended;
        }
        let row = |name: &str| rows.iter().find(|row| row.name == name);
        let is_candidate = |strategy: &&Compared| {
            strategy.name != BASELINE
                && strategy.not_offered.is_none()
                && !strategy.has_failed()
                && row(&strategy.name).is_some_and(|row| row.choices.is_empty())
        };
        let candidates: Vec<&Compared> = strategies.iter().filter(is_candidate).collect();
        let full = strategies.iter().find(|strategy| strategy.name == BASELINE);
        let (strategy, reason) = match full {
            Some(full) => judged(&candidates, full, turns),
            None => (BASELINE, "what it costs is not known".to_owned()),
        };
        let command = row(strategy).map(|row| row.command.clone()).unwrap_or_default();
        Self { strategy: strategy.to_owned(), reason, command }
    }

    fn by_default(served: &Self, strategies: &[Compared], turns: u64) -> Option<Self> {
        let full = strategies.iter().find(|strategy| strategy.name == BASELINE)?;
        let own = strategies.iter().find(|strategy| strategy.name == served.strategy)?;
        let is_usable = own.not_offered.is_none() && !own.has_failed();
        let saving = match own.conversation_saving {
            Some(saving) if saving > 0.0 => format!("; it {}", saves(own, full, turns)),
            _ => String::new(),
        };
        let reason = format!("clients get it without --strategy, since {}{saving}", served.reason);
        is_usable.then_some(Self { reason, ..served.clone() })
    }

    /// As one sentence.
    pub fn sentence(&self) -> String {
        format!("Use {}: {}.", self.strategy, self.reason)
    }
}

/// The cheapest over a conversation, if it saves enough.
fn judged<'a>(candidates: &[&'a Compared], full: &Compared, turns: u64) -> (&'a str, String) {
    let saving = |strategy: &Compared| strategy.conversation_saving.unwrap_or(0.0);
    match candidates.iter().max_by(|one, other| saving(one).total_cmp(&saving(other))) {
        Some(best) if full.not_offered.is_some() => {
            (&best.name, "of those that serve offers here it costs the least".to_owned())
        }
        Some(best) if saving(best) >= WORTHWHILE => (&best.name, format!("it {}", saves(best, full, turns))),
        Some(best) if saving(best) > 0.0 => {
            let most = percent(saving(best));
            (BASELINE, format!("the most that another strategy saves is {most} ({}), too little", best.name))
        }
        _ => (BASELINE, "no other row can be served as it is, shows all tools and costs less".to_owned()),
    }
}

/// What a strategy saves, and for what.
fn saves(best: &Compared, full: &Compared, turns: u64) -> String {
    format!(
        "saves {} of the tokens of a conversation of {} ({} instead of {}) for {}",
        percent(best.conversation_saving.unwrap_or(0.0)),
        of(turns, "turn"),
        grouped(best.costs.conversation_tokens.unwrap_or(0)),
        grouped(full.costs.conversation_tokens.unwrap_or(0)),
        trips(best.costs.round_trips.saturating_sub(full.costs.round_trips)),
    )
}

fn trips(additional: u64) -> String {
    match additional {
        0 => "no additional round trip".to_owned(),
        more => of(more, "additional round trip"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Costs;

    /// A strategy with this start, this cost of a conversation of ten turns, and this many round trips.
    fn compared(name: &str, initial: u64, conversation: u64, trips: u64) -> Compared {
        Compared {
            name: name.to_owned(),
            costs: Costs {
                initial_tokens: initial,
                total_tokens: Some(initial),
                round_trips: trips,
                conversation_tokens: Some(conversation),
                ..Costs::default()
            },
            conversation_saving: Some(1.0 - conversation as f64 / 40_000.0),
            ..Compared::default()
        }
    }

    fn of(strategies: &[Compared], change: impl Fn(&mut Row)) -> Recommendation {
        let row = |strategy: &Compared| {
            let mut row = Row::of(&strategy.name);
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
            let served = Recommendation {
                strategy: row.to_owned(),
                reason: "it fits".to_owned(),
                command: "serve".to_owned(),
            };
            Recommendation::of(&[], all, 10, Some(&served))
        };
        let recommended = of(&all, "search");
        assert_eq!((&*recommended.strategy, &*recommended.command), ("search", "serve"));
        assert_eq!(
            recommended.sentence(),
            "Use search: clients get it without --strategy, since it fits; it saves 75.0 % of the tokens of a \
             conversation of 10 turns (10,000 instead of 40,000) for 1 additional round trip."
        );
        assert!(of(&all, "full").sentence().ends_with("since it fits."));
        all[1].not_offered = Some("it cannot".to_owned());
        assert_eq!(of(&all, "search").command, "");
    }

    #[test]
    fn q3_else_the_cheapest_of_those_that_can_be_served_and_show_all_tools() {
        let mut all = [
            compared("full", 4_000, 40_000, 4),
            compared("cheap", 400, 10_000, 5),
            compared("other", 500, 12_000, 5),
            compared("dear", 900, 20_000, 4),
        ];
        let recommended = of(&all, |_| {});
        assert_eq!((&*recommended.strategy, &*recommended.command), ("cheap", "serve cheap"));
        assert!(recommended.sentence().starts_with("Use cheap: it saves 75.0 % "), "{recommended:?}");
        all[1].not_offered = Some("long briefs".to_owned());
        assert_eq!(of(&all, |_| {}).strategy, "other");
        let chosen = |row: &mut Row| {
            if row.name == "other" {
                row.choices.insert("cost".to_owned(), "low".into());
            }
        };
        assert_eq!(of(&all, chosen).strategy, "dear");
        let chosen = of(&all, |row| drop(row.choices.insert("cost".to_owned(), "low".into())));
        assert_eq!(chosen.strategy, "full");
        assert!(chosen.reason.starts_with("no other row can be served"), "{chosen:?}");
    }

    #[test]
    fn q3_full_is_recommended_where_too_little_is_gained() {
        let little = [compared("full", 4_000, 40_000, 4), compared("other", 3_000, 33_000, 5)];
        let recommended = of(&little, |_| {});
        assert_eq!(recommended.strategy, "full");
        assert!(recommended.reason.contains("17.5 % (other), too little"), "{recommended:?}");
        let dearer = [compared("full", 4_000, 40_000, 4), compared("other", 5_000, 50_000, 5)];
        assert!(of(&dearer, |_| {}).reason.contains("costs less"));
    }
}
