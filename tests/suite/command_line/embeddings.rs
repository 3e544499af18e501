//! `[strategy.search.embeddings]`: a model on a server of its own (S13).

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes},
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::stream;
use kit::{
    HttpServer, Scenario,
    exchange::get,
    http_server::Received,
    messages::tool,
    process::{CACHE, Process, until},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{played, playing, program, shown, text};

const KEY: &str = "k3y-that-nobody-logs";

/// What the server does with a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Mode {
    #[default]
    Works,
    Late,
    Hangs,
    TooMany,
    Garbage,
    Few,
    OtherDimensions,
    Redirects,
    /// Texts about this thing are too long for it.
    RefusesOne,
}

/// A server that speaks OpenAI's protocol. Words that mean the same to it have the same vector.
type Model = HttpServer<Mutex<Mode>>;

async fn answer(mode: Arc<Mutex<Mode>>, request: Received) -> Response {
    let (mode, body) = (*mode.lock().unwrap(), request.message);
    let mut data: Vec<Value> = Vec::new();
    for (at, text) in body["input"].as_array().unwrap().iter().enumerate() {
        let components =
            if mode == Mode::OtherDimensions { vec![1.0; 3] } else { vector(text.as_str().unwrap()) };
        data.push(json!({"object": "embedding", "index": at, "embedding": components}));
    }
    match mode {
        Mode::Late => {
            tokio::time::sleep(Duration::from_secs(30)).await;
            return StatusCode::OK.into_response();
        }
        Mode::Hangs => {
            let broken = stream::once(async { Err::<Bytes, _>(io::Error::other("hangs up")) });
            return Body::from_stream(broken).into_response();
        }
        Mode::TooMany => return (StatusCode::TOO_MANY_REQUESTS, KEY).into_response(),
        Mode::Garbage => return "<html>".into_response(),
        Mode::Redirects => {
            let there =
                request.headers[header::HOST].to_str().unwrap().replace("127.0.0.1", "http://localhost");
            let there = [(header::LOCATION, there + "/elsewhere")];
            return (StatusCode::TEMPORARY_REDIRECT, there).into_response();
        }
        Mode::RefusesOne if body["input"].to_string().contains("thing_7:") => {
            return StatusCode::BAD_REQUEST.into_response();
        }
        Mode::Few => drop(data.remove(0)),
        // The order is that of `index`.
        Mode::Works | Mode::OtherDimensions | Mode::RefusesOne => data.rotate_left(1),
    }
    json!({"object": "list", "data": data}).to_string().into_response()
}

/// The vector of a text: what it is about, and a little of its length.
fn vector(text: &str) -> Vec<f32> {
    let topics = [["hound", "zorgle"], ["bill", "quindle"], ["lamp", "vashti"]];
    let mut vector = vec![0.05; 8];
    vector[4 + text.len() % 4] += 0.1;
    for (at, words) in topics.iter().enumerate() {
        if words.iter().any(|word| text.contains(word)) {
            vector[at] = 1.0;
        }
    }
    vector
}

struct Scene {
    directory: TempDir,
    config: PathBuf,
    model: Model,
}

impl Scene {
    fn new(settings: &str) -> Self {
        let named = [("kennel", "Walks a hound."), ("ledger", "Books a bill."), ("beacon", "Lights a lamp.")];
        let named = named.map(|(name, description)| tool(name, description).to_string());
        let others = (0..40).map(|at| tool(&format!("thing_{at}"), "Does a thing.").to_string());
        let (directory, scenario) = played(&Scenario::with_tools(named.into_iter().chain(others)));
        let config = directory.path().join("disclosure.toml");
        let model = Model::apart(Mutex::default(), answer);
        let upstream = playing("u", &scenario);
        let embeddings = format!(
            "[strategy.search.embeddings]\nurl = \"http://{}/v1\"\nmodel = \"m\"\nkey_env = \"MODEL_KEY\"\n",
            model.address()
        );
        std::fs::write(&config, format!("{upstream}{embeddings}{settings}")).unwrap();
        Self { directory, config, model }
    }

    fn start(&self) -> Process {
        let mut command = program(&["--log", "debug", "serve", "--strategy", "search"]);
        command.args(["--admin", "127.0.0.1:0", "--config", shown(&self.config)]);
        let mut gateway =
            Process::start(command.env(CACHE, self.directory.path().join("cache")).env("MODEL_KEY", KEY));
        gateway.initialize();
        gateway
    }

    /// Whether vectors are on disk, which is when all were read.
    fn has_kept(&self) -> bool {
        let kept = std::fs::read_dir(self.directory.path().join("cache/mcp-disclosure/embeddings"));
        kept.into_iter().flatten().any(|file| file.unwrap().path().extension().is_some())
    }
}

/// The name of the first hit; none, if nothing is found.
fn first(gateway: &mut Process, query: &str) -> Option<String> {
    let answer = gateway.call("search_tools", json!({"query": query}));
    let found: Value = serde_json::from_str(text(&answer)).unwrap();
    Some(found["tools"][0]["name"].as_str()?.to_owned())
}

