//! Words, and the vectors of a model that runs elsewhere.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use mcp_disclosure_core::{Context, Digest, Note, View, VisibleTool};

use crate::{BuiltIn, LexicalSettings, Query, Ranker, Ranking, embedding::Embedding, words::beginning};

/// How much of a tool a model reads, in bytes: what it does stands at the beginning, and models refuse long texts.
const LONGEST: usize = 1_000;

/// The mean and the deviation of how near tools are to a query, whatever the model: the cosines of some are all between 0.6 and
/// 0.9. Those of the [built-in](BuiltIn) vectors have 0.09 and 0.125; with 0.125 here, a fifth of mcpproxy's right tools are weak.
const MEAN: f32 = 0.09;
/// See [`MEAN`].
const DEVIATION: f32 = 0.15;

/// What few tools are compared with: without others, none of them would be near.
const OTHERS: &[&str] = &[
    "send_email: Send an email",
    "get_forecast: Get the weather forecast of a city",
    "create_invoice: Create an invoice for a customer",
    "search_flights: Search flights between two airports",
    "read_file: Read a file as text",
    "run_query: Run a query on a database",
    "translate_text: Translate a text into another language",
    "play_song: Play a song",
    "list_issues: List the issues of a repository",
    "add_event: Add an event to a calendar",
    "convert_currency: Convert an amount of money",
    "take_screenshot: Take a screenshot of a page",
    "restart_service: Restart a service on a server",
    "find_recipes: Find recipes with these ingredients",
    "resize_image: Change the size of an image",
    "get_stock_price: Get the price of a stock",
    "book_room: Book a room in a hotel",
    "solve_equation: Solve an equation",
    "find_route: Find the way from one place to another",
    "delete_user: Delete the account of a user",
    "post_message: Post a message in a channel",
    "track_parcel: Say where a parcel is",
    "summarize_article: Summarize an article",
    "set_temperature: Set the temperature of a room",
];

/// The vectors that a model makes of texts.
#[async_trait]
pub trait Embeddings: fmt::Debug + Send + Sync + 'static {
    /// The vector of a query; `None` if there is none in time.
    async fn of_query(&self, text: &str) -> Option<Embedding>;

    /// The vectors of texts, by their digests and in their order, as far as they are there. Returns at once.
    fn of_texts(&self, digests: &[Digest]) -> Vec<Option<Arc<Embedding>>>;

    /// Whether it could make any of these that is not there. Returns at once.
    fn may_learn(&self, digests: &[Digest]) -> bool;

    /// Makes those of a view's [texts] that are not there, for later queries. Returns at once.
    fn learn(self: Arc<Self>, view: View);
}

/// Ranks by words, and by how near a model finds them to what a tool is about. While the model does not answer, the
/// [built-in](BuiltIn) ranker does.
#[derive(Debug)]
pub struct Embedded<E> {
    built_in: BuiltIn,
    embeddings: Arc<E>,
}

impl<E: Embeddings> Embedded<E> {
    /// A ranker with these settings, by this model.
    pub fn new(settings: &LexicalSettings, embeddings: Arc<E>) -> Self {
        Self { built_in: BuiltIn::new(settings), embeddings }
    }

    async fn nearness(&self, cx: &Context<'_>, query: &str) -> Option<Vec<f32>> {
        let digests = cx.derive(digests).await;
        let tools = self.embeddings.of_texts(&digests);
        if tools.iter().any(Option::is_none) && self.embeddings.may_learn(&digests) {
            Arc::clone(&self.embeddings).learn(cx.view.clone());
        }
        if tools.iter().all(Option::is_none) {
            return None;
        }
        nearness(&self.embeddings.of_query(query).await?, &tools)
    }
}

#[async_trait]
impl<E: Embeddings> Ranker for Embedded<E> {
    async fn rank(&self, cx: &Context<'_>, query: &Query<'_>) -> Ranking {
        // A name needs no model.
        if cx.view.tool(query.text).is_some() {
            return self.built_in.rank(cx, query).await;
        }
        self.built_in.prepare(cx).await;
        let near = self.nearness(cx, beginning(query.text, LONGEST)).await;
        if near.is_none() {
            cx.note(Note::FellBack);
        }
        self.built_in.rank_near(cx.view, query, near)
    }
}

/// What a model reads of the listed tools, in their order: name, brief and the beginning of the description; then what it reads
/// for comparison.
pub fn texts(view: &View) -> Vec<String> {
    let text = |tool: VisibleTool<'_>| {
        let own = tool.tool();
        let description = own.definition().string("description").unwrap_or_default();
        let text = format!("{}: {}\n{description}", own.upstream_name(), own.brief());
        beginning(&text, LONGEST).to_owned()
    };
    view.tools().map(text).chain(OTHERS.iter().map(|text| (*text).to_owned())).collect()
}

fn digests(view: &View) -> Vec<Digest> {
    texts(view).iter().map(|text| Digest::of_bytes(text.as_bytes())).collect()
}

/// How near tools are to a query; `None` if that is known of none. One of which it is not known is as near as most are.
fn nearness(query: &Embedding, tools: &[Option<Arc<Embedding>>]) -> Option<Vec<f32>> {
    let cosine = |tool: &Option<Arc<Embedding>>| query.cosine(tool.as_deref()?);
    let cosines: Vec<Option<f32>> = tools.iter().map(cosine).collect();
    // Precision is of no matter here.
    #[allow(clippy::cast_precision_loss)]
    let known = cosines.iter().flatten().count() as f32;
    let mean = cosines.iter().flatten().sum::<f32>() / known;
    let squares = cosines.iter().flatten().map(|cosine| (cosine - mean).powi(2));
    let deviation = (squares.sum::<f32>() / known).sqrt().max(1e-3);
    let near =
        |cosine: Option<f32>| cosine.map_or(MEAN, |cosine| MEAN + DEVIATION * (cosine - mean) / deviation);
    (known > 0.0).then(|| cosines.into_iter().map(near).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_a_score_means_the_same_whatever_the_model() {
        let at = |cosine: f32| Embedding::of(&[cosine, (1.0 - cosine * cosine).sqrt()]);
        let near = |cosines: [f32; 4]| {
            let mut tools: Vec<_> = cosines.map(|cosine| at(cosine).map(Arc::new)).into();
            tools.push(None);
            tools.push(Embedding::of(&[1.0]).map(Arc::new));
            nearness(&at(1.0).unwrap(), &tools).unwrap()
        };
        let (one, other) = (near([0.1, 0.2, 0.0, 0.9]), near([0.64, 0.68, 0.6, 0.96]));
        assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 0.02), "{one:?} {other:?}");
        assert!(one[3] > 0.3 && one[2] < MEAN);
        // What is not known, or not comparable, is neither near nor far.
        assert_eq!(one[4..], [MEAN, MEAN]);
        assert_eq!(nearness(&at(1.0).unwrap(), &[None]), None);
    }
}
