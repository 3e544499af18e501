//! `login` and `logout`.

use std::{io::BufRead, path::PathBuf, time::SystemTime};

use clap::Args;
use mcp_disclosure_core::{nearest::did_you_mean, printable::lasting};
use mcp_disclosure_gateway::{
    Problem,
    upstream::{Endpoint, Target},
};
use mcp_disclosure_sign_in::{Answer, Begun, Error, PATIENCE, SignIn, SignedIn, asks_for_sign_in};
use mcp_disclosure_transport::printable::line;
use reqwest::header::AUTHORIZATION;
use tokio::sync::mpsc;

use super::{Program, print, runtime_for_one};
use crate::{
    config::{Named, SPOKEN, spoken},
    failure::Failure,
    flags::{Given, SourceArguments},
};

/// The length up to which scopes are shown, in characters: an authorization server chooses them.
const MOST_SCOPES: usize = 300;

/// Which upstreams are meant.
#[derive(Clone, Debug, Args)]
pub struct AccountArguments {
    /// Upstreams by their names in the files, or by their URLs
    #[arg(value_name = "UPSTREAM", required_unless_present = "all")]
    pub upstreams: Vec<String>,

    /// The disclosure.toml that names them
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub config: Option<PathBuf>,

    /// The file of an MCP host that names them; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub mcp_config: Vec<PathBuf>,

    /// All upstreams of the files; those that ask for no sign-in are left out
    #[arg(long, conflicts_with = "upstreams")]
    pub all: bool,
}

/// `login`.
#[derive(Debug, Args)]
pub struct LoginArguments {
    /// The upstreams.
    #[command(flatten)]
    pub accounts: AccountArguments,

    /// Open no browser; the address of its last page can be pasted, if it runs on another machine
    #[arg(long)]
    pub no_browser: bool,

    /// The port of this machine that the browser comes back to [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    /// A scope to ask for, besides the others; may be repeated
    #[arg(long = "scope", value_name = "SCOPE")]
    pub scopes: Vec<String>,
}

/// Signs in to upstreams, one after another.
///
/// # Errors
/// [`Failure::Unmet`] with every upstream that was not signed in to; [`Failure::Usage`] and [`Failure::Configuration`] if
/// it is not clear which ones are meant.
pub fn login(program: &Program, arguments: LoginArguments) -> Result<(), Failure> {
    let all = arguments.accounts.all;
    let accounts = arguments.accounts.clone().find(program)?;
    let mut pasted = arguments.no_browser.then(lines);
    runtime_for_one()?.block_on(async {
        let mut problems = Vec::new();
        for account in accounts {
            if all && !asks(&account).await? {
                continue;
            }
            match sign_in(&account, &arguments, pasted.as_mut()).await {
                Ok(signed_in) => {
                    print(format_args!("{} is signed in. {}", account.shown(), described(&signed_in)))?
                }
                Err(Failure::Unmet(found)) => problems.extend(found),
                Err(failure) => return Err(failure),
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Failure::Unmet(problems)) }
    })
}

/// Forgets tokens.
///
/// # Errors
/// As [`login()`].
pub fn logout(program: &Program, arguments: AccountArguments) -> Result<(), Failure> {
    let accounts = arguments.find(program)?;
    runtime_for_one()?.block_on(async {
        let mut problems = Vec::new();
        for account in accounts {
            match account.sign_in.forget().await {
                Ok(true) => {
                    print(format_args!("{} is signed out: its tokens are deleted.", account.shown()))?
                }
                Ok(false) => print(format_args!("{} was not signed in.", account.shown()))?,
                Err(error) => problems.push(account.problem(&error)),
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Failure::Unmet(problems)) }
    })
}

/// An upstream that can be signed in to.
struct Account {
    name: String,
    sign_in: SignIn,
}

impl Account {
    /// # Errors
    /// Why it cannot be signed in to at all.
    fn of(named: &Named) -> Result<Self, Problem> {
        let why = match &named.target {
            Target::Url(Endpoint { url, headers, .. })
                if headers.contains_key(AUTHORIZATION)
                    || !url.username().is_empty()
                    || url.password().is_some() =>
            {
                "is authorized by a header Authorization, or by its URL, as the operator decided"
            }
            Target::Url(_) => {
                "is reached by plain HTTP, where everyone on the way could read its tokens: use https"
            }
            _ => "is a program, which is not signed in to",
        };
        let name = name(named);
        let unusable = Problem::new(format!("upstream '{name}' {why}"));
        named.sign_in.clone().map(|sign_in| Self { name, sign_in }).ok_or(unusable)
    }

    fn shown(&self) -> String {
        format!("upstream '{}'", self.name)
    }

    fn problem(&self, error: &Error) -> Problem {
        let problem = Problem::new(format!("{} {error}", self.shown()));
        error.hint().into_iter().fold(problem, Problem::hint)
    }
}

