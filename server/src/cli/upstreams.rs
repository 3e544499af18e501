//! The upstreams that flags give.

use std::{collections::BTreeMap, path::Path};

use mcp_disclosure_core::UpstreamName;
use mcp_disclosure_gateway::Problem;

use crate::{
    config::{Named, UpstreamEntry, Wrong, escape, is_name, own},
    failure::Failure,
    flags::SourceArguments,
};

impl SourceArguments {
    /// The upstreams that flags give.
    pub(crate) fn given(&self) -> Result<Vec<Named>, Failure> {
        let name = parse_name(self.name.as_deref())?;
        let headers = self.headers()?;
        let mut words = self.command.iter().map(|word| escape(word));
        let command = words.next().map(|program| UpstreamEntry {
            command: Some(program),
            args: words.collect(),
            inherit_env: true,
            ..UpstreamEntry::default()
        });
        let urls = self.upstream_url.iter().map(|url| UpstreamEntry {
            url: Some(escape(url.as_str())),
            headers: headers.clone(),
            ..UpstreamEntry::default()
        });
        let entries: Vec<UpstreamEntry> = command.into_iter().chain(urls).collect();
        let is_file = self.config.is_some() || !self.mcp_config.is_empty();
        let switches = [("--hide-tool", &self.hide_tool), ("--only-tool", &self.only_tool)];
        let switch = switches.iter().find(|(_, tools)| !tools.is_empty()).map(|(flag, _)| *flag);
        let wrong = match (&entries[..], &name, switch) {
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
        let allow = Some(self.only_tool.clone()).filter(|only| !only.is_empty());
        let given = entries.into_iter().map(|entry| {
            let entry = UpstreamEntry { hidden: self.hide_tool.clone(), allow: allow.clone(), ..entry };
            let named = Named::of_entry(name.clone(), entry, Path::new(""), &own);
            let refused = |wrong: Vec<Wrong>| Failure::Usage(wrong.into_iter().map(by_flag).collect());
            Ok(named.map_err(refused)?.signing_in(""))
        });
        given.collect()
    }

    /// The headers of requests to the one URL, by the variables that hold them.
    fn headers(&self) -> Result<BTreeMap<String, String>, Failure> {
        let wrong = |what: &str, hint: &str| {
            Failure::usage(Problem::new(format!("--upstream-header: {what}")).hint(hint))
        };
        let is_of_one = self.upstream_url.len() == 1 && self.command.is_empty();
        let headers = self.upstream_header.iter().map(|flag| {
            let parts = flag.split_once('=').filter(|(_, variable)| is_name(variable));
            let (name, variable) = parts.ok_or_else(|| {
                wrong("expected NAME=VARIABLE", "the value of the header is in the environment variable")
            })?;
            if !is_of_one {
                return Err(wrong("there is not one --upstream-url", "put several into --config"));
            }
            if own(variable).is_none() {
                let what = format!("the environment variable {variable} is not set");
                return Err(wrong(&what, "set it to the header's value"));
            }
            Ok((name.to_owned(), format!("${{{variable}}}")))
        });
        headers.collect()
    }
}

/// What is wrong with an upstream, by the flag that says so.
fn by_flag(Wrong { key, what, hint, .. }: Wrong) -> Problem {
    let flag = match &*key {
        "url" => "--upstream-url",
        "" => "--",
        _ => "--upstream-header",
    };
    Problem::new(format!("{flag}: {what}")).hint(hint)
}

/// The name of an upstream that `--name` says.
pub(crate) fn parse_name(name: Option<&str>) -> Result<Option<UpstreamName>, Failure> {
    let name = name.map(UpstreamName::parse).transpose();
    name.map_err(|error| Failure::usage(Problem::new(format!("--name: {error}"))))
}
