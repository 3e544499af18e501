//! Selection of the strategy that serves a client.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use mcp_disclosure_core::{
    ClientTraits, Definitions, DisclosureStrategy, Era, Error, Objection, Permits, Principal, RawObject,
    Registry, Settings, Snapshot, View,
    adaptive::{DEFAULT_BUDGET, NAME as ADAPTIVE},
    full,
    nearest::{are_alike, meant, nearest},
};

use mcp_disclosure_transport::ErrorText;

use crate::{
    catalogue::Published,
    dialect::{Offer, ServerVariant, VariantHints, invalid_variant},
    fallback::{Advice, adaptive},
    manifests::Manifests,
    problem::{Place, Problem, Problems},
    strategies::OVER_BUDGET,
};

/// When a strategy's channel is offered as an ordinary tool as well.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumMessage,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    serde::Deserialize,
    serde::Serialize,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Bridge {
    /// To clients that have not declared the strategy that serves them.
    #[default]
    Auto,
    /// To everyone.
    Always,
    /// To no client.
    Never,
}

/// The operator's choices about strategies.
#[derive(Clone, Debug)]
pub struct StrategyOptions {
    /// The strategy for every client; `None` to negotiate.
    pub pinned: Option<String>,
    /// The strategies offered. Empty offers all, each behind the filters that apply to every strategy.
    pub offered: Vec<String>,
    /// The strategy for clients without a usable offer; [`ADAPTIVE`] for `full` where the complete list is within
    /// `budget`, else `over_budget`.
    pub fallback: String,
    /// What a complete list may cost under that, in tokens.
    pub budget: u64,
    /// The strategy for lists that cost more.
    pub over_budget: String,
    /// When bridges are listed.
    pub bridge: Bridge,
    /// What of definitions bridges deliver.
    pub definitions: Definitions,
    /// Whether manifests of complete lists are offered.
    pub manifest: Manifests,
    /// Settings by strategy.
    pub settings: Settings,
    /// Where a file has them.
    pub places: StrategyPlaces,
}

/// Where a file names strategies, for messages.
#[derive(Clone, Debug, Default)]
pub struct StrategyPlaces {
    /// Strategies and stacks, as they are written.
    pub names: Vec<(String, Place)>,
    /// Settings by strategy.
    pub settings: BTreeMap<String, Place>,
}

impl StrategyPlaces {
    /// The place of a strategy's name, alone or in a stack.
    fn of(&self, name: &str) -> Option<&Place> {
        let found = self.names.iter().find(|(written, _)| written.split('+').any(|part| part == name));
        found.map(|(_, place)| place)
    }
}

impl Default for StrategyOptions {
    fn default() -> Self {
        Self {
            pinned: None,
            offered: Vec::new(),
            fallback: full::NAME.to_owned(),
            budget: DEFAULT_BUDGET,
            over_budget: OVER_BUDGET.to_owned(),
            bridge: Bridge::Auto,
            definitions: Definitions::Slim,
            manifest: Manifests::On,
            settings: Settings::new(),
            places: StrategyPlaces::default(),
        }
    }
}

/// The available strategies and their selection.
#[derive(Debug)]
pub struct Strategies {
    offered: Vec<NamedStrategy>,
    pinned: Option<NamedStrategy>,
    fallback: NamedStrategy,
    /// What a complete list may cost, in tokens, and the strategy for those that cost more.
    budget: u64,
    over_budget: Option<NamedStrategy>,
    bridge: Bridge,
    definitions: Definitions,
    manifest: Manifests,
    /// Strategies that clients get by their extension.
    by_extension: Vec<NamedStrategy>,
    /// Filters that apply to every strategy. Clients may still name them.
    everywhere: Vec<String>,
    /// What serves clients that disclose by themselves, by the name of the strategy that gives way.
    complete: HashMap<String, NamedStrategy>,
}

pub(crate) type NamedStrategy = (Arc<str>, Arc<dyn DisclosureStrategy>);

