//! From a recipe to a backend that serves.

use std::sync::{Arc, OnceLock};

use mcp_disclosure_core::{
    ClientTraits, Era, OwnTool, Principal, Snapshot, UpstreamLists, UpstreamName, View,
};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::{
    Backend, Declaration, Recipe, declare::Declarations, follow::Events, server_info,
    subscriptions::Subscriptions,
};
use crate::{
    catalogue::{Catalogue, Declared, Keeper},
    error::Error,
    problem::{Problem, Problems},
    session::{Audience, Client},
    upstream::{Target, Terms, Upstream, UpstreamError},
};

/// A first backend that serves, and the upstreams it serves without.
#[derive(Debug)]
pub struct Started {
    /// The backend.
    pub backend: Arc<Backend>,
    /// Upstreams that could not be used while others could.
    pub missing: Vec<UpstreamError>,
    /// What is declared now, for other backends.
    pub declared: watch::Receiver<Declared>,
    /// Takes what is declared anew.
    pub declarations: mpsc::Sender<Declaration>,
}

struct Connected {
    upstreams: Vec<Upstream>,
    lists: Vec<UpstreamLists>,
    missing: Vec<UpstreamError>,
    events: Events,
}

impl Recipe {
    /// Connects all upstreams at the same time, makes the first snapshot and starts to follow changes.
    /// `era` is the one that clients will speak, as far as is known.
    ///
    /// # Errors
    /// [`Error::Configuration`] with every problem of what is declared; [`Error::Upstreams`] where no upstream can be
    /// used.
    pub async fn first(
        &self,
        declared: Declared,
        era: Era,
        client: Option<Arc<Client>>,
    ) -> Result<Started, Error> {
        let Connected { upstreams, lists, missing, events } = self.connect(era, client.as_ref()).await?;
        let (keeper, snapshot) =
            Keeper::open(lists, declared.clone(), server_info(&upstreams), missing.is_empty());
        let catalogue = Catalogue::new(snapshot);
        let problems = self.clashes(catalogue.current().snapshot());
        if !problems.is_empty() {
            return Err(refuse(&upstreams, problems.into()).await);
        }
        let (in_force, declared) = watch::channel(declared);
        let (declarations, asked) = mpsc::channel(1);
        let asked = Declarations::Asked { asked, in_force };
        let backend = assemble(upstreams, catalogue, keeper, events, asked, client);
        Ok(Started { backend, missing, declared, declarations })
    }

    /// One more, for a client of its own. Lists that are those of `like` share what was made of them.
    ///
    /// # Errors
    /// [`Error::Upstreams`] where no upstream can be used.
    pub async fn another(
        &self,
        era: Era,
        client: Arc<Client>,
        declared: watch::Receiver<Declared>,
        like: &Catalogue,
    ) -> Result<Arc<Backend>, Error> {
        let Connected { upstreams, lists, missing, events } = self.connect(era, Some(&client)).await?;
        missing.iter().for_each(
            |missing| tracing::warn!(error = %missing, "an upstream is left out, the others are served"),
        );
        let now = declared.borrow().clone();
        let (keeper, snapshot) = Keeper::open_again(lists, now, server_info(&upstreams), missing.is_empty());
        let catalogue = like.or_new(snapshot);
        let passed_on = Declarations::PassedOn(declared);
        Ok(assemble(upstreams, catalogue, keeper, events, passed_on, Some(client)))
    }

    /// Connects and lists all at once. Those that fail are left out as long as one does not.
    async fn connect(&self, era: Era, client: Option<&Arc<Client>>) -> Result<Connected, Error> {
        let (sender, events) = mpsc::unbounded_channel();
        let terms =
            Terms { timeouts: self.timeouts, limits: self.limits, lineage: Arc::clone(&self.lineage) };
        let connecting = self.targets.iter().enumerate().map(|(number, (name, target))| {
            let (sender, terms) = (sender.clone(), terms.clone());
            async move {
                let upstream =
                    Upstream::connect(target, name.clone(), number, terms, era, &sender, client).await?;
                match upstream.lists().await {
                    Ok(lists) => Ok((upstream, lists)),
                    Err(error) => {
                        upstream.connection().close().await;
                        Err(error)
                    }
                }
            }
        });
        let (mut upstreams, mut all_lists, mut missing) = (Vec::<Upstream>::new(), Vec::new(), Vec::new());
        for connected in futures::future::join_all(connecting).await {
            match connected {
                Ok((upstream, mut lists)) => {
                    let upstream = distinct(upstream, &upstreams, &self.targets);
                    lists.name = upstream.name().clone();
                    upstreams.push(upstream);
                    all_lists.push(lists);
                }
                Err(error) => missing.push(error),
            }
        }
        if upstreams.is_empty() && !missing.is_empty() {
            return Err(Error::Upstreams(missing));
        }
        Ok(Connected { upstreams, lists: all_lists, missing, events })
    }

    /// Tools whose name clashes, with another or with a strategy's own, even in its long form.
    fn clashes(&self, snapshot: &Arc<Snapshot>) -> Vec<Problem> {
        let everything = View::of(Arc::clone(snapshot), &Principal::anonymous());
        let with_bridge = ClientTraits { bridge: true, ..ClientTraits::plain(Era::Session) };
        let own = self.strategies.iter().flat_map(|strategy| strategy.own_tools(&everything, &with_bridge));
        let own: Vec<OwnTool> = own.collect();
        let reserved: Vec<&str> = own.iter().map(OwnTool::name).collect();
        let mut names = snapshot.unresolvable(&reserved);
        names.sort();
        names.dedup();
        let told = |name| format!("tool '{name}': the name is taken, and so is <upstream>__<tool>");
        let hint = "give the upstream another name";
        names.iter().map(|name| Problem::new(told(name)).hint(hint)).collect()
    }
}

fn assemble(
    upstreams: Vec<Upstream>,
    catalogue: Catalogue,
    keeper: Keeper,
    events: Events,
    declarations: Declarations,
    client: Option<Arc<Client>>,
) -> Arc<Backend> {
    let (abandoned, to_let_go) = mpsc::unbounded_channel();
    let backend = Arc::new(Backend {
        server_info: server_info(&upstreams),
        catalogue,
        upstreams,
        subscriptions: Subscriptions::new(abandoned),
        audience: Audience::default(),
        client,
        ending: CancellationToken::new(),
        place: OnceLock::new(),
    });
    tokio::spawn(Arc::clone(&backend).follow(keeper, events, declarations));
    tokio::spawn(Arc::clone(&backend).let_go(to_let_go));
    backend
}

/// The upstream under a name that no other has. One that named itself gets no name that the operator gave another,
/// be that there or not: rules go by it.
fn distinct(upstream: Upstream, others: &[Upstream], targets: &[(Option<UpstreamName>, Target)]) -> Upstream {
    let is_given = |name: &str| targets.iter().any(|(given, _)| given.as_deref() == Some(name));
    let is_taken = |name: &str| is_given(name) || others.iter().any(|other| **other.name() == *name);
    if !upstream.is_self_named() || !is_taken(upstream.name()) {
        return upstream;
    }
    let candidates = (2..).map(|number| format!("{}-{number}", upstream.name()));
    let free =
        candidates.into_iter().find(|name| !is_taken(name)).and_then(|name| UpstreamName::parse(&name).ok());
    match free {
        Some(name) => upstream.renamed(name),
        None => upstream,
    }
}

async fn refuse(upstreams: &[Upstream], problems: Problems) -> Error {
    futures::future::join_all(upstreams.iter().map(|upstream| upstream.connection().close())).await;
    Error::Configuration(problems)
}
