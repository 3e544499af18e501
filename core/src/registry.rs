//! The one list of strategies that a program knows.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    error::Error,
    full::{Full, FullConfig},
    name::StrategyName,
    stack::Stack,
    strategy::{DisclosureStrategy, Profile, Role},
};

/// Settings of strategies, by strategy name: each an object, as `[strategy.NAME]` holds it.
pub type Settings = BTreeMap<String, Value>;

type Build = Box<dyn Fn(Value) -> Result<Arc<dyn DisclosureStrategy>, serde_json::Error> + Send + Sync>;

/// Strategies by name, in the order they were registered.
pub struct Registry {
    plug_ins: Vec<PlugIn>,
}

struct PlugIn {
    profile: Profile,
    build: Build,
    /// Whether it stands under every strategy that does not name it.
    everywhere: bool,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// A registry that knows `full` only.
    pub fn new() -> Self {
        let mut registry = Self { plug_ins: Vec::new() };
        registry.add(Full::new);
        registry
    }

    /// Registers a strategy by its constructor: `registry.register(Resource::new)?`.
    ///
    /// The configuration is what `[strategy.NAME]` deserializes to; its default is used for the profile.
    ///
    /// # Errors
    /// [`Error::DuplicateStrategy`] if the name is taken.
    pub fn register<C, S>(&mut self, new: fn(C) -> S) -> Result<&mut Self, Error>
    where
        C: DeserializeOwned + Default + 'static,
        S: DisclosureStrategy,
    {
        let name = new(C::default()).profile().name.clone();
        let name = StrategyName::parse(&name)?;
        if name.contains('+') || self.find(&name).is_some() {
            return Err(Error::DuplicateStrategy { name });
        }
        self.add(new);
        Ok(self)
    }

    /// Registers a filter that stands under every strategy without being named.
    ///
    /// # Errors
    /// [`Error::DuplicateStrategy`] if the name is taken, [`Error::NoFilter`] if it presents.
    pub fn register_everywhere<C, S>(&mut self, new: fn(C) -> S) -> Result<&mut Self, Error>
    where
        C: DeserializeOwned + Default + 'static,
        S: DisclosureStrategy,
    {
        let profile = new(C::default()).profile().clone();
        if profile.role != Role::Filter {
            return Err(Error::NoFilter { name: StrategyName::parse(&profile.name)? });
        }
        self.register(new)?;
        self.plug_ins
            .iter_mut()
            .filter(|plug_in| plug_in.profile.name == profile.name)
            .for_each(|plug_in| plug_in.everywhere = true);
        Ok(self)
    }

    fn add<C, S>(&mut self, new: fn(C) -> S)
    where
        C: DeserializeOwned + Default + 'static,
        S: DisclosureStrategy,
    {
        let profile = new(C::default()).profile().clone();
        let build: Build = Box::new(move |settings| Ok(Arc::new(new(serde_json::from_value(settings)?))));
        self.plug_ins.push(PlugIn { profile, build, everywhere: false });
    }

    /// The profiles of all strategies, in order.
    pub fn profiles(&self) -> impl Iterator<Item = &Profile> {
        self.plug_ins.iter().map(|plug_in| &plug_in.profile)
    }

    /// The names of the filters that stand under every strategy.
    pub fn everywhere(&self) -> impl Iterator<Item = &str> {
        self.plug_ins.iter().filter(|plug_in| plug_in.everywhere).map(|plug_in| &*plug_in.profile.name)
    }

    /// Builds the strategy of this name: one of those registered, or a stack of them joined by `+`. Filters that
    /// stand under every strategy stand under it, named or not.
    ///
    /// A stack without presenter presents by `full`.
    ///
    /// # Errors
    /// [`Error::UnknownStrategy`], [`Error::InvalidStack`] or [`Error::InvalidSettings`].
    pub fn build(&self, name: &str, settings: &Settings) -> Result<Arc<dyn DisclosureStrategy>, Error> {
        let invalid = || Error::InvalidStack { stack: name.to_owned() };
        let named: Vec<&str> = name.split('+').collect();
        let build = |name: &&str| self.build_one(name, settings);
        let mut filters = named.iter().map(build).collect::<Result<Vec<_>, _>>()?;
        let presenter = match filters.pop_if(|last| last.profile().role == Role::Presenter) {
            Some(presenter) => presenter,
            None => Arc::new(Full::new(FullConfig {})),
        };
        let has_twice = (1..named.len()).any(|at| named[..at].contains(&named[at]));
        let strategy = Stack::of(filters, presenter).filter(|_| !has_twice).ok_or_else(invalid)?;
        let unnamed: Vec<&str> = self.everywhere().filter(|name| !named.contains(name)).collect();
        Ok(Stack::under(unnamed.iter().map(build).collect::<Result<_, _>>()?, strategy))
    }

    fn build_one(&self, name: &str, settings: &Settings) -> Result<Arc<dyn DisclosureStrategy>, Error> {
        let plug_in = self.find(name).ok_or_else(|| {
            let known: Vec<&str> = self.profiles().map(|profile| &*profile.name).collect();
            Error::UnknownStrategy { name: name.to_owned(), known: known.join(", ") }
        })?;
        let settings = settings.get(name).cloned().unwrap_or_else(|| Value::Object(Map::new()));
        (plug_in.build)(settings).map_err(|source| match StrategyName::parse(name) {
            Ok(name) => Error::InvalidSettings { name, source },
            Err(error) => error,
        })
    }

    fn find(&self, name: &str) -> Option<&PlugIn> {
        self.plug_ins.iter().find(|plug_in| plug_in.profile.name == name)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.profiles().map(|profile| &profile.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::{context::ClientTraits, listing::Listing, view::View};

    #[derive(Debug)]
    struct Named(Profile);

    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NoConfig {}

    impl DisclosureStrategy for Named {
        fn profile(&self) -> &Profile {
            &self.0
        }
        fn list(&self, view: &View, _: &ClientTraits) -> Listing {
            Listing::complete(view)
        }
    }

    fn filter(_: NoConfig) -> Named {
        let mut profile = Full::new(FullConfig {}).profile().clone();
        profile.name = "filter".into();
        profile.role = Role::Filter;
        Named(profile)
    }

    #[test]
    fn builds_what_is_registered_and_stacks_of_it() {
        let mut registry = Registry::new();
        registry.register(filter).unwrap();
        assert!(registry.register(filter).is_err());
        let none = Settings::new();
        assert_eq!(registry.build("full", &none).unwrap().profile().name, "full");
        assert_eq!(registry.build("filter", &none).unwrap().profile().name, "filter+full");
        assert_eq!(registry.build("filter+full", &none).unwrap().profile().name, "filter+full");
        for (name, message) in [
            ("nope", "unknown strategy 'nope'; known are full, filter"),
            ("full+filter", "'full+filter' is no stack"),
            ("full+full", "'full+full' is no stack"),
        ] {
            let told = registry.build(name, &none).unwrap_err().to_string();
            assert!(told.starts_with(message), "{told}");
        }
        let wrong = Settings::from([("full".to_owned(), json!({"colour": 1}))]);
        assert_eq!(
            registry.build("full", &wrong).unwrap_err().to_string(),
            "settings of strategy 'full' are wrong"
        );
    }
}
