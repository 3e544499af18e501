//! What a host's model reads before and after: its servers are started once, and their lists counted.

use std::{collections::BTreeSet, sync::Arc};

use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{
    DisclosureStrategy, Era, Full, Listing, Material, Permits, Primitive, Principal, RawObject, Snapshot,
    UpstreamLists, View, size,
};
use mcp_disclosure_gateway::{
    Assembly, Offer,
    slot::Witness,
    upstream::{Target, UpstreamConfig},
};

use super::{Program, Serving};
use crate::{
    cli::{build, compare::progress::Progress, visited},
    failure::Failure,
    flags::{Given, SourceArguments},
    init::Plan,
};

/// Lists of tools, with the instructions beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists {
    pub(super) tools: usize,
    pub(super) tokens: u64,
}

impl Lists {
    fn add(&mut self, Listing { tools, instructions, .. }: &Listing) {
        self.tools += tools.len();
        let shown: Vec<RawObject> = tools.iter().map(|tool| size::shown(tool).compact()).collect();
        let tools = serde_json::to_string(&shown).unwrap_or_default();
        let texts = [tools, instructions.clone().unwrap_or_default()];
        self.tokens += texts.iter().map(|text| Tokenizer::default().count(text)).sum::<u64>();
    }
}

/// What the servers of a file list to a model.
#[derive(Debug)]
pub(super) struct Cost {
    pub(super) before: Lists,
    pub(super) after: Lists,
    /// Servers that did not list their tools, and count for nothing.
    pub(super) silent: Vec<String>,
}

/// What servers listed, by how they are started: one that several files name is started once.
#[derive(Default)]
pub(super) struct Listed(Vec<(Target, Option<Arc<UpstreamLists>>)>);

impl Listed {
    /// What this server listed, if it did, once it was tried.
    fn of(&self, target: &Target) -> Option<Option<&UpstreamLists>> {
        let (_, lists) = self.0.iter().find(|(tried, _)| tried == target)?;
        Some(lists.as_deref())
    }

    /// Starts these servers, and takes what they list.
    fn start(&mut self, assembly: Assembly) -> Result<(), Failure> {
        let targets: Vec<Target> = assembly.upstreams.iter().map(|config| config.target.clone()).collect();
        let listed = visited(assembly, |started| {
            let slots = started.gateway.backends().shared().slots();
            slots.iter().map(|slot| slot.status().lists).collect::<Vec<_>>()
        });
        let known = listed.iter().flatten().cloned().chain(std::iter::repeat(None));
        self.0.extend(targets.into_iter().zip(known));
        listed.map(drop)
    }
}

/// Starts the servers that this plan is about, as its host would, and counts.
///
/// # Errors
/// If the file cannot be served, or none of its servers starts.
pub(super) fn count(
    program: &Program,
    serving: &Serving,
    plan: &Plan,
    listed: &mut Listed,
) -> Result<Cost, Failure> {
    let given = Given::<SourceArguments>::default()
        .with("mcp_config", [&plan.change.path])
        .with("inherit_env", ["true"]);
    let former_files = plan.moved.iter().flat_map(|moved| &moved.former.files);
    let source = given.with("mcp_config", former_files).resolve(None)?;
    let tried = plan.started();
    let is_tried = |name: &str| tried.iter().any(|tried| *tried == name);
    let source = source.retaining(|named| named.name.as_ref().is_some_and(|name| is_tried(name.as_str())));
    let progress: Arc<dyn Witness> = Arc::new(Progress::new());
    let strategies = build(&program.registry, &serving.options).map_err(Failure::Configuration)?;
    let choice = strategies.choose(None, &Permits::all(), &Offer::default(), Era::Session);
    let mut assembly = source.prepare(&program.registry, &serving.options, None)?;
    let (wanted, declared) = (assembly.upstreams.clone(), assembly.declared.clone());
    assembly.upstreams.retain(|config| listed.of(&config.target).is_none());
    let started = match assembly.upstreams.is_empty() {
        true => Ok(()),
        false => listed.start(Assembly { witness: Some(progress), ..assembly }),
    };
    let lists = |UpstreamConfig { name, target, .. }: &UpstreamConfig| {
        Some(UpstreamLists { name: name.clone()?, ..listed.of(target)??.clone() })
    };
    let lists: Vec<UpstreamLists> = wanted.iter().filter_map(lists).collect();
    if lists.is_empty() {
        started?;
    }
    let snapshot = Snapshot::assemble(Material {
        upstreams: &lists,
        complete: lists.len() == wanted.len(),
        files: &declared.files,
        rules: &declared.rules,
    });
    let view = View::of(Arc::new(snapshot), &Principal::anonymous());
    let listing: BTreeSet<&str> = view.tools().map(|tool| tool.tool().upstream().as_str()).collect();
    let of = |names: &[&String]| {
        let is_of = |upstream: &str| names.iter().any(|name| *name == upstream);
        view.clone().narrow(|one| matches!(one, Primitive::Tool(tool) if is_of(tool.upstream().as_str())))
    };
    // What an entry of ours lists that these servers are behind.
    let ours = |names: &[&String]| {
        let (view, strategy) = (of(names), &choice.strategy);
        let own = strategy.own(&view, &choice.traits).tools;
        let mut listing = strategy.list(&view, &choice.traits);
        listing.tools.extend(own.iter().map(|tool| tool.definition().clone()));
        listing
    };
    let served: Vec<&String> = plan.served.iter().collect();
    let mut cost = Cost { before: Lists::default(), after: Lists::default(), silent: Vec::new() };
    cost.before.add(&Full.list(&of(&served), &choice.traits));
    for moved in &plan.moved {
        let former: Vec<&String> = moved.former.names.iter().collect();
        if !former.is_empty() {
            cost.before.add(&ours(&former));
        }
        cost.after.add(&ours(&former.into_iter().chain(&moved.names).collect::<Vec<_>>()));
    }
    let is_moved = |name: &&&String| plan.moved.iter().any(|moved| moved.names.contains(name));
    for name in served.iter().filter(|name| !is_moved(name)) {
        cost.after.add(&ours(&[*name]));
    }
    // Of those behind our entries, some may be switched off.
    let is_wanted = |name: &str| wanted.iter().any(|config| config.name.as_deref() == Some(name));
    let is_meant = |name: &&String| plan.served.contains(name) || is_wanted(name);
    let silent = tried.into_iter().filter(|name| is_meant(name) && !listing.contains(name.as_str()));
    cost.silent = silent.cloned().collect();
    Ok(cost)
}
