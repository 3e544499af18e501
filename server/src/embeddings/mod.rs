//! `[strategy.search.embeddings]`: search by a model of the operator's choice (docs/CONTRACT.md S13).

mod kept;
mod model;

use std::num::NonZeroUsize;

use mcp_disclosure_core::{PlugIn, Registry};
use mcp_disclosure_ranking::Embedded;
use mcp_disclosure_strategy_search::{self as search, Search, SearchConfig};
use serde::Deserialize;
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

/// Why there is no search with these settings.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("{0}")]
    Search(#[from] serde_json::Error),
    #[error("embeddings: {0}")]
    Embeddings(serde_json::Error),
    #[error("embeddings.url must be an address such as http://localhost:11434/v1, not '{0}'")]
    Url(String),
    #[error("embeddings.key_env: the environment variable {0} is not set, or is not valid in a header")]
    Key(String),
    #[error("embeddings: no HTTP client could be made: {0}")]
    Client(#[from] reqwest::Error),
}

/// The strategies of the gateway; `search` ranks by a model where the operator names one.
pub fn builtin() -> Registry {
    let mut registry = mcp_disclosure_gateway::builtin();
    registry.replace(PlugIn::fallible(&search::PROFILE, of_settings));
    registry
}

fn of_settings(mut settings: Map<String, Value>) -> Result<Search, Unusable> {
    let embeddings = settings.remove("embeddings");
    let config: SearchConfig = serde_json::from_value(settings.into())?;
    let Some(embeddings) = embeddings else { return Ok(Search::new(config)) };
    let model = Model::new(&serde_json::from_value(embeddings).map_err(Unusable::Embeddings)?)?;
    let ranker = Embedded::new(&config.ranking(), model);
    Ok(Search::new(config).ranked_by(ranker))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s13_settings_are_refused_by_name() {
        let refused = |embeddings: Value| {
            let settings = json!({"hits": 3, "embeddings": embeddings});
            of_settings(settings.as_object().unwrap().clone()).unwrap_err().to_string()
        };
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
        let other = of_settings(json!({"hitz": 3}).as_object().unwrap().clone()).unwrap_err().to_string();
        assert!(other.contains("unknown field `hitz`"), "{other}");
    }
}
