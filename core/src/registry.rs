//! The registry of a program's strategies.

use std::{cell::RefCell, collections::BTreeMap, convert::Infallible, fmt, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    adaptive,
    error::{BuildError, Error},
    full::{self, Full},
    profile::{Profile, Role},
    stack::Stack,
    strategy::DisclosureStrategy,
};

/// Settings by strategy name: the content of `[strategy.NAME]`, each an object.
pub type Settings = BTreeMap<String, Value>;

/// Why a strategy could not be built, and the key that is wrong.
type NotBuilt = (Option<String>, BuildError);

type Build = Box<dyn Fn(Value) -> Result<Arc<dyn DisclosureStrategy>, NotBuilt> + Send + Sync>;

/// A strategy that can be registered: its profile and its constructor.
pub struct PlugIn {
    profile: Profile,
    build: Build,
    everywhere: bool,
}

impl PlugIn {
    /// A strategy that is constructed from its settings: `PlugIn::new(&PROFILE, Resource::new)`.
    ///
    /// `C` is deserialized from `[strategy.NAME]`; from an empty table if there is none.
    pub fn new<C, S>(profile: &Profile, build: impl Fn(C) -> S + Send + Sync + 'static) -> Self
    where
        C: DeserializeOwned,
        S: DisclosureStrategy,
    {
        Self::fallible(profile, move |settings| Ok::<_, Infallible>(build(settings)))
    }

    /// A strategy whose construction can take time and fail, such as one that opens an index. It is built once at
    /// start, before any client is served; an error is reported like one in the configuration.
    pub fn fallible<C, S, E>(
        profile: &Profile,
        build: impl Fn(C) -> Result<S, E> + Send + Sync + 'static,
    ) -> Self
    where
        C: DeserializeOwned,
        S: DisclosureStrategy,
        E: Into<BuildError>,
    {
        let build: Build = Box::new(move |settings| {
            let config =
                C::deserialize(&settings).map_err(|error| (wrong_key::<C>(&settings), error.into()))?;
            Ok(Arc::new(build(config).map_err(|error| (None, error.into()))?))
        });
        Self { profile: profile.clone(), build, everywhere: false }
    }

    /// Makes this filter part of every stack without being named.
    pub fn everywhere(self) -> Self {
        Self { everywhere: true, ..self }
    }
}

impl fmt::Debug for PlugIn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PlugIn").field("profile", &self.profile).finish_non_exhaustive()
    }
}

/// Strategies by name, in the order of registration.
#[derive(Debug)]
pub struct Registry {
    plug_ins: Vec<PlugIn>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// A registry with `full` only.
    pub fn new() -> Self {
        Self { plug_ins: vec![PlugIn::new(&full::PROFILE, |full::Config {}| Full)] }
    }

    /// Registers a strategy.
    ///
    /// # Errors
    /// [`Error::InvalidName`], [`Error::ReservedName`], [`Error::DuplicateStrategy`], [`Error::InvalidLesson`], [`Error::InvalidFinder`],
    /// and [`Error::NotAFilter`] for a presenter that is registered [`everywhere`](PlugIn::everywhere).
    pub fn register(&mut self, plug_in: PlugIn) -> Result<&mut Self, Error> {
        let Profile { name, role, lesson, finder, .. } = &plug_in.profile;
        let error = |error: fn(String) -> Error| Err(error(name.to_string()));
        if name.is_empty() || name.contains(['+', '/']) {
            return error(Error::InvalidName);
        }
        if name == adaptive::NAME {
            return error(Error::ReservedName);
        }
        if self.find(name).is_some() {
            return error(Error::DuplicateStrategy);
        }
        if lesson.as_ref().is_some_and(|lesson| lesson.arguments("tool").is_none()) {
            return error(Error::InvalidLesson);
        }
        if finder.as_ref().is_some_and(|finder| finder.arguments("words").is_none()) {
            return error(Error::InvalidFinder);
        }
        if plug_in.everywhere && *role != Role::Filter {
            return error(Error::NotAFilter);
        }
        self.plug_ins.push(plug_in);
        Ok(self)
    }

    /// Registers a strategy in the place of the one of its name, if there is one.
    pub fn replace(&mut self, plug_in: PlugIn) {
        if let Some(known) = self.plug_ins.iter_mut().find(|known| known.profile.name == plug_in.profile.name)
        {
            *known = plug_in;
        }
    }

    /// The profiles of all strategies, in order.
    pub fn profiles(&self) -> impl Iterator<Item = &Profile> {
        self.plug_ins.iter().map(|plug_in| &plug_in.profile)
    }

