//! Declarations of the catalogue, made from the sections of a file.

use std::collections::{BTreeMap, HashMap, HashSet};

use mcp_disclosure_core::{
    About, Category, Concern, Mapping, Naming, NamingError, OnChange, Pattern, RawObject, Rule, Rules,
    UpstreamName, Values, nearest::did_you_mean,
};
use mcp_disclosure_gateway::{Place, Problem};
use serde_json::Value;

use super::{DisclosureFile, Found, Table, UpstreamEntry, file};

impl DisclosureFile {
    /// What the file declares of the catalogue; the file takes precedence over `over`.
    ///
    /// # Errors
    /// Every problem, with its place and a hint.
    pub fn declare(&self, over: &About) -> Result<(About, Rules), Vec<Problem>> {
        let mut problems = Vec::new();
        let mut concerns = self.declared_concerns(&mut problems);
        add(&mut concerns, &over.concerns, Concern::name);
        let mut check = Check { file: self, concerns: &concerns, problems: &mut problems };
        let mut rules = Rules::default();
        rules.tools.extend(self.tools.0.iter().map(|(name, place, tool)| check.tool(name, place, tool)));
        rules.tools.extend(self.sorted_into_categories(check.problems));
        rules.tools.extend(self.pinned());
        rules.unpinned_pages = self.pins.ui == Some(false);
        for (name, place, category) in &self.categories.0 {
            let mapping = check.mapping("categories", name, place, category.concerns.as_ref());
            rules.grouped.extend(mapping.map(|mapping| (name.clone(), mapping)));
        }
        rules.resources = check.primitives("resources", &self.resources.rules);
        rules.allowed_resources = self.resources.allow.as_ref().map(|(place, list)| {
            list.iter().map(|text| Rule::new(text, format!("{place}: resources.allow"))).collect()
        });
        rules.prompts = check.primitives("prompts", &self.prompts);
        let switches = |(name, place, entry): &(String, Place, UpstreamEntry)| {
            entry.switches(name, format!("{place}: upstreams.{name:?}"))
        };
        rules.switches = self.upstreams.0.iter().filter_map(switches).collect();
        rules.naming = self.naming(check.problems);
        if problems.is_empty() { Ok((self.about(over, concerns), rules)) } else { Err(problems) }
    }

    /// What is done about upstreams whose definitions change, where that is said.
    pub(crate) fn on_change(&self) -> BTreeMap<UpstreamName, OnChange> {
        let upstreams = self.upstreams.0.iter();
        let set = upstreams
            .filter_map(|(name, _, entry)| Some((UpstreamName::parse(name).ok()?, entry.on_change?)));
        set.collect()
    }

    /// The names by which tools and prompts of upstreams are served.
    fn naming(&self, problems: &mut Vec<Problem>) -> Vec<Naming> {
        let mut all = Vec::new();
        for (name, place, entry) in self.upstreams.0.iter().filter(|(_, _, entry)| !entry.disabled) {
            let prefix = entry.prefix.as_deref().unwrap_or_default();
            let Ok(upstream) = UpstreamName::parse(name) else { continue };
            if prefix.is_empty() && entry.rename.is_empty() {
                continue;
            }
            match Naming::new(upstream, format!("{place}: upstreams.{name:?}"), prefix, &entry.rename) {
                Ok(naming) => all.push(naming),
                Err(errors) => errors.iter().for_each(|error| {
                    let (key, hint) = match error {
                        NamingError::Refused { key, .. } => {
                            let key = key.split('.').next().unwrap_or_default();
                            (key, "a name has 1 to 64 letters, digits, '_', '-' and '.'")
                        }
                        _ => ("rename", "give each tool a name of its own"),
                    };
                    let place = self.places.of(&["upstreams", name, key]).unwrap_or(place);
                    Found { place, problems }.add(format!("upstream '{name}': {error}"), hint);
                }),
            }
        }
        all
    }

    fn about(&self, over: &About, concerns: Vec<Concern>) -> About {
        let said = |said: &Option<String>, over: &str| said.clone().unwrap_or_else(|| over.to_owned());
        let declared = self.categories.0.iter().map(|(name, _, category)| Category {
            name: name.clone(),
            description: category.description.clone(),
        });
        let mut categories: Vec<Category> = declared.collect();
        add(&mut categories, &over.categories, |category| &category.name);
        let facts = self.server.facts.iter();
        About {
            name: said(&self.server.name, &over.name),
            version: said(&self.server.version, &over.version),
            description: said(&self.server.description, &over.description),
            facts: facts.fold(over.facts.clone(), |facts, (name, fact)| facts.with_value(name, fact)),
            categories,
            concerns,
        }
    }

    fn declared_concerns(&self, problems: &mut Vec<Problem>) -> Vec<Concern> {
        let mut seen = HashSet::new();
        let mut concerns = Vec::new();
        for (place, concern) in &self.concerns {
            let mut found = Found { place, problems };
            let values = match &concern.values {
                None => {
                    let message = format!("concern '{}' has no values", concern.name);
                    found.add(message, "add values = [\"low\", \"high\"], or values = { min = 0, max = 10 }");
                    continue;
                }
                Some(file::ConcernValues::Listed(values)) => Values::Listed(values.clone()),
                Some(file::ConcernValues::Range(range)) => {
                    Values::Range { min: range.min.clone(), max: range.max.clone() }
                }
            };
            if !seen.insert(&concern.name) {
                found.add(format!("concern '{}' is declared twice", concern.name), "give each a unique name");
                continue;
            }
            let made = Concern::new(&concern.name, &concern.description, values, concern.default.clone());
            match made {
                Ok(concern) => concerns.push(concern),
                Err(error) => {
                    found.add(error.to_string(), "see docs/configuration.md for the form of concerns")
                }
            }
        }
        concerns
    }

