//! The listed tools of a view by category: sorted once per view, since every answer about categories needs it.
//!
//! An operator's categories are as declared. All other tools are sorted per upstream by what they are about
//! (`grouping`), and described by that (`describing`). Both depend on nothing but what is listed.

mod describing;
mod grouping;
mod subject;

use std::collections::HashMap;

use describing::Described;
use grouping::Group;
use subject::Subject;

use crate::{
    brief::Product,
    tool::Tool,
    view::{View, VisibleTool},
};

/// The categories of a view, with their tools as positions in the snapshot.
#[derive(Debug, Default)]
pub(crate) struct Categories {
    sorted: Vec<Sorted>,
    places: HashMap<Box<str>, usize>,
}

#[derive(Debug, Default)]
struct Sorted {
    name: Box<str>,
    description: String,
    is_declared: bool,
    tools: Vec<usize>,
}

impl Categories {
    /// Sorts a view's tools: declared categories first, then others in the order of their tools. Empty ones are left
    /// out.
    pub(crate) fn of(view: &View) -> Self {
        let mut categories = Self::default();
        for declared in &view.about().categories {
            let category = categories.named(&declared.name);
            category.is_declared = true;
            declared.description.trim().clone_into(&mut category.description);
        }
        let mut unsorted: Vec<(&str, Vec<(usize, &Tool)>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (at, tool) in view.listed() {
            match &tool.supplement().category {
                Some(category) => categories.named(category).tools.push(at),
                None => {
                    let place = *places.entry(tool.upstream()).or_insert_with(|| {
                        unsorted.push((tool.upstream(), Vec::new()));
                        unsorted.len() - 1
                    });
                    unsorted[place].1.push((at, tool));
                }
            }
        }
        for (upstream, tools) in unsorted {
            categories.add_upstream(upstream, &tools);
        }
        categories.finished(view)
    }

    /// The category of this name; a new one if there is none.
    fn named(&mut self, name: &str) -> &mut Sorted {
        let next = self.sorted.len();
        let place = *self.places.entry(name.into()).or_insert(next);
        if place == next {
            self.sorted.push(Sorted { name: name.into(), ..Sorted::default() });
        }
        &mut self.sorted[place]
    }

    /// Sorts the tools of an upstream that are in no category of the operator's.
    fn add_upstream(&mut self, upstream: &str, tools: &[(usize, &Tool)]) {
        let subjects: Vec<Subject> = Subject::all(tools.iter().map(|(_, tool)| *tool));
        for Group { subject, common, members } in grouping::groups(&subjects) {
            let name = subject
                .as_ref()
                .map_or_else(|| upstream.to_owned(), |subject| self.free_name(upstream, subject));
            let described: Vec<Described<'_>> =
                members.iter().map(|at| Described { tool: tools[*at].1, subject: &subjects[*at] }).collect();
            let description = describing::of_group(&described, subject.as_deref(), &common);
            let category = self.named(&name);
            if category.description.is_empty() {
                category.description = description;
            }
            category.tools.extend(members.iter().map(|at| tools[*at].0));
        }
    }

    /// A name that is no other category's.
    fn free_name(&self, upstream: &str, subject: &str) -> String {
        let name = format!("{upstream} {subject}");
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !self.places.contains_key(&**name)).unwrap_or(name)
    }

    /// Without empty categories, and each with a description.
    fn finished(mut self, view: &View) -> Self {
        self.sorted.retain(|category| !category.tools.is_empty());
        for category in &mut self.sorted {
            if category.description.is_empty() {
                let tools: Vec<&Tool> = category.tools.iter().map(|at| view.at(*at).tool()).collect();
                let subjects = Subject::all(tools.iter().copied());
                let described = tools.iter().zip(&subjects);
                let described: Vec<Described<'_>> =
                    described.map(|(tool, subject)| Described { tool, subject }).collect();
                category.description = describing::of_things(&described);
            }
        }
        let places = self.sorted.iter().enumerate().map(|(place, category)| (category.name.clone(), place));
        Self { places: places.collect(), sorted: self.sorted }
    }
}

/// A category in one view. It has at least one tool.
#[derive(Clone, Copy, Debug)]
pub struct ListedCategory<'v> {
    view: &'v View,
    sorted: &'v Sorted,
}

impl<'v> ListedCategory<'v> {
    /// All categories of a view, in order.
    pub(crate) fn all(view: &'v View, categories: &'v Categories) -> impl ExactSizeIterator<Item = Self> {
        categories.sorted.iter().map(move |sorted| Self { view, sorted })
    }

    /// The category of this name.
    pub(crate) fn named(view: &'v View, categories: &'v Categories, name: &str) -> Option<Self> {
        let place = *categories.places.get(name)?;
        Some(Self { view, sorted: &categories.sorted[place] })
    }

    /// Its name.
    pub fn name(self) -> &'v str {
        &self.sorted.name
    }

    /// What it is for: as declared, or else by what its upstream says of itself or what its tools are about (docs/CONTRACT.md
    /// B8). Never empty. One line; at most 160 characters, unless it is declared.
    pub fn description(self) -> &'v str {
        &self.sorted.description
    }

    /// Whether the operator declared it.
    pub fn is_declared(self) -> bool {
        self.sorted.is_declared
    }

    /// The brief of one of its tools, without the product in front if the description of the category has it.
    pub fn brief_of(self, tool: VisibleTool<'v>) -> &'v str {
        let brief = tool.brief();
        let is_derived = tool.tool().supplement().brief.is_none();
        let product = tool.tool().origin().product.as_ref().map(Product::title);
        // Of declared ones it is not known whether all tools are of that product.
        let is_of_it = |product: &&str| !self.is_declared() && self.description().starts_with(product);
        let product = product.filter(|product| is_derived && is_of_it(product));
        let bare = product.and_then(|product| brief.strip_prefix(product)?.strip_prefix(": "));
        bare.unwrap_or(brief)
    }

    /// Its listed tools.
    pub fn tools(self) -> impl ExactSizeIterator<Item = VisibleTool<'v>> {
        self.sorted.tools.iter().map(move |at| self.view.at(*at))
    }
}

#[cfg(test)]
#[path = "categories_tests.rs"]
mod tests;
