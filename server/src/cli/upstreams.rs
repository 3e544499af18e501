//! The upstreams that flags give.

use mcp_disclosure_core::UpstreamName;
use mcp_disclosure_gateway::{
    Problem,
    upstream::{Target, without_secrets},
};
use reqwest::header::{HeaderName, HeaderValue};

use crate::{
    config::{Named, UpstreamEntry},
    failure::Failure,
    flags::SourceArguments,
};

impl SourceArguments {
    /// The upstreams that flags give.
    pub(crate) fn given(&self) -> Result<Vec<Named>, Failure> {
        let mut given = Vec::new();
        if let Some((program, arguments)) = self.command.split_first() {
            let entry = Some(UpstreamEntry::of_command(&self.command));
            let target = Target::command(program, arguments);
            given.push(Named { entry, ..Named::given(None, target) });
        }
        for url in &self.upstream_url {
            if !matches!(url.scheme(), "http" | "https") {
                let message =
                    format!("--upstream-url {}: only http and https are spoken", without_secrets(url));
                return Err(Failure::usage(Problem::new(message)));
            }
            let entry = Some(UpstreamEntry::of_url(url));
            given.push(Named { entry, ..Named::given(None, Target::url(url.clone())) });
        }
        self.add_headers(&mut given)?;
        let name = parse_name(self.name.as_deref())?;
        let is_file = self.config.is_some() || !self.mcp_config.is_empty();
        let switches = [("--hide-tool", &self.hide_tool), ("--only-tool", &self.only_tool)];
        let switch = switches.iter().find(|(_, tools)| !tools.is_empty()).map(|(flag, _)| *flag);
        let wrong = match (&given[..], &name, switch) {
            (_, None, Some(flag)) => Some((flag, "needs the upstream's name", "add --name NAME")),
            ([], _, Some(_)) => Some((
                "--hide-tool, --only-tool:",
                "there is no upstream whose tools could be switched",
                "give its command after --, or write hidden and allow into the file that names it",
            )),
            ([], Some(_), None) if is_file => Some((
                "--name",
                "names the one upstream that is an argument, but there is none",
                "the name of an upstream in a file is its key there",
            )),
            ([_, _, ..], Some(_), _) => {
                Some(("--name", "names the one upstream, but there are several", "leave --name out"))
            }
            _ => None,
        };
        if let Some((flag, what, hint)) = wrong {
            return Err(Failure::usage(Problem::new(format!("{flag} {what}")).hint(hint)));
        }
        if let ([only], Some(_)) = (&mut given[..], &name) {
            only.name = name;
            self.switch_tools(only);
        }
        Ok(given.into_iter().map(|given| given.signing_in("")).collect())
    }

    /// Adds the headers that flags give to the one URL; their values are in the environment.
    fn add_headers(&self, given: &mut [Named]) -> Result<(), Failure> {
        for flag in &self.upstream_header {
            let wrong = |what: &str, hint: &str| {
                Failure::usage(Problem::new(format!("--upstream-header: {what}")).hint(hint))
            };
            let (name, variable) = flag.split_once('=').ok_or_else(|| {
                wrong("expected NAME=VARIABLE", "the value of the header is in the environment variable")
            })?;
            let [Named { target: Target::Url(endpoint), entry, .. }] = &mut *given else {
                return Err(wrong("there is not one --upstream-url", "put several into --config"));
            };
            let value = std::env::var(variable).map_err(|_| {
                wrong(
                    &format!("the environment variable '{variable}' is not set"),
                    "set it to the header's value",
                )
            })?;
            let (Ok(header), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
            else {
                return Err(wrong(
                    &format!("'{name}' and its value make no header"),
                    "values have no line breaks",
                ));
            };
            // Whatever it is, it is not for logs.
            value.set_sensitive(true);
            endpoint.headers.insert(header, value);
            let entry = entry.iter_mut();
            entry.for_each(|entry| drop(entry.headers.insert(name.to_owned(), format!("${{{variable}}}"))));
        }
        Ok(())
    }

    /// Which tools of the one given upstream exist.
    fn switch_tools(&self, given: &mut Named) {
        if let Some(entry) = &mut given.entry {
            entry.hidden.clone_from(&self.hide_tool);
            entry.allow = Some(self.only_tool.clone()).filter(|only| !only.is_empty());
        }
    }
}

/// The name of an upstream that `--name` says.
pub(crate) fn parse_name(name: Option<&str>) -> Result<Option<UpstreamName>, Failure> {
    let name = name.map(UpstreamName::parse).transpose();
    name.map_err(|error| Failure::usage(Problem::new(format!("--name: {error}"))))
}
