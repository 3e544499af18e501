//! A draft: everything that a brief of one tool can be made of.

use super::{
    Product, Source,
    cut::cut,
    headline::Headline,
    mark::Mark,
    prose::Prose,
    sentence::{About, Sentence, words},
    shown::Shown,
    tables::{PREPOSITIONS, RETURNS},
    verbs::{Verb, is_same},
};
use crate::cap::Cap;

/// The sentences among which one that says what the tool does is looked for before another one leads.
const FIRST: usize = 3;

/// Everything that a brief of one tool is made of.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(super) name: String,
    pub(super) headline: Headline,
    product: Option<Product>,
    /// The sentence in front; without one the headline leads.
    pub(super) lead: Option<Sentence>,
    /// All others, in the order in which they are added.
    pub(super) rest: Vec<Sentence>,
    /// Marks of sentences that are never shown.
    pub(super) marks: Vec<Mark>,
    pub(super) is_destructive: bool,
}

impl Draft {
    pub(crate) fn of(source: &Source<'_>) -> Self {
        let headline = Headline::of(source.name, source.title);
        let Prose { sentences, asides } = Prose::of(source.description);
        let asides = asides.iter().flat_map(|written| Sentence::all(written));
        let mut marks: Vec<Mark> =
            asides.flat_map(|aside| aside.marks).filter(|mark| *mark != Mark::Caution).collect();
        marks.extend(source.title.into_iter().flat_map(|title| Mark::all(title, false)));
        let sentences: Vec<_> = sentences.iter().flat_map(|written| Sentence::all(written)).collect();
        let mut sentences = with_replacements(sentences);
        sentences.iter_mut().for_each(|sentence| sentence.name_in(source.description));
        let lead = lead(&sentences, &headline).map(|at| sentences.remove(at).without_colon());
        let (hidden, mut rest): (Vec<_>, Vec<_>) = sentences.into_iter().partition(Sentence::is_only_marks);
        marks.extend(hidden.into_iter().flat_map(|sentence| sentence.marks));
        // Sentences about the same keep their order.
        rest.sort_by_key(|sentence| sentence.about.max(About::Plain));
        Self {
            name: source.name.to_owned(),
            headline,
            product: source.product.cloned(),
            lead,
            rest,
            marks,
            is_destructive: false,
        }
    }

    /// The same where annotations say that it destroys something.
    pub(crate) fn marked_destructive(mut self) -> Self {
        self.is_destructive = true;
        self
    }

    /// The brief within a length: the product unless it is named, what the tool does, further sentences as far as they
    /// fit, and marks.
    pub(crate) fn within(&self, cap: Cap) -> String {
        self.led_by(None, cap)
    }

    /// The same with a text in front that distinguishes the tool.
    pub(crate) fn led_by(&self, front: Option<&str>, cap: Cap) -> String {
        let plain = Shown::of(self, front, None, cap);
        let named = self.product.as_ref().filter(|product| !product.is_named_in(&self.name, &plain));
        let named = named.map(|product| Shown::of(self, front, Some(product.within(cap)), cap));
        // The product gives way before the verb does.
        named.filter(|named| self.has_verb(named) || !self.has_verb(&plain)).unwrap_or(plain)
    }

    /// Whether a brief has the verb of the leading sentence or of the headline.
    fn has_verb(&self, brief: &str) -> bool {
        let texts = self.lead.iter().map(|lead| &lead.text).chain([&self.headline.text]);
        let verbs = texts.filter_map(|text| words(text).find(|word| Verb::of(word).is_some()));
        let mut verbs = verbs.peekable();
        verbs.peek().is_none() || verbs.any(|verb| words(brief).any(|word| is_same(&word, &verb)))
    }

    /// Whether a sentence leads.
    pub(crate) fn is_led(&self) -> bool {
        self.lead.is_some()
    }

