//! `[strategy.search.embeddings]`: search by a model of the operator's choice (docs/CONTRACT.md S13).

mod kept;
mod model;

use std::num::NonZeroUsize;

use mcp_disclosure_core::{PlugIn, Registry};
use mcp_disclosure_ranking::Embedded;
use mcp_disclosure_strategy_search::{self as search, Search, SearchConfig};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};

use model::Model;

/// A server that speaks OpenAI's protocol for embeddings, and one of its models.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The base, such as `http://localhost:11434/v1`.
    url: String,
    model: String,
    /// The environment variable with the key.
    key_env: Option<String>,
    /// How many components vectors have; asked for if it is named.
    dimensions: Option<NonZeroUsize>,
}

/// `[strategy.search]` of this program.
struct Config {
    search: SearchConfig,
    embeddings: Option<Settings>,
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut settings = Map::<String, Value>::deserialize(deserializer)?;
        let embeddings = settings.remove("embeddings").map(serde_json::from_value).transpose();
        let embeddings = embeddings.map_err(|error| D::Error::custom(format_args!("embeddings: {error}")))?;
        Ok(Self { search: serde_json::from_value(settings.into()).map_err(D::Error::custom)?, embeddings })
    }
}

/// The strategies of the gateway; `search` ranks by a model where the operator names one.
pub fn builtin() -> Registry {
    let mut registry = mcp_disclosure_gateway::builtin();
    registry.replace(PlugIn::fallible(&search::PROFILE, of_settings));
    registry
}

/// The strategy of these settings, or why there is none.
fn of_settings(Config { search, embeddings }: Config) -> Result<Search, String> {
    let Some(embeddings) = embeddings else { return Ok(Search::new(search)) };
    let ranker = Embedded::new(&search.ranking(), Model::new(&embeddings)?);
    Ok(Search::new(search).ranked_by(ranker))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s13_settings_are_refused_by_name() {
        let of = |settings: Value| match serde_json::from_value::<Config>(settings) {
            Ok(config) => of_settings(config).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        let refused = |embeddings: Value| of(json!({"hits": 3, "embeddings": embeddings}));
        let url = "http://localhost:1/v1";
        for (embeddings, says) in [
            (json!({"model": "m"}), "embeddings: missing field `url`"),
            (json!({"url": url, "model": "m", "key": "x"}), "embeddings: unknown field `key`"),
            (json!({"url": "localhost", "model": "m"}), "embeddings.url must be an address"),
            (json!({"url": "file:///v1", "model": "m"}), "embeddings.url must be an address"),
            (json!({"url": url, "model": "m", "dimensions": 0}), "embeddings: invalid value"),
            (json!({"url": url, "model": "m", "key_env": "NO_SUCH_KEY"}), "variable NO_SUCH_KEY is not set"),
        ] {
            let error = refused(embeddings);
            assert!(error.contains(says), "{error}");
        }
        let other = of(json!({"hitz": 3}));
        assert!(other.contains("unknown field `hitz`"), "{other}");
    }
}
