//! From flags to upstreams and files.

use mcp_disclosure_core::{
    About, Category, Concern, DescriptionFile, RawObject, ReceiptKey, UpstreamName, Values,
};
use mcp_disclosure_demo::{CATEGORIES, CONCERNS, DESCRIPTION, DESCRIPTION_FILES, FACTS, MathServer};

use super::SourceArguments;
use crate::{
    catalogue::Files,
    failure::{Failure, Problem},
    gateway::Assembly,
    negotiation::Strategies,
    upstream::{Patience, Target},
};

/// What a source comes down to.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) targets: Vec<(Option<UpstreamName>, Target)>,
    pub(super) files: Files,
    pub(super) about: About,
    pub(super) patience: Patience,
}

impl Source {
    /// A gateway of it, with the contract's defaults.
    pub(super) fn assembly(self, strategies: Strategies, key: ReceiptKey) -> Assembly {
        Assembly {
            targets: self.targets,
            files: self.files,
            about: self.about,
            patience: self.patience,
            ..Assembly::new(strategies, key)
        }
    }
}

impl SourceArguments {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a combination that means nothing.
    pub(super) fn resolve(self) -> Result<Source, Failure> {
        let patience = Patience { connect: self.connect_timeout, request: self.request_timeout };
        let name = self.name.as_deref().map(UpstreamName::parse).transpose();
        let name = name.map_err(|error| usage(Problem::new(format!("--name: {error}"))))?;
        let mut targets: Vec<(Option<UpstreamName>, Target)> = Vec::new();
        if let Some((program, arguments)) = self.command.split_first() {
            let target = Target::Command { program: program.clone(), arguments: arguments.to_vec() };
            targets.push((None, target));
        }
        for url in self.upstream_url {
            if !matches!(url.scheme(), "http" | "https") {
                let told = format!("--upstream-url {url}: only http and https are spoken");
                return Err(usage(Problem::new(told)));
            }
            targets.push((None, Target::Url(url)));
        }
        if name.is_some() && targets.len() > 1 {
            let told = "--name names the one upstream, but there are several";
            return Err(usage(Problem::new(told).hint("leave --name out")));
        }
        let mut files = self.tool_descriptions.map_or(Files::None, Files::Directory);
        let mut about = About::default();
        if targets.is_empty() {
            let (target, embedded, told) = demonstration();
            targets.push((None, target));
            about = told;
            if matches!(files, Files::None) {
                files = embedded;
            }
        }
        if let (Some(named), Some(first)) = (name, targets.first_mut()) {
            first.0 = Some(named);
        }
        Ok(Source { targets, files, about, patience })
    }
}

fn usage(problem: Problem) -> Failure {
    Failure::Usage(vec![problem])
}

/// The embedded demonstration: the Math server, wrapped as anyone would wrap a handler of their own.
pub fn demonstration() -> (Target, Files, About) {
    let files = DESCRIPTION_FILES.iter().filter_map(|(name, text)| {
        let stem = name.strip_suffix(".json")?;
        let file = DescriptionFile::parse(name, stem, text);
        debug_assert!(file.is_ok(), "{file:?}");
        file.ok()
    });
    let facts = FACTS.iter().map(|(name, fact)| (*name, if *fact { "true" } else { "false" }));
    let categories = CATEGORIES.iter().map(|(name, description)| Category {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
    });
    let concerns = CONCERNS.iter().filter_map(|(name, description, values)| {
        let values = values.iter().map(|value| (*value).into()).collect();
        Concern::new(*name, *description, Values::Listed(values), None).ok()
    });
    let about = About {
        description: DESCRIPTION.to_owned(),
        facts: RawObject::assemble(facts),
        categories: categories.collect(),
        concerns: concerns.collect(),
        ..About::default()
    };
    (Target::handler(MathServer::new()), Files::Embedded(files.collect()), about)
}