/// The strategy selected for a client.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its name.
    pub name: Arc<str>,
    /// The strategy.
    pub strategy: Arc<dyn DisclosureStrategy>,
    /// The client's traits that determine what it is shown.
    pub traits: ClientTraits,
    /// Whether what it is shown depends on the client's capabilities.
    pub depends_on_client: bool,
    /// Why it was selected, for logs.
    pub reason: Reason,
    /// Whether an address or the operator named it, so that requests cannot choose another.
    is_pinned: bool,
    /// Whether the strategy's extension is offered to the client: not to one that named a variant where it is turned off.
    may_be_declared: bool,
    /// The client's offer, without the settings of strategies.
    offer: Arc<Offer>,
}

impl Choice {
    /// What the client says of server variants, if it supports them.
    pub(crate) fn hints(&self) -> Option<&VariantHints> {
        self.offer.variants.as_ref()
    }
}

/// Why a strategy was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[non_exhaustive]
pub enum Reason {
    /// The URL path names it.
    #[strum(to_string = "the address names it")]
    Address,
    /// The operator pinned it.
    #[strum(to_string = "the operator pinned it")]
    Operator,
    /// It is the first offered strategy among the client's preferences.
    #[strum(to_string = "the client prefers it")]
    Preference,
    /// The client discloses by itself, and asks for complete definitions.
    #[strum(to_string = "the client discloses by itself")]
    Complete,
    /// It is the first that the caller may be served by.
    #[strum(to_string = "it is the first that the caller may use")]
    Permitted,
    /// The client declares its extension.
    #[strum(to_string = "the client declares its extension")]
    Extension,
    /// None of the client's preferences is offered.
    #[strum(to_string = "nothing the client named is offered")]
    NothingInCommon,
    /// The client has no preferences, but its hints for server variants fit it.
    #[strum(to_string = "the client's variant hints fit it")]
    Hint,
    /// The request names it as a server variant.
    #[strum(to_string = "the request names the variant")]
    Variant,
    /// The client has no preferences.
    #[strum(to_string = "the client named nothing")]
    NoOffer,
}

impl Strategies {
    /// Builds the strategies that the options name.
    ///
    /// # Errors
    /// Every unknown name and every invalid setting.
    pub fn build(registry: &Registry, options: &StrategyOptions) -> Result<Self, Problems> {
        let mut problems = foreign_settings(registry, options);
        let builder = registry.builder(&options.settings);
        let mut build = |name: &str| match builder.build(name) {
            Ok(strategy) => Some((Arc::from(&*strategy.profile().name), strategy)),
            Err(error) => {
                let problem = problem(&error, &options.places);
                problems.push(match name {
                    ADAPTIVE => {
                        problem.hint("it is for clients that request no strategy: --fallback adaptive")
                    }
                    _ => problem,
                });
                None
            }
        };
        let names: Vec<String> = if options.offered.is_empty() {
            let everywhere: Vec<&str> = registry.everywhere().collect();
            let names = registry.profiles().map(|profile| profile.name.to_string());
            names.filter(|name| !everywhere.contains(&&**name)).collect()
        } else {
            options.offered.clone()
        };
        let mut offered: Vec<NamedStrategy> = names.iter().filter_map(|name| build(name)).collect();
        let mut seen = HashSet::new();
        offered.retain(|(name, _)| seen.insert(Arc::clone(name)));
        let pinned = options.pinned.as_deref().map(&mut build);
        let is_adaptive = options.fallback == ADAPTIVE;
        // The default may not be among the strategies of a program that does not need it.
        let may_lack = options.over_budget == OVER_BUDGET && !is_adaptive;
        let is_known = |name: &str| registry.profiles().any(|profile| profile.name == name);
        let over_budget = (!may_lack || is_known(OVER_BUDGET)).then(|| build(&options.over_budget)).flatten();
        let fallback = match &over_budget {
            Some(over) if is_adaptive => build(&complete_name(&over.0))
                .map(|complete| adaptive(complete, over.clone(), options.budget)),
            None if is_adaptive => None,
            _ => build(&options.fallback),
        };
        if fallback.is_none() && !is_adaptive && are_alike(&options.fallback, ADAPTIVE) {
            let meant = |problem: Problem| match problem.remedy() {
                None => problem.hint(format!("did you mean '{ADAPTIVE}'?")),
                Some(_) => problem,
            };
            let last = problems.pop().map(meant);
            problems.extend(last);
        }
        let (pinned, Some(fallback)) = (pinned.flatten(), fallback) else { return Err(problems.into()) };
        if !problems.is_empty() {
            return Err(problems.into());
        }
        let everywhere = registry.everywhere().map(str::to_owned).collect();
        let mut complete = HashMap::new();
        for (name, strategy) in offered.iter().chain(&pinned).chain([&fallback]) {
            if strategy.profile().gives_way {
                let instead = complete_name(name);
                let built = builder.build(&instead).map_err(|error| vec![Problem::new(describe(&error))])?;
                complete.insert(name.to_string(), (instead.into(), built));
            }
        }
        // Extensions are off by default: an operator turns one on by naming its strategy.
        let is_asked_for = |strategy: &dyn DisclosureStrategy| {
            let presenter = strategy.profile().name.rsplit('+').next().unwrap_or_default().to_owned();
            !options.offered.is_empty() || options.settings.contains_key(&presenter)
        };
        let has_extension = |(_, strategy): &&NamedStrategy| {
            strategy.profile().extension.is_some() && is_asked_for(&**strategy)
        };
        let by_extension = offered.iter().filter(has_extension).cloned().collect();
        let StrategyOptions { bridge, definitions, manifest, budget, .. } = *options;
        let mut strategies = Self {
            offered,
            pinned,
            fallback,
            budget,
            over_budget,
            bridge,
            definitions,
            manifest,
            by_extension,
            everywhere,
            complete,
        };
        let unoffered = strategies.pinned.clone().filter(|(name, _)| !strategies.is_offered(name));
        strategies.offered.extend(unoffered);
        Ok(strategies)
    }