impl AccountArguments {
    /// The upstreams that are meant; all of the files that can be signed in to, if none is named.
    fn find(self, program: &Program) -> Result<Vec<Account>, Failure> {
        let (urls, names): (Vec<_>, Vec<_>) =
            self.upstreams.into_iter().partition(|upstream| upstream.contains("://"));
        for url in &urls {
            // Without user information and query.
            let shown = url.split('?').next().and_then(|url| url.rsplit('@').next()).unwrap_or_default();
            spoken(url).map_err(|why| usage(format!("'{shown}' cannot be connected to: {why}"), SPOKEN))?;
        }
        let is_file = self.config.is_some() || !self.mcp_config.is_empty();
        if !is_file && (urls.is_empty() || !names.is_empty()) {
            let message = "no file is named in which the upstreams could be found";
            return Err(usage(
                message.to_owned(),
                "add --config FILE or --mcp-config FILE, or give the upstream's URL",
            ));
        }
        let given = urls.len();
        let source = Given::<SourceArguments>::default().with("upstream_url", urls);
        let source = source.with("config", self.config).with("mcp_config", self.mcp_config);
        let source = source.resolve(program.own.as_ref())?;
        let all = source.contents.map_err(Failure::Configuration)?.found.upstreams;
        if names.is_empty() && given == 0 {
            return Ok(all.iter().filter_map(|named| Account::of(named).ok()).collect());
        }
        let (of_files, of_urls) = all.split_at(all.len().saturating_sub(given));
        let of_name = |wanted: &String| {
            let named = of_files.iter().find(|named| named.name.as_deref() == Some(wanted));
            named.ok_or_else(|| unknown(wanted, of_files))
        };
        let (mut found, mut unusable) = (Vec::new(), Vec::new());
        for named in names.iter().map(of_name).chain(of_urls.iter().map(Ok)) {
            match Account::of(named?) {
                Ok(account) => found.push(account),
                Err(problem) => unusable.push(problem),
            }
        }
        if unusable.is_empty() { Ok(found) } else { Err(Failure::Usage(unusable)) }
    }
}

async fn asks(account: &Account) -> Result<bool, Failure> {
    let why = match asks_for_sign_in(&account.sign_in).await {
        Ok(true) => return Ok(true),
        Ok(false) => "asks for no sign-in".to_owned(),
        Err(error) => error.to_string(),
    };
    print(format_args!("{} is left out: it {why}", account.shown()))?;
    Ok(false)
}

async fn sign_in(
    account: &Account,
    arguments: &LoginArguments,
    pasted: Option<&mut mpsc::Receiver<String>>,
) -> Result<SignedIn, Failure> {
    let Account { sign_in, .. } = account;
    let failed = |error: Error| Failure::Unmet(vec![account.problem(&error)]);
    if sign_in.is_of_service() {
        return sign_in.begin_service().await.map_err(failed);
    }
    let mut begun = sign_in.begin(arguments.port, &arguments.scopes).await.map_err(failed)?;
    let minutes = PATIENCE.as_secs() / 60;
    print(format_args!("To sign in to {}, open this address within {minutes} minutes:", account.shown()))?;
    print("")?;
    print(format_args!("  {}", begun.url))?;
    print("")?;
    if arguments.no_browser {
        print(
            "If the browser is on another machine, its last page cannot be loaded: paste the address of that page here.",
        )?;
    } else if open::that_detached(&begun.url).is_err() {
        print("No browser could be opened.")?;
    }
    let answer = answer(&mut begun, pasted).await?.map_err(failed)?;
    begun.finish(answer).await.map_err(failed)
}

/// What the browser comes back with, or a person pastes.
async fn answer(
    begun: &mut Begun,
    pasted: Option<&mut mpsc::Receiver<String>>,
) -> Result<Result<Answer, Error>, Failure> {
    let state = begun.state.clone();
    let coming = begun.answer();
    tokio::pin!(coming);
    let Some(pasted) = pasted else { return Ok(coming.await) };
    loop {
        let line = tokio::select! {
            answer = &mut coming => return Ok(answer),
            Some(line) = pasted.recv() => line,
        };
        match Answer::pasted(&line, &state) {
            Ok(answer) => return Ok(Ok(answer)),
            Err(_) if line.trim().is_empty() => {}
            Err(error) => print(format_args!("The upstream {error}. Try again:"))?,
        }
    }
}

/// The lines of stdin. A thread waits for them, since nothing else can be interrupted while it does.
fn lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let read = std::io::stdin().lock().lines().map_while(Result::ok);
        read.take_while(|line| sender.blocking_send(line.clone()).is_ok()).for_each(drop);
    });
    lines
}

/// What a sign-in is good for.
pub(crate) fn described(signed_in: &SignedIn) -> String {
    let SignedIn { issuer, scopes, until, renews, file } = signed_in;
    let scopes = match scopes.is_empty() {
        true => "no scopes were named".to_owned(),
        false => format!("scopes: {}", line(&scopes.join(", "), MOST_SCOPES)),
    };
    let valid = match (until.map(left), renews) {
        (None, _) => "valid until it is withdrawn".to_owned(),
        (Some(None), true) => "renewed when it is used".to_owned(),
        (Some(None), false) => "expired: sign in again".to_owned(),
        (Some(Some(left)), true) => format!("valid for {left}, and renewed without you"),
        (Some(Some(left)), false) => format!("valid for {left}, and then to be repeated"),
    };
    format!("It is {valid} ({scopes}; by {issuer}; kept in {})", file.display())
}

/// The time until then, for people; `None` if it is over.
fn left(until: SystemTime) -> Option<String> {
    let left = until.duration_since(SystemTime::now()).ok()?.as_secs();
    (left > 0).then(|| lasting(left))
}

/// An upstream as messages call it.
pub(crate) fn name(named: &Named) -> String {
    named.name.as_ref().map_or_else(|| named.target.to_string(), ToString::to_string)
}

fn unknown(wanted: &str, upstreams: &[Named]) -> Failure {
    let names: Vec<&str> = upstreams.iter().filter_map(|named| named.name.as_deref()).collect();
    let otherwise = || format!("the upstreams are {}", names.join(", "));
    let hint = did_you_mean(wanted, names.iter().copied(), otherwise);
    usage(format!("no upstream is named '{wanted}'"), &hint)
}

fn usage(message: String, hint: &str) -> Failure {
    Failure::usage(Problem::new(message).hint(hint))
}
