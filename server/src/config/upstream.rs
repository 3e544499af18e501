//! From what a file says of an upstream to what is started or reached.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use mcp_disclosure_core::{Pattern, Switches, UpstreamName};
use mcp_disclosure_gateway::{
    Problem,
    upstream::{
        Authorizer, Endpoint, Program, Restart, Target, UpstreamConfig, UpstreamSettings, without_secrets,
    },
};
use mcp_disclosure_sign_in::{Settings, SignIn, folder_of_user};
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};

use super::{DisclosureFile, ESCAPED, Lookup, UpstreamEntry, Wrong, absolute, expand, own};
use crate::launcher::quoted;

/// An upstream of a source.
#[derive(Clone, Debug)]
pub struct Named {
    /// The operator's name for it; without one it is a slug of what it calls itself.
    pub name: Option<UpstreamName>,
    /// Where it is.
    pub target: Target,
    /// How its connection is kept.
    pub settings: UpstreamSettings,
    /// How to sign in to it, where it asks for that.
    pub oauth: Settings,
    /// How requests to it are authorized, where it can be signed in to: it is a URL, and no header authorizes them.
    pub sign_in: Option<SignIn>,
    /// Its entry in a file, with variables as written; `None` for what cannot be written in a file.
    pub entry: Option<UpstreamEntry>,
    /// Whether a file says so. Clients are served before such an upstream is ready.
    pub is_of_file: bool,
}

/// What a file's upstreams come down to, without those that are disabled. `base` is the file's directory.
///
/// # Errors
/// Every problem there is, with its place and a hint.
pub fn upstreams(file: &DisclosureFile, base: &Path) -> Result<Vec<Named>, Vec<Problem>> {
    let (mut upstreams, mut problems) = (Vec::new(), Vec::new());
    for (name, place, entry) in file.upstreams.0.iter().filter(|(_, _, entry)| !entry.disabled) {
        let tell = |Wrong { key, what, hint, .. }: Wrong| {
            let path: Vec<&str> = ["upstreams", name].into_iter().chain(key.splitn(2, '.')).collect();
            let place = file.places.of(&path).unwrap_or(place).clone();
            problems.push(Problem::new(format!("upstream '{name}': {what}")).at(place).hint(hint));
        };
        let parsed = UpstreamName::parse(name).map_err(|error| {
            vec![Wrong::new(error.to_string(), "give it a name; clashing tools are prefixed by it")]
        });
        match parsed.and_then(|name| Named::of_entry(Some(name), entry.clone(), base, &own)) {
            Ok(named) => upstreams.push(Named { is_of_file: true, ..named }),
            Err(wrong) => wrong.into_iter().for_each(tell),
        }
    }
    if problems.is_empty() { Ok(upstreams) } else { Err(problems) }
}

impl Named {
    /// The gateway's configuration of it. A start that `waits_for_all` is that of a command, which tries each of them once.
    pub fn config(self, waits_for_all: bool) -> UpstreamConfig {
        let Self { name, target, mut settings, .. } = self;
        if waits_for_all {
            settings.restart = Restart::Never;
        }
        UpstreamConfig { name, target, settings, awaited: waits_for_all || !self.is_of_file }
    }

    /// An upstream that no file could name: the program's own.
    pub fn given(name: Option<UpstreamName>, target: Target) -> Self {
        let (settings, oauth) = (UpstreamSettings::default(), Settings::default());
        Self { name, target, settings, oauth, sign_in: None, entry: None, is_of_file: false }
    }

    /// What an entry comes down to. `base` is what its relative paths are relative to.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn of_entry(
        name: Option<UpstreamName>,
        entry: UpstreamEntry,
        base: &Path,
        lookup: Lookup<'_>,
    ) -> Result<Self, Vec<Wrong>> {
        let (target, oauth) = (entry.target(base, lookup)?, entry.oauth(base)?);
        let settings = entry.settings();
        Ok(Self { settings, oauth, entry: Some(entry.seen_from(base)), ..Self::given(name, target) })
    }

    /// The same, where a person signs in with the command `login`. `files` are the arguments that name its file.
    pub fn signing_in(mut self, files: &str) -> Self {
        if let Target::Url(endpoint) = &mut self.target {
            let of_url = without_secrets(&endpoint.url).to_string();
            let name = self.name.as_deref().filter(|_| !files.is_empty()).unwrap_or(&of_url);
            let login = format!("mcp-disclosure login{files} {}", quoted(name));
            let folder = folder_of_user().filter(|_| !endpoint.forward.contains(&AUTHORIZATION));
            self.sign_in = folder.and_then(|folder| SignIn::new(endpoint, self.oauth.clone(), folder, login));
            endpoint.authorization = self.sign_in.clone().map(|sign_in| Authorizer(Arc::new(sign_in)));
        }
        self
    }

    /// The same with our whole environment, where it is a program.
    pub fn inheriting(mut self) -> Self {
        if let Target::Command(program) = &mut self.target {
            program.inherits = true;
            self.entry.iter_mut().for_each(|entry| entry.inherit_env = true);
        }
        self
    }
}

