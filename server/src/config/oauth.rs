//! `[upstreams.NAME.oauth]`: how to sign in to an upstream that asks for it.

use std::path::{Path, PathBuf};

use mcp_disclosure_sign_in::{Grant, Secret, Settings};
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(test)]
use super::schema;

/// How to sign in to an upstream that asks for it (OAuth 2.1). Most need none of this: `mcp-disclosure login NAME` is
/// enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct OauthEntry {
    /// How tokens are obtained. Default: "authorization_code".
    #[cfg_attr(test, schemars(with = "Option<schema::Word<Grant>>"))]
    pub grant: Option<Grant>,
    /// The id under which the authorization server knows mcp-disclosure. Default: it registers itself.
    pub client_id: Option<String>,
    /// The secret that belongs to the id: `"${VAR}"`, or `{ file = "PATH" }`.
    pub client_secret: Option<ClientSecret>,
    /// The scopes to ask for. Default: those that the upstream names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// A client's secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged, expecting = "client_secret must be a string, or { file = \"PATH\" }")]
pub enum ClientSecret {
    /// The secret, or a variable with it.
    Text(#[cfg_attr(test, schemars(with = "String"))] Secret),
    /// Where it is.
    File(SecretFile),
}

/// A file that holds a secret and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SecretFile {
    /// The file.
    pub file: PathBuf,
}

impl OauthEntry {
    /// The settings that it comes down to. `base` is the directory of the file; `filled` fills variables of a key's text.
    ///
    /// # Errors
    /// What is missing, or a secret that cannot be read; with what to do.
    pub(super) fn settings(
        &self,
        base: &Path,
        mut filled: impl FnMut(&str, &str) -> String,
    ) -> Result<Settings, (String, &'static str)> {
        let grant = self.grant.unwrap_or_default();
        let client_id = self.client_id.as_deref().map(|id| filled("oauth.client_id", id));
        let client_secret = match &self.client_secret {
            None => None,
            Some(ClientSecret::Text(text)) => Some(filled("oauth.client_secret", text.reveal())),
            Some(ClientSecret::File(SecretFile { file })) => Some(read(&base.join(file))?),
        };
        let is_complete = match grant {
            Grant::AuthorizationCode => client_secret.is_none() || client_id.is_some(),
            Grant::ClientCredentials => client_secret.is_some() && client_id.is_some(),
        };
        if !is_complete {
            let what = match grant {
                Grant::AuthorizationCode => "oauth: client_secret belongs to a client_id, which is missing",
                Grant::ClientCredentials => "oauth: client_credentials need a client_id and a client_secret",
            };
            return Err((what.to_owned(), "the authorization server gives out both together"));
        }
        Ok(Settings {
            grant,
            client_id,
            client_secret: client_secret.map(Secret::from),
            scopes: self.scopes.clone(),
        })
    }

    /// The same for a file in another directory than `base`.
    pub(super) fn seen_from(mut self, base: &Path) -> Self {
        if let Some(ClientSecret::File(SecretFile { file })) = &mut self.client_secret {
            *file = super::absolute(&base.join(&*file));
        }
        self
    }
}

fn read(path: &Path) -> Result<String, (String, &'static str)> {
    let shown = path.display();
    let wrong =
        |what| (format!("oauth.client_secret: {shown}: {what}"), "a relative path is relative to the file");
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    match text.trim() {
        "" => Err(wrong("it is empty".to_owned())),
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(toml: &str, base: &Path) -> Result<Settings, (String, &'static str)> {
        let entry: OauthEntry = toml::from_str(toml).unwrap();
        entry.settings(base, |_, text| text.replace("${ID}", "filled"))
    }

    #[test]
    fn a6_a_service_has_an_id_and_a_secret_by_variable_or_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "s3cret\n").unwrap();
        let toml = "grant = 'client_credentials'\nclient_id = '${ID}'\nclient_secret = { file = 'secret' }\nscopes = ['a']";
        let read = settings(toml, folder.path()).unwrap();
        assert_eq!((read.grant, read.client_id.as_deref()), (Grant::ClientCredentials, Some("filled")));
        assert_eq!(read.client_secret.as_ref().map(Secret::reveal), Some("s3cret"));
        assert!(!format!("{read:?}").contains("s3cret"));
        for (toml, wrong) in [
            ("grant = 'client_credentials'\nclient_id = 'x'", "client_credentials need"),
            ("client_secret = 's3cret'", "a client_id, which is missing"),
            ("client_id = 'x'\nclient_secret = { file = 'none' }", "none: "),
        ] {
            let (message, _) = settings(toml, folder.path()).unwrap_err();
            assert!(message.contains(wrong) && !message.contains("s3cret"), "{message}");
        }
        assert_eq!(settings("", folder.path()), Ok(Settings::default()));
    }
}