    /// The names of the filters that are part of every stack.
    pub fn everywhere(&self) -> impl Iterator<Item = &str> {
        self.plug_ins.iter().filter(|plug_in| plug_in.everywhere).map(|plug_in| &*plug_in.profile.name)
    }

    /// A builder of strategies with these settings. It builds each at most once, in however many stacks it is used.
    pub fn builder<'r>(&'r self, settings: &'r Settings) -> Builder<'r> {
        Builder { registry: self, settings, built: RefCell::default() }
    }

    fn find(&self, name: &str) -> Option<&PlugIn> {
        self.plug_ins.iter().find(|plug_in| plug_in.profile.name == name)
    }
}

/// Builds the strategies of a registry. Common parts of stacks are built once.
#[derive(Debug)]
pub struct Builder<'r> {
    registry: &'r Registry,
    settings: &'r Settings,
    built: RefCell<BTreeMap<String, Arc<dyn DisclosureStrategy>>>,
}

impl Builder<'_> {
    /// Builds the stack of this name: a registered strategy, or several, joined by `+`. Filters that are
    /// registered [`everywhere`](PlugIn::everywhere) are part of it, named or not.
    ///
    /// The presenter of a stack without one is `full`.
    ///
    /// # Errors
    /// [`Error::UnknownStrategy`], [`Error::InvalidStack`] or [`Error::Build`].
    pub fn build(&self, name: &str) -> Result<Arc<Stack>, Error> {
        let named: Vec<&str> = name.split('+').collect();
        let mut filters = named.iter().map(|name| self.part(name)).collect::<Result<Vec<_>, _>>()?;
        let presenter = match filters.pop_if(|last| last.profile().role == Role::Presenter) {
            Some(presenter) => presenter,
            None => self.part(full::NAME)?,
        };
        let has_twice = (1..named.len()).any(|at| named[..at].contains(&named[at]));
        let stack = Stack::of(filters, presenter).filter(|_| !has_twice);
        let stack = stack.ok_or_else(|| Error::InvalidStack { stack: name.to_owned() })?;
        let unnamed = self.registry.everywhere().filter(|name| !named.contains(name));
        let unnamed = unnamed.map(|name| self.part(name)).collect::<Result<_, _>>()?;
        Ok(Arc::new(stack.under(unnamed)))
    }

    fn part(&self, name: &str) -> Result<Arc<dyn DisclosureStrategy>, Error> {
        if let Some(built) = self.built.borrow().get(name) {
            return Ok(Arc::clone(built));
        }
        let plug_in = self.registry.find(name).ok_or_else(|| {
            let known: Vec<&str> = self.registry.profiles().map(|profile| &*profile.name).collect();
            Error::UnknownStrategy { name: name.to_owned(), known: known.join(", ") }
        })?;
        let settings = self.settings.get(name).cloned().unwrap_or_else(|| Value::Object(Map::new()));
        let built = (plug_in.build)(settings).map_err(|(key, source)| Error::Build {
            name: name.to_owned(),
            key,
            source,
        })?;
        self.built.borrow_mut().insert(name.to_owned(), Arc::clone(&built));
        Ok(built)
    }
}

/// The key that cannot be read by itself, where nothing at all is read otherwise: errors of `serde` do not name it.
fn wrong_key<C: DeserializeOwned>(settings: &Value) -> Option<String> {
    let error = |settings: Map<String, Value>| {
        C::deserialize(&Value::Object(settings)).err().map(|error| error.to_string())
    };
    let without = error(Map::new());
    let mut keys = settings.as_object()?.iter();
    let is_wrong = |(key, value): &(&String, &Value)| {
        let alone = error(Map::from_iter([((*key).clone(), (*value).clone())]));
        alone.is_some() && alone != without
    };
    keys.find(is_wrong).map(|(key, _)| key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{finder::Finder, lesson::Lesson};

    #[test]
    fn invalid_registrations_are_refused_with_the_reason() {
        let (mut registry, filter) = (Registry::new(), Profile::filter("filter", "", ""));
        let mut refused = |profile: &Profile| {
            let plug_in = PlugIn::new(profile, |full::Config {}| full::Full).everywhere();
            registry.register(plug_in).unwrap_err().to_string()
        };
        for name in ["a+b", "a/b", ""] {
            let error = refused(&Profile { name: name.into(), ..filter.clone() });
            assert!(error.contains("invalid strategy name"), "{error}");
        }
        assert!(refused(&full::PROFILE).contains("registered twice"));
        let presenter = Profile::presenter("presenter", "", "");
        assert!(refused(&presenter).contains("not a filter"));
        assert!(refused(&filter.clone().taught_by(Lesson::new("learn", "7"))).contains("lesson"));
        assert!(refused(&filter.clone().found_by(Finder::new("find", "{}", &[]))).contains("finder"));
    }
}