    /// Keeps the strategies that can serve this snapshot. A strategy with objections is not offered, with a
    /// warning.
    ///
    /// # Errors
    /// Every objection of the pinned strategy, or of the fallback.
    pub fn fitting(mut self, snapshot: &Arc<Snapshot>) -> Result<Self, Problems> {
        let everything = View::of(Arc::clone(snapshot), &Principal::anonymous());
        let required = [self.pinned.as_ref(), Some(&self.fallback)];
        let required: HashSet<Arc<str>> =
            required.into_iter().flatten().map(|(name, _)| Arc::clone(name)).collect();
        let problems = self.problems(&everything);
        if !problems.is_empty() {
            return Err(problems.into());
        }
        self.by_extension.retain(|(_, strategy)| strategy.objections(&everything).is_empty());
        self.offered.retain(|(name, strategy)| {
            let objections = strategy.objections(&everything);
            if !required.contains(name) {
                warn_of(name, "not offered", &objections);
            }
            objections.is_empty() || required.contains(name)
        });
        Ok(self)
    }

    /// Every objection of the pinned strategy and of the fallback. What both object to, such as a filter that they share,
    /// is one problem.
    fn problems(&self, everything: &View) -> Vec<Problem> {
        let mut seen = HashSet::new();
        let mut problems = Vec::new();
        for (name, strategy) in self.pinned.iter().chain([&self.fallback]) {
            let objections = strategy.objections(everything).into_iter();
            let objections = objections.filter(|objection| seen.insert(objection.message.clone()));
            problems.extend(objections.map(|objection| {
                Problem::new(format!("strategy '{name}': {}", objection.message)).hint(objection.hint)
            }));
        }
        problems
    }

    /// The names offered to clients.
    pub fn offered(&self) -> Vec<String> {
        self.offered.iter().map(|(name, _)| name.to_string()).collect()
    }