fn fallbacks(gateway: &Process) -> u64 {
    let page = get(gateway.admin(), "/metrics", "Host: localhost\r\n").body;
    let line = page.lines().find(|line| line.starts_with("mcp_disclosure_search_fallbacks_total "));
    line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
}

#[test]
fn s13_a_model_finds_what_words_do_not_and_reads_each_tool_once() {
    let scene = Scene::new("dimensions = 8\n");
    let mut gateway = scene.start();
    // Words alone find nothing, and a tool's name needs no model.
    assert_eq!(first(&mut gateway, "zorgle"), None);
    assert!(fallbacks(&gateway) >= 1);
    for (query, found) in [("zorgle", "kennel"), ("quindle", "ledger"), ("vashti", "beacon")] {
        assert!(until(|| first(&mut gateway, query).as_deref() == Some(found)), "{query}");
    }
    assert!(until(|| scene.has_kept()));
    let asked = scene.model.received().len();
    assert_eq!(first(&mut gateway, "thing_7").as_deref(), Some("thing_7"));
    assert_eq!(scene.model.received().len(), asked);
    gateway.finish().says(0, &["search: a model reads tools"]);
    let mut read = Vec::new();
    let asked = scene.model.received();
    for request in &asked {
        assert_eq!((&request.method, request.uri.path()), (&Method::POST, "/v1/embeddings"));
        assert_eq!(request.header("authorization"), Some(&*format!("Bearer {KEY}")));
        let body = &request.message;
        assert_eq!((&body["model"], &body["dimensions"]), (&json!("m"), &json!(8)));
        let texts = body["input"].as_array().unwrap();
        assert!(texts.len() <= 32);
        read.extend(texts.iter().filter(|text| text.as_str().unwrap().contains("thing_")).cloned());
    }
    assert_eq!(read.len(), 40);
    // The next run knows them from its disk.
    let mut gateway = scene.start();
    assert!(until(|| first(&mut gateway, "zorgle").as_deref() == Some("kennel")));
    let received = scene.model.received().split_off(asked.len());
    assert!(received.iter().all(|request| request.message["input"] == json!(["zorgle"])), "{received:?}");
    gateway.finish().says(0, &[]).omits(&[KEY]);
}

#[test]
fn s13_a_server_that_fails_costs_no_answer_and_is_used_when_it_is_back() {
    let scene = Scene::new("");
    let mut gateway = scene.start();
    assert!(until(|| first(&mut gateway, "zorgle").as_deref() == Some("kennel") && scene.has_kept()));
    gateway.finish();
    for (mode, says) in [
        (Mode::Late, "gave no answer in time"),
        (Mode::Hangs, "closed the connection"),
        (Mode::TooMany, "answered HTTP 429"),
        (Mode::Garbage, "did not send a vector for each text"),
        (Mode::Few, "did not send a vector for each text"),
        (Mode::Redirects, "redirects to another origin, http://localhost:"),
    ] {
        *scene.model.lock().unwrap() = mode;
        let mut gateway = scene.start();
        let began = Instant::now();
        assert_eq!(first(&mut gateway, "walk a hound").as_deref(), Some("kennel"), "{mode:?}");
        gateway.logged(says);
        assert!(began.elapsed() < Duration::from_secs(15), "{mode:?}");
        assert!(fallbacks(&gateway) >= 1, "{mode:?}");
        let ended = gateway.finish();
        ended.says(0, &["; the built-in ranking answers for 2 s"]);
        assert!(!ended.stderr.contains(KEY), "{}", ended.stderr);
    }
    let mut gateway = scene.start();
    assert!(until(|| {
        first(&mut gateway, "walk a hound").is_some()
            && gateway.log().iter().any(|line| line.contains("for 2 s"))
    }));
    *scene.model.lock().unwrap() = Mode::Works;
    assert!(until(|| first(&mut gateway, "zorgle").as_deref() == Some("kennel")));
    // Another model by the same name: tools are read again.
    *scene.model.lock().unwrap() = Mode::OtherDimensions;
    assert_eq!(first(&mut gateway, "walk a hound").as_deref(), Some("kennel"));
    assert!(!scene.model.received().iter().any(|request| request.uri.path().contains("elsewhere")));
}

#[test]
fn s13_a_text_that_is_refused_keeps_no_other_from_being_read() {
    let scene = Scene::new("");
    *scene.model.lock().unwrap() = Mode::RefusesOne;
    let mut gateway = scene.start();
    assert!(until(|| first(&mut gateway, "zorgle").as_deref() == Some("kennel") && scene.has_kept()));
    // It is not asked for again, and the server does not count as one that fails.
    let asked = scene.model.received().len();
    for query in ["quindle", "vashti"] {
        assert!(first(&mut gateway, query).is_some());
    }
    let received = scene.model.received().split_off(asked);
    assert!(received.iter().all(|request| !request.message.to_string().contains("thing_7")));
    let ended = gateway.finish();
    assert!(!ended.says(0, &[]).stderr.contains("the built-in ranking answers"), "{}", ended.stderr);
}
