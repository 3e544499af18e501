//! How the tools of one upstream are sorted, if there are too many for one category: by the nouns of their names.

use std::collections::{BTreeMap, HashMap};

use super::subject::{Noun, Subject, spelled};

/// As many tools are read at a glance: about 400 tokens of names, briefs and parameters.
const GLANCE: usize = 12;

/// A group of more is split again.
const LARGE: usize = 40;

/// No category has more.
const MOST: usize = 80;

/// The least number of tools that a category is worth, for upstreams of usual sizes.
const FEWEST: usize = 3;

/// The number of categories of an upstream that the least number of tools grows with.
const MANY: usize = 60;

/// What the rest is called.
const OTHER: &str = "other";

/// Tools of one upstream that are one category.
#[derive(Debug)]
pub(super) struct Group {
    /// What they are about; `None` if they are all tools of the upstream.
    pub(super) subject: Option<String>,
    /// The nouns that they have in common, in the singular.
    pub(super) common: Vec<String>,
    /// Their places among the subjects, in order.
    pub(super) members: Vec<usize>,
}

/// Sorts tools; in the order of the first tool of each group, and what is left last.
pub(super) fn groups(subjects: &[Subject]) -> Vec<Group> {
    let all: Vec<usize> = (0..subjects.len()).collect();
    if all.len() <= GLANCE {
        return vec![Group { subject: None, common: vec![], members: all }];
    }
    let fewest = (all.len() / MANY).max(FEWEST);
    let mut sorted = Sorting { subjects, fewest, groups: Vec::new(), rest: Vec::new() };
    match by_annotation(subjects) {
        Some(groups) => groups.into_iter().for_each(|(name, members)| sorted.keep(&name, members)),
        None => sorted.split(&all, &[]),
    }
    sorted.adopt();
    sorted.finished()
}