impl UpstreamEntry {
    /// Which tools of it exist, where not all of them do. `name` is its name, `place` where that is written.
    pub(crate) fn switches(&self, name: &str, place: String) -> Option<Switches> {
        let patterns = |texts: &[String]| texts.iter().map(|text| Pattern::new(text)).collect();
        let switches = Switches {
            upstream: UpstreamName::parse(name).ok()?,
            place,
            allow: self.allow.as_deref().map(patterns),
            hidden: patterns(&self.hidden),
            of_any: Vec::new(),
        };
        (switches.allow.is_some() || !switches.hidden.is_empty()).then_some(switches)
    }

    /// How to sign in to it. `base` is what relative paths are relative to.
    ///
    /// # Errors
    /// Everything that is wrong with that.
    fn oauth(&self, base: &Path) -> Result<Settings, Vec<Wrong>> {
        let Some(oauth) = &self.oauth else { return Ok(Settings::default()) };
        let mut wrong = Vec::new();
        let settings = oauth.settings(base, |key, text| expanded(key, text, &own, &mut wrong));
        let settings = settings.map_err(|(message, hint)| wrong.push(Wrong::of("oauth", message, hint)));
        if self.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
            let hint = "keep one of the two: the header is sent as it is, oauth gets one by signing in";
            wrong.push(Wrong::of("oauth", "has both oauth and a header Authorization", hint));
        }
        match settings {
            Ok(settings) if wrong.is_empty() => Ok(settings),
            _ => Err(wrong),
        }
    }

    /// How its connection is kept.
    fn settings(&self) -> UpstreamSettings {
        UpstreamSettings {
            connect_timeout: self.connect_timeout.map(Into::into),
            request_timeout: self.request_timeout.map(Into::into),
            restart: self.restart.unwrap_or_default(),
            scope: self.scope,
            pass: self.pass.clone(),
        }
    }

    /// The same for a file in another directory than `base`.
    fn seen_from(self, base: &Path) -> Self {
        let seen = |path: String| {
            let seen = absolute(&base.join(&path));
            if path.contains("${") { path } else { seen.to_string_lossy().into_owned() }
        };
        let command = self.command.map(|command| if is_path(&command) { seen(command) } else { command });
        let oauth = self.oauth.map(|oauth| oauth.seen_from(base));
        Self { command, cwd: self.cwd.map(seen), oauth, ..self }
    }

    /// What it comes down to. `base` is what relative paths are relative to.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn target(&self, base: &Path, lookup: Lookup<'_>) -> Result<Target, Vec<Wrong>> {
        let mut wrong = Vec::new();
        // A program that reads its own variables in its arguments, as mcp-remote does, gets these as they are: no secret of the
        // environment is in a command line.
        let left =
            |name: &str| lookup(name).or_else(|| self.env.contains_key(name).then(|| format!("${{{name}}}")));
        let mut filled = |key: &str, text: &str| {
            let lookup: Lookup<'_> = if key == "args" { &left } else { lookup };
            expanded(key, text, lookup, &mut wrong)
        };
        let command = self.command.as_deref().map(|command| filled("command", command));
        let command = command.map(|command| match base.join(&command).to_str() {
            Some(path) if is_path(&command) => path.to_owned(),
            _ => command,
        });
        let url = self.url.as_deref().map(|url| filled("url", url));
        let args: Vec<String> = self.args.iter().map(|arg| filled("args", arg)).collect();
        let cwd = self.cwd.as_deref().map(|cwd| base.join(filled("cwd", cwd)));
        let env = filled_map(&self.env, "env", &mut filled);
        let headers = filled_map(&self.headers, "headers", &mut filled);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let whole = |what: &str, hint: &str| Err(vec![Wrong::new(what, hint)]);
        match (command, url) {
            (Some(program), None) if !program.is_empty() => {
                let inherits = self.inherit_env;
                self.program(Program { program, arguments: args, environment: env, inherits, directory: cwd })
            }
            (None, Some(url)) => self.endpoint(&url, &headers),
            (Some(_), Some(_)) => {
                whole("has both command and url", "a program has a command, an endpoint a url")
            }
            _ => whole(
                "has neither command nor url",
                "command names a program, url an endpoint; say one of them",
            ),
        }
    }

    fn program(&self, program: Program) -> Result<Target, Vec<Wrong>> {
        let of_url = [
            ("headers", !self.headers.is_empty()),
            ("forward", !self.forward.is_empty() || self.forward_authorization),
            ("type", self.endpoint_type.is_some()),
            ("oauth", self.oauth.is_some()),
        ];
        let mut wrong = misplaced(
            of_url,
            "a url, and this is a program",
            "leave it out, or give a url; a program is given env",
        );
        if let Some(directory) = program.directory.as_ref().filter(|directory| !directory.is_dir()) {
            let message = format!("cwd: {} is no directory", directory.display());
            wrong.push(Wrong::of("cwd", message, "a relative cwd is relative to the file"));
        }
        let unfit = |name: &&String| name.is_empty() || name.contains(['=', '\0']);
        for name in program.environment.keys().filter(unfit) {
            let message = format!("env: '{name}' cannot be the name of a variable");
            wrong.push(Wrong::of(format!("env.{name}"), message, "names have no '='"));
        }
        if wrong.is_empty() { Ok(Target::Command(program)) } else { Err(wrong) }
    }

    fn endpoint(&self, url: &str, headers: &BTreeMap<String, String>) -> Result<Target, Vec<Wrong>> {
        let of_program = [
            ("args", !self.args.is_empty()),
            ("env", !self.env.is_empty()),
            ("cwd", self.cwd.is_some()),
            ("inherit_env", self.inherit_env),
        ];
        let hint = "leave it out, or give a command";
        let mut wrong = misplaced(of_program, "a program, and this is a url", hint);
        let url = spoken(url).map_err(|why| wrong.push(Wrong::of("url", format!("url: {why}"), SPOKEN))).ok();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                (Ok(name), Ok(mut value)) => {
                    // Whatever it is, it is not for logs.
                    value.set_sensitive(true);
                    map.insert(name, value);
                }
                _ => wrong.push(Wrong::of(
                    format!("headers.{name}"),
                    format!("headers: '{name}' and its value make no header"),
                    "a name has letters, digits and '-', and a value no line break",
                )),
            }
        }
        let forward = self.forwarded(&map, &mut wrong);
        match url {
            Some(url) if wrong.is_empty() => {
                let kind = self.endpoint_type.unwrap_or_default();
                Ok(Target::Url(Endpoint { url, kind, headers: map, authorization: None, forward }))
            }
            _ => Err(wrong),
        }
    }
}