    /// The rules for pinned tools.
    fn pinned(&self) -> impl Iterator<Item = Rule> {
        let place = self.places.of(&["pins"]).map_or_else(String::new, |place| format!("{place}: "));
        let rule =
            move |tool: &String| Rule { pinned: true, ..Rule::new(tool, format!("{place}pins.tools")) };
        self.pins.tools.iter().map(rule)
    }

    /// The rules for tools listed in categories.
    fn sorted_into_categories(&self, problems: &mut Vec<Problem>) -> Vec<Rule> {
        let own = self
            .tools
            .0
            .iter()
            .filter_map(|(name, _, tool)| Some((name.as_str(), tool.category.as_deref()?)))
            .filter(|(_, category)| !category.trim().is_empty());
        let mut sorted: HashMap<&str, &str> = own.collect();
        let mut rules = Vec::new();
        for (category, place, listed) in &self.categories.0 {
            for tool in &listed.tools {
                let other = sorted.insert(tool, category).filter(|other| other != category);
                if let Some(other) = other.filter(|_| !is_wild(tool)) {
                    let message = format!("tool '{tool}' is in two categories, '{other}' and '{category}'");
                    Found { place, problems }.add(message, "keep it in one of them");
                }
                let place = format!("{place}: categories.{category}");
                rules.push(Rule { category: Some(category.clone()), ..Rule::new(tool, place) });
            }
        }
        rules
    }
}

/// Adds others whose names are not there.
fn add<T: Clone>(own: &mut Vec<T>, others: &[T], name: fn(&T) -> &str) {
    let is_new = |other: &&T| own.iter().all(|own| name(own) != name(other));
    let new: Vec<T> = others.iter().filter(is_new).cloned().collect();
    own.extend(new);
}

fn is_wild(name: &str) -> bool {
    Pattern::new(name).is_wild()
}

/// Makes rules of sections and checks that they are consistent.
struct Check<'a> {
    file: &'a DisclosureFile,
    concerns: &'a [Concern],
    problems: &'a mut Vec<Problem>,
}

impl Check<'_> {
    fn tool(&mut self, name: &str, place: &Place, tool: &file::Tool) -> Rule {
        let mut found = Found { place, problems: self.problems };
        for (key, said) in [("brief", &tool.brief), ("category", &tool.category)] {
            if said.as_ref().is_some_and(|said| said.trim().is_empty()) {
                let message = format!("tools.{name:?}: {key} is empty");
                found.add(message, "remove the key, or give it a text");
            }
        }
        if tool.brief.is_some() && is_wild(name) {
            let message =
                format!("tools.{name:?}: a pattern cannot have a brief, since it may match several tools");
            found.add(message, "give each tool a brief under its own name");
        }
        let (brief, category) = (tool.brief.clone(), tool.category.clone());
        Rule { brief, category, ..self.rule("tools", name, place, tool.concerns.as_ref(), tool.hidden) }
    }

    fn primitives(&mut self, kind: &str, table: &Table<file::Primitive>) -> Vec<Rule> {
        let rules = table.0.iter().map(|(name, place, primitive)| {
            self.rule(kind, name, place, primitive.concerns.as_ref(), primitive.hidden)
        });
        rules.collect()
    }

    fn rule(
        &mut self,
        kind: &str,
        name: &str,
        place: &Place,
        concerns: Option<&serde_json::Map<String, Value>>,
        hidden: Option<bool>,
    ) -> Rule {
        let concerns = self.mapping(kind, name, place, concerns);
        Rule { concerns, hidden, ..Rule::new(name, format!("{place}: {kind}.{name:?}")) }
    }

    /// A mapping of concerns to values, all of which must be declared.
    fn mapping(
        &mut self,
        kind: &str,
        name: &str,
        place: &Place,
        said: Option<&serde_json::Map<String, Value>>,
    ) -> Option<RawObject> {
        let said = said?;
        let mut found = Found { place, problems: self.problems };
        let mut report = |message: String, hint: &str| found.add(format!("{kind}.{name:?}: {message}"), hint);
        let text = said.iter().fold(RawObject::empty(), |text, (name, value)| text.with_value(name, value));
        let mapping = Mapping::default().with(text.text());
        for concern in said.keys() {
            let Some(declared) = self.concerns.iter().find(|declared| declared.name() == concern) else {
                // An invalid declaration is a problem already.
                if self.file.concerns.iter().any(|(_, wrong)| wrong.name == *concern) {
                    continue;
                }
                let otherwise = || "declare it with [[concerns]]".to_owned();
                let hint = did_you_mean(concern, self.concerns.iter().map(Concern::name), otherwise);
                report(format!("unknown concern '{concern}'"), &hint);
                continue;
            };
            if let Some(value) = mapping.misfit(declared) {
                let message = format!("{value} is not a value of concern '{concern}'");
                report(message, &format!("its values are {}", declared.values()));
            }
        }
        Some(text)
    }
}