    /// Every strategy that may serve a client.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn DisclosureStrategy>> {
        let named = self.offered.iter().chain(&self.pinned).chain([&self.fallback]);
        let instead = self.complete.values().filter(|(name, _)| !self.is_offered(name));
        named.chain(instead).map(|(_, strategy)| strategy)
    }

    /// Whether filters' tools are listed to a client only until it uses their own methods.
    pub(crate) fn withdraws_bridges(&self) -> bool {
        self.bridge == Bridge::Auto
    }

    /// The names offered to clients with these permissions.
    pub fn offered_to(&self, permits: &Permits) -> Vec<String> {
        let offered = self.offered.iter().filter(|(name, _)| self.is_permitted(permits, name));
        offered.map(|(name, _)| name.to_string()).collect()
    }

    /// Whether a strategy is offered.
    fn is_offered(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a URL path may name this strategy, for clients with these permissions.
    pub fn is_offered_to(&self, permits: &Permits, name: &str) -> bool {
        self.is_offered(name) && self.is_permitted(permits, name)
    }

    /// Whether a strategy may serve clients with these permissions, with or without the filters that apply to every
    /// strategy.
    pub fn is_permitted(&self, permits: &Permits, name: &str) -> bool {
        let allowed = permits.strategies();
        allowed.is_none_or(|allowed| allowed.iter().any(|other| self.plain(other) == self.plain(name)))
    }

    /// The first strategy that is permitted, where the operator restricts them.
    fn first_permitted(&self, permits: &Permits) -> Option<NamedStrategy> {
        permits.strategies()?.into_iter().find_map(|name| self.find(name))
    }

    /// The extensions that a client with these permissions may use, or could if it declared them, by id, with the server's
    /// settings.
    pub fn extensions(&self, choice: &Choice, permits: &Permits) -> Vec<(&'static str, &'static str)> {
        let own = choice.strategy.profile().extension.filter(|_| choice.may_be_declared);
        let is_free = matches!(choice.reason, Reason::NoOffer | Reason::NothingInCommon | Reason::Permitted);
        let permitted = self.by_extension.iter().filter(|(name, _)| self.is_permitted(permits, name));
        let others = permitted.filter_map(|(_, strategy)| strategy.profile().extension);
        let others = others.filter(|other| is_free && own.is_none_or(|own| own.id != other.id));
        own.into_iter().chain(others).map(|extension| (extension.id, extension.settings)).collect()
    }

    /// Selects a strategy: by the URL path, then the operator's pin, then the client's first offered preference, then an
    /// extension that it declares, then the fallback. A client that discloses by itself gets complete definitions where that
    /// strategy gives way.
    ///
    /// What `permits` does not permit is passed over; in place of the fallback, the first that it permits serves.
    pub fn choose(&self, address: Option<&str>, permits: &Permits, offer: &Offer, era: Era) -> Choice {
        let is_permitted = |(name, _): &NamedStrategy| self.is_permitted(permits, name);
        let preferred =
            || offer.strategies.iter().filter_map(|name| self.find(name)).find(|named| is_permitted(named));
        let by_address = address.and_then(|name| self.find(name)).map(|named| (named, Reason::Address));
        let by_address = by_address.filter(|(named, _)| is_permitted(named));
        let operators = || self.pinned.clone().filter(|named| is_permitted(named));
        let pinned = by_address.or_else(|| operators().map(|named| (named, Reason::Operator)));
        let is_pinned = pinned.is_some();
        let chosen = pinned.or_else(|| preferred().map(|named| (named, Reason::Preference)));
        let declared = || {
            let is_declared = |(_, strategy): &&NamedStrategy| declares(offer, &**strategy);
            self.by_extension.iter().filter(is_declared).find(|named| is_permitted(named)).cloned()
        };
        let chosen = chosen.or_else(|| declared().map(|named| (named, Reason::Extension)));
        let chosen = chosen.or_else(|| self.hinted(permits, offer).map(|named| (named, Reason::Hint)));
        let nothing = if offer.strategies.is_empty() { Reason::NoOffer } else { Reason::NothingInCommon };
        let chosen = chosen.unwrap_or_else(|| {
            let instead = || self.first_permitted(permits).map(|named| (named, Reason::Permitted));
            let fallback = Some(self.fallback.clone()).filter(|named| is_permitted(named));
            fallback
                .map(|named| (named, nothing))
                .or_else(instead)
                .unwrap_or_else(|| (self.fallback.clone(), nothing))
        });
        self.choice(chosen, is_pinned, offer, era)
    }

    /// A client's choice.
    fn choice(&self, chosen: (NamedStrategy, Reason), is_pinned: bool, offer: &Offer, era: Era) -> Choice {
        let gives_way = chosen.0.1.profile().gives_way;
        let instead = self.complete.get(&*chosen.0.1.profile().name).filter(|_| offer.complete).cloned();
        let ((name, strategy), reason) = instead.map_or(chosen, |instead| (instead, Reason::Complete));
        let declared = declares(offer, &*strategy);
        let bridge = match self.bridge {
            Bridge::Auto => !declared && !self.names(offer, &name),
            Bridge::Always => true,
            Bridge::Never => false,
        };
        let filter_bridge = match self.bridge {
            Bridge::Auto => offer.is_empty(),
            Bridge::Always => true,
            Bridge::Never => false,
        };
        let (&Offer { omit_input_schema, shortest, .. }, definitions) = (offer, self.definitions);
        let manifest = self.manifest == Manifests::On;
        let traits = ClientTraits {
            era,
            bridge,
            declared,
            filter_bridge,
            manifest,
            omit_input_schema,
            shortest,
            definitions,
        };
        Choice {
            depends_on_client: !is_pinned || gives_way || self.differs_by_client(&*strategy),
            name,
            strategy,
            traits,
            reason,
            is_pinned,
            may_be_declared: true,
            offer: Arc::new(Offer { settings: RawObject::empty(), ..offer.clone() }),
        }
    }

    /// The strategy that suits the hints of a client which names none; `None` if that of all such clients does, or it gives no
    /// hints.
    fn hinted(&self, permits: &Permits, offer: &Offer) -> Option<NamedStrategy> {
        let hints = offer.variants.as_ref().filter(|_| offer.strategies.is_empty())?;
        let size = |named: &NamedStrategy| named.1.profile().context_size;
        let permitted = self.offered.iter().filter(|(name, _)| self.is_permitted(permits, name));
        let best = permitted.min_by_key(|named| hints.rank(size(named)))?;
        (hints.rank(size(best)) < hints.rank(size(&self.fallback))).then(|| best.clone())
    }

    /// The server variants that a client can choose, by its hints; first the one that serves it.
    pub(crate) fn variants(
        &self,
        choice: &Choice,
        permits: &Permits,
        hints: &VariantHints,
    ) -> Vec<ServerVariant> {
        let variant = |name: &Arc<str>, strategy: &Arc<dyn DisclosureStrategy>| ServerVariant {
            id: name.to_string(),
            description: strategy.profile().summary.to_string(),
            context_size: strategy.profile().context_size,
        };
        let mut variants = vec![variant(&choice.name, &choice.strategy)];
        let is_other = |name: &Arc<str>| !choice.is_pinned && *name != choice.name;
        let others =
            self.offered.iter().filter(|(name, _)| is_other(name) && self.is_permitted(permits, name));
        let mut others: Vec<_> = others.map(|(name, strategy)| variant(name, strategy)).collect();
        others.sort_by_key(|variant| hints.rank(variant.context_size));
        variants.extend(others);
        variants
    }

    /// The choice of a client for a request that names a server variant, as JSON text.
    ///
    /// # Errors
    /// -32602 if the client cannot choose it.
    pub(crate) fn vary(
        &self,
        choice: &Choice,
        permits: &Permits,
        requested: &str,
    ) -> Result<Choice, ErrorText> {
        let id = serde_json::from_str::<String>(requested).unwrap_or_default();
        if *id == *choice.name {
            return Ok(choice.clone());
        }
        let named = self.offered.iter().find(|(name, _)| **name == *id && !choice.is_pinned);
        let named = named.filter(|(name, _)| self.is_permitted(permits, name));
        let Some(named) = named else {
            let hints = choice.hints().cloned().unwrap_or_default();
            return Err(invalid_variant(requested, &self.variants(choice, permits, &hints)));
        };
        // What serves a client that discloses by itself is not exchanged for what it named.
        let mut offer = Offer { complete: false, ..(*choice.offer).clone() };
        let advertised = self.extensions(choice, permits);
        let own = named.1.profile().extension;
        let may_be_declared = own.is_none_or(|own| advertised.iter().any(|(id, _)| *id == own.id));
        // A client that declares an extension at every server does not use it at one that does not offer it, and needs the
        // bridge.
        if !may_be_declared {
            offer.extensions.retain(|declared| own.is_none_or(|own| declared != own.id));
        }
        let varied = self.choice((named.clone(), Reason::Variant), false, &offer, choice.traits.era);
        let filter_bridge = choice.traits.filter_bridge;
        let traits = ClientTraits { filter_bridge, ..varied.traits };
        Ok(Choice { traits, may_be_declared, ..varied })
    }

    /// That clients which request no strategy are listed more than they need, if they are.
    pub(crate) fn advice(&self, published: &Published) -> Option<String> {
        let nothing = Offer::default();
        let served = self.choose(None, &Permits::all(), &nothing, Era::Session);
        let over = self.over_budget.clone().filter(|_| served.reason == Reason::NoOffer)?;
        let instead = self.choice((over, Reason::NoOffer), false, &nothing, Era::Session);
        let advice = Advice::of(published, &served, &instead, self.budget)?;
        Some(advice.sentence(&instead.name))
    }

    /// Whether this strategy shows different items to different clients.
    fn differs_by_client(&self, strategy: &dyn DisclosureStrategy) -> bool {
        let profile = strategy.profile();
        profile.omits_schemas
            || profile.extension.is_some()
            || (profile.has_bridge && self.bridge == Bridge::Auto)
    }

    /// The offered strategy of this name, with or without the filters that apply to every strategy.
    fn find(&self, name: &str) -> Option<NamedStrategy> {
        let exact = self.offered.iter().find(|(offered, _)| **offered == *name);
        let same = || self.offered.iter().find(|(offered, _)| self.plain(offered) == self.plain(name));
        exact.cloned().or_else(|| Some((name.into(), Arc::clone(&same()?.1))))
    }

    /// Whether the client declared native support for this strategy.
    fn names(&self, offer: &Offer, strategy: &str) -> bool {
        offer.strategies.iter().any(|name| self.plain(name) == self.plain(strategy))
    }

    /// A strategy's name without the filters that apply to every strategy.
    fn plain<'a>(&self, name: &'a str) -> &'a str {
        self.everywhere.iter().fold(name, |name, filter| match name.strip_prefix(&**filter) {
            Some("") => full::NAME,
            Some(rest) => rest.strip_prefix('+').unwrap_or(name),
            None => name,
        })
    }
}

