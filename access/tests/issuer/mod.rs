//! An issuer of tokens: it signs whatever it is asked to, rightly or wrongly, and serves its keys.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use axum::{Router, body::Body, extract::State, http::StatusCode, response::Response, routing::any};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    hmac,
    rand::SystemRandom,
    rsa,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    },
};
use serde_json::{Value, json};

/// A key that signs.
pub enum Key {
    Rsa(Box<RsaKeyPair>),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Key {
    /// The one RSA key of these tests.
    pub fn rsa() -> Self {
        Self::Rsa(Box::new(RsaKeyPair::from_pkcs8(include_bytes!("../rsa.pk8")).unwrap()))
    }

    pub fn ec() -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random).unwrap())
    }

    pub fn ed() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
            Self::Ed(_) => "EdDSA",
        }
    }

    /// As it stands in a set of keys.
    pub fn public(&self, id: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let rsa::PublicKeyComponents { n, e } =
                    rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public_key());
                json!({"kty": "RSA", "kid": id, "use": "sig", "alg": "RS256", "n": encoded(&n), "e": encoded(&e)})
            }
            Self::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "kid": id, "x": encoded(x), "y": encoded(y)})
            }
            Self::Ed(pair) => {
                json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": encoded(pair.public_key().as_ref())})
            }
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::Ec(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    /// A token with this header, whatever it says.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let message = unsigned(header, claims);
        format!("{message}.{}", encoded(&self.sign(message.as_bytes())))
    }

    /// A token as it should be.
    pub fn token(&self, id: &str, claims: &Value) -> String {
        self.token_with(&json!({"alg": self.algorithm(), "kid": id, "typ": "at+jwt"}), claims)
    }
}

/// A token whose signature is made with a secret.
pub fn token_by_secret(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let message = unsigned(header, claims);
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), message.as_bytes());
    format!("{message}.{}", encoded(tag.as_ref()))
}

/// The part of a token that is signed.
pub fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", encoded(header.to_string().as_bytes()), encoded(claims.to_string().as_bytes()))
}

pub fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What a server of keys answers.
#[derive(Clone)]
pub enum Answer {
    Keys(Vec<Value>),
    Status(u16),
    Endless,
    Redirect(String),
}

/// A server of keys.
#[derive(Clone)]
pub struct Server {
    pub url: String,
    answer: Arc<Mutex<Answer>>,
    asked: Arc<AtomicUsize>,
}

impl Server {
    pub async fn start(answer: Answer) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let server = Self { url, answer: Arc::new(Mutex::new(answer)), asked: Arc::default() };
        let router = Router::new().fallback(any(serve)).with_state(server.clone());
        tokio::spawn(async { axum::serve(listener, router).await });
        server
    }

    pub fn answers(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

async fn serve(State(server): State<Server>) -> Response {
    server.asked.fetch_add(1, Ordering::SeqCst);
    let answer = server.answer.lock().unwrap().clone();
    let (status, location, body) = match answer {
        Answer::Keys(keys) => (200, None, Body::from(json!({"keys": keys}).to_string())),
        Answer::Status(status) => (status, None, Body::empty()),
        Answer::Endless => {
            let pieces = std::iter::repeat_with(|| Ok::<_, std::convert::Infallible>(vec![b' '; 65536]));
            (200, None, Body::from_stream(futures::stream::iter(pieces)))
        }
        Answer::Redirect(to) => (302, Some(to), Body::empty()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    if let Some(location) = location {
        response.headers_mut().insert("location", location.parse().unwrap());
    }
    response
}