/// How a URL begins that can be connected to.
pub(crate) const SPOKEN: &str = "it begins with http:// or https://";

/// A URL that can be connected to.
///
/// # Errors
/// Why this is none.
pub(crate) fn spoken(url: &str) -> Result<Url, String> {
    let url = Url::parse(url).map_err(|error| error.to_string())?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("{other} is not spoken")),
    }
}

/// The text of a key with its variables filled in; empty if that is not possible, which is added to what is wrong.
fn expanded(key: &str, text: &str, lookup: Lookup<'_>, wrong: &mut Vec<Wrong>) -> String {
    expand(text, lookup).unwrap_or_else(|message| {
        wrong.push(Wrong::of(key, format!("{key}: {message}"), ESCAPED));
        String::new()
    })
}

/// What is wrong with those of these keys that are there: they are for another kind of upstream.
fn misplaced(keys: [(&str, bool); 4], wanted: &str, hint: &str) -> Vec<Wrong> {
    let there = keys.into_iter().filter(|(_, is_there)| *is_there);
    there.map(|(key, _)| Wrong::of(key, format!("{key} is for {wanted}"), hint)).collect()
}

/// Whether a program is a path, and not a name to be found on the PATH.
fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator)
}

fn filled_map(
    map: &BTreeMap<String, String>,
    key: &str,
    filled: &mut impl FnMut(&str, &str) -> String,
) -> BTreeMap<String, String> {
    map.iter().map(|(name, text)| (name.clone(), filled(&format!("{key}.{name}"), text))).collect()
}