/// Whether a client declares the extension of a strategy.
fn declares(offer: &Offer, strategy: &dyn DisclosureStrategy) -> bool {
    strategy.profile().extension.is_some_and(|extension| offer.declares(extension.id))
}

/// The name of the stack with the same filters before `full`.
fn complete_name(name: &str) -> String {
    match name.rsplit_once('+') {
        Some((filters, _)) => format!("{filters}+{}", full::NAME),
        None => full::NAME.to_owned(),
    }
}

/// Why a strategy cannot be built, with what was probably meant, and where it is written.
pub fn problem(error: &Error, places: &StrategyPlaces) -> Problem {
    let problem = Problem::new(describe(error));
    let (place, near) = match error {
        Error::UnknownStrategy { name, known } => {
            (places.of(name), nearest(name, known.split(", "), 1).first().map(|near| (*near).to_owned()))
        }
        Error::Build { name, source } => {
            (places.settings.get(name), meant(&source.to_string()).map(str::to_owned))
        }
        _ => (None, None),
    };
    let problem = place.cloned().into_iter().fold(problem, Problem::at);
    near.into_iter().fold(problem, |problem, near| problem.hint(format!("did you mean '{near}'?")))
}

/// Settings for unknown strategies.
fn foreign_settings(registry: &Registry, options: &StrategyOptions) -> Vec<Problem> {
    let known: Vec<&str> = registry.profiles().map(|profile| &*profile.name).collect();
    let foreign = options.settings.keys().filter(|name| !known.contains(&name.as_str()));
    let problems = foreign.map(|name| {
        let hint = match nearest(name, known.iter().copied(), 1).first() {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("known are {}", known.join(", ")),
        };
        let problem = Problem::new(format!("settings for unknown strategy '{name}'")).hint(hint);
        options.places.settings.get(name).cloned().into_iter().fold(problem, Problem::at)
    });
    problems.collect()
}

/// Logs the first objection and the number of all.
pub fn warn_of(strategy: &str, consequence: &str, objections: &[Objection]) {
    if let Some(Objection { message, hint }) = objections.first() {
        tracing::warn!(strategy, objections = objections.len(), "{consequence}: {message} (hint: {hint})");
    }
}

/// The error and its sources, on one line.
pub fn describe(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