    /// Its sentences, as they can be shown.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = &str> {
        self.lead.iter().chain(&self.rest).map(|sentence| &*sentence.text)
    }

    /// What the tool does within a length, and whether that is all of the leading sentence.
    pub(super) fn what(&self, front: Option<&str>, cap: Cap) -> (String, bool) {
        let text = match (front, &self.lead) {
            (Some(front), Some(lead)) if !lead.text.starts_with(front) => format!("{front}: {}", lead.text),
            (Some(front), None) => self.told_apart(front, cap),
            (_, Some(lead)) => lead.text.clone(),
            (None, None) => self.headline.text.clone(),
        };
        if cap.holds(&text) {
            return (text, true);
        }
        let shortened = cut(&text, cap).filter(|kept| front.is_some() || !self.loses_the_point(kept));
        let kept = match front {
            // What distinguishes it is whole, if it can be.
            Some(front) => match shortened.filter(|kept| kept.len() > front.len()) {
                Some(kept) => kept,
                None => cap.shorten(front),
            },
            None => shortened.or_else(|| self.named(cap)).unwrap_or_else(|| cap.shorten(&self.headline.text)),
        };
        (kept, false)
    }

    /// The headline with what distinguishes it: in front if both fit, else behind it.
    fn told_apart(&self, front: &str, cap: Cap) -> String {
        let headline = &self.headline.text;
        let (spoken, own) = (headline.to_lowercase(), front.to_lowercase());
        if own.contains(&spoken) {
            return front.to_owned();
        }
        if spoken.starts_with(&own) {
            return headline.clone();
        }
        let both = format!("{front}: {headline}");
        if cap.holds(&both) { both } else { format!("{headline}: {front}") }
    }

    /// Whether what is cut off has a word of the name in it: that is what the tool is about.
    fn loses_the_point(&self, kept: &str) -> bool {
        let Some(lead) = &self.lead else { return false };
        let said = |text: &str, own: &str| {
            words(text).any(|word| word.split(['-', '_']).any(|part| is_same(own, part)))
        };
        let is_point = |word: &&String| {
            let in_product = self.product.as_ref().is_some_and(|product| product.has_in_it(word));
            word.len() > 2 && Verb::of(word).is_none() && !in_product
        };
        let mut nouns = self.headline.words.iter().filter(is_point);
        nouns.any(|noun| said(&lead.text, noun) && !said(kept, noun))
    }

    /// The headline, and as much of the leading sentence as fits, without a verb that the headline has.
    fn named(&self, cap: Cap) -> Option<String> {
        let headline = &self.headline.text;
        let alone = || cut(headline, cap);
        let Some((first, rest)) = self.lead.as_ref().and_then(|lead| lead.text.split_once(' ')) else {
            return alone();
        };
        let verb = first.to_lowercase();
        let repeats = RETURNS.contains(&&*verb) || words(headline).any(|word| is_same(&verb, &word));
        if repeats && rest.split(' ').next().is_some_and(|next| PREPOSITIONS.contains(&next)) {
            return alone();
        }
        let front = if repeats { format!("{headline}:") } else { format!("{headline}: {first}") };
        let both = cut(&format!("{front} {rest}"), cap);
        // A word or two of it say nothing.
        let goes_on =
            |both: &String| both.get(front.len()..).is_some_and(|more| more.split_whitespace().count() >= 3);
        both.filter(goes_on).or_else(alone)
    }
}

/// The place of the sentence that leads.
fn lead(sentences: &[Sentence], headline: &Headline) -> Option<usize> {
    let returns_nothing_else = headline.verb() == Some(Verb::Acts);
    let can_lead = |sentence: &Sentence| match sentence.about {
        About::Does => true,
        About::Returns => !returns_nothing_else,
        About::Plain => {
            !(sentence.tells_how()
                || (sentence.is_call() && sentences.len() > 1)
                || (sentence.is_noun_phrase() && headline.has_verb_and_object()))
        }
        About::Advice | About::Warning => false,
    };
    let about = |about: About| sentences.iter().take(FIRST).position(|sentence| sentence.about == about);
    let leads = |sentence: &Sentence| can_lead(sentence) || sentence.states;
    match sentences.iter().position(leads) {
        // A sentence without a verb in front gives way to one with it.
        Some(first) if sentences[first].is_noun_phrase() || sentences[first].tells_how() => {
            about(About::Does).or(Some(first))
        }
        None => {
            let does = || sentences.iter().position(|sentence| sentence.does);
            let says = || {
                let says = |sentence: &Sentence| matches!(sentence.about, About::Plain | About::Returns);
                let no_call = sentences.iter().position(|sentence| says(sentence) && !sentence.is_call());
                no_call.or_else(|| sentences.iter().position(says))
            };
            does().or_else(|| says().filter(|_| !headline.has_verb_and_object()))
        }
        found => found,
    }
}

/// Sentences where "Deprecated." and "Use that instead." are one.
fn with_replacements(sentences: Vec<Sentence>) -> Vec<Sentence> {
    let mut whole: Vec<Sentence> = Vec::new();
    for sentence in sentences {
        let waiting = whole.last_mut().filter(|last| last.lacks_replacement());
        match (waiting, Mark::replacement(&sentence.text)) {
            (Some(last), Some(instead)) => {
                let deprecated = Mark::Deprecated(None);
                for mark in last.marks.iter_mut().chain(&mut last.unsaid).filter(|mark| **mark == deprecated)
                {
                    *mark = Mark::Deprecated(Some(instead.clone()));
                }
            }
            _ => whole.push(sentence),
        }
    }
    whole
}