/// The upstream's own categories, if nearly all of its tools have one, and they are fewer than the tools.
fn by_annotation(subjects: &[Subject]) -> Option<Vec<(String, Vec<usize>)>> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut without = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let Some(category) = &subject.category else {
            without.push(at);
            continue;
        };
        let place = *places.entry(category).or_insert_with(|| {
            groups.push((category.trim().to_lowercase(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(at);
    }
    let is_usual =
        without.len() * 5 <= subjects.len() && groups.len() > 1 && groups.len() * 2 <= subjects.len();
    is_usual.then(|| {
        groups.push((OTHER.to_owned(), without));
        groups
    })
}

struct Sorting<'s> {
    subjects: &'s [Subject],
    fewest: usize,
    /// By the singular nouns that the members have in common, or the upstream's name for them.
    groups: Vec<(Vec<String>, Vec<usize>)>,
    rest: Vec<usize>,
}

impl Sorting<'_> {
    /// A group of the upstream's own.
    fn keep(&mut self, name: &str, members: Vec<usize>) {
        if members.len() < FEWEST - 1 {
            self.rest.extend(members);
        } else if members.len() > MOST {
            self.split(&members, &[name.to_owned()]);
        } else {
            self.groups.push((vec![name.to_owned()], members));
        }
    }

    /// Splits tools by the noun that follows the ones they have in common.
    fn split(&mut self, members: &[usize], common: &[String]) {
        let mut families: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut plain = Vec::new();
        for at in members {
            match self.subjects[*at].nouns.iter().find(|noun| !common.contains(&noun.singular)) {
                Some(Noun { singular, .. }) => {
                    let order = *first.entry(singular.clone()).or_insert(*at);
                    families.entry((order, singular.clone())).or_default().push(*at);
                }
                None => plain.push(*at),
            }
        }
        for ((_, noun), family) in families {
            let named: Vec<String> = common.iter().cloned().chain([noun]).collect();
            if family.len() < self.fewest {
                plain.extend(family);
            } else if family.len() > LARGE && named.len() < 4 {
                self.split(&family, &named);
            } else {
                self.groups.push((named, family));
            }
        }
        if !common.is_empty() && plain.len() >= self.fewest {
            self.groups.push((common.to_vec(), plain));
        } else {
            self.rest.extend(plain);
        }
    }

    /// What is left joins the largest group that one of its nouns names.
    fn adopt(&mut self) {
        let mut homes: HashMap<String, usize> = HashMap::new();
        for (place, (named, members)) in self.groups.iter().enumerate() {
            let Some(noun) = named.last() else { continue };
            let is_better = |other: &usize| self.groups[*other].1.len() < members.len();
            if homes.get(noun).is_none_or(is_better) {
                homes.insert(noun.clone(), place);
            }
        }
        let rest = std::mem::take(&mut self.rest);
        for at in rest {
            let nouns = self.subjects[at].nouns.iter();
            let home = nouns.filter_map(|noun| homes.get(&noun.singular)).next();
            match home.filter(|place| self.groups[**place].1.len() < LARGE) {
                Some(place) => self.groups[*place].1.push(at),
                None => self.rest.push(at),
            }
        }
    }

    /// The groups with their names, none over [`MOST`].
    fn finished(mut self) -> Vec<Group> {
        self.rest.sort_unstable();
        if self.groups.is_empty() && self.rest.len() <= MOST {
            return vec![Group { subject: None, common: vec![], members: self.rest }];
        }
        if let [alone] = *self.rest
            && let Some((_, smallest)) = self.groups.iter_mut().min_by_key(|(_, members)| members.len())
        {
            smallest.push(alone);
            self.rest.clear();
        }
        let forms = spelled(self.subjects.iter().flat_map(|subject| &subject.nouns));
        let spell = |named: &[String]| {
            let last = named.len().saturating_sub(1);
            let word = |(place, word): (usize, &String)| match forms.get(&**word) {
                Some(form) if place == last => (*form).to_owned(),
                _ => word.clone(),
            };
            named.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
        };
        let mut groups: Vec<Group> = Vec::new();
        for (named, mut members) in std::mem::take(&mut self.groups) {
            members.sort_unstable();
            let common = self.with_what_follows(named, &members);
            groups.push(Group { subject: Some(spell(&common)), common, members });
        }
        groups.sort_by_key(|group| group.members.first().copied());
        groups.push(Group { subject: Some(OTHER.to_owned()), common: vec![], members: self.rest });
        groups.into_iter().filter(|group| !group.members.is_empty()).flat_map(parts).collect()
    }

    /// The nouns of a group with the one that nearly all members have after them: "merge" is "merge request".
    fn with_what_follows(&self, named: Vec<String>, members: &[usize]) -> Vec<String> {
        let Some(last) = named.last() else { return named };
        let next = |at: &usize| {
            let nouns = &self.subjects[*at].nouns;
            let place = nouns.iter().position(|noun| noun.singular == *last)?;
            nouns.get(place + 1).map(|noun| noun.singular.clone())
        };
        let mut counts: HashMap<String, usize> = HashMap::new();
        members.iter().filter_map(next).for_each(|noun| *counts.entry(noun).or_default() += 1);
        let most =
            counts.into_iter().max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(&one.0)));
        let follows = most.filter(|(noun, count)| count * 4 >= members.len() * 3 && !named.contains(noun));
        named.iter().cloned().chain(follows.map(|(noun, _)| noun)).collect()
    }
}

/// A group in parts of equal size, if it is too large.
fn parts(group: Group) -> impl Iterator<Item = Group> {
    let count = group.members.len().div_ceil(MOST).max(1);
    let size = group.members.len().div_ceil(count).max(1);
    let parts: Vec<Vec<usize>> = group.members.chunks(size).map(<[usize]>::to_vec).collect();
    let Group { subject, common, .. } = group;
    parts.into_iter().map(move |members| Group { subject: subject.clone(), common: common.clone(), members })
}
