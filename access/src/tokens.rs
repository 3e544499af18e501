//! Bearer tokens, as digests: the tokens themselves are forgotten when they were read.

use std::{fmt, io::Read};

use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::settings::{Token, TokenSource};

/// A file that is longer is no token.
const MOST_BYTES: u64 = 16 * 1024;

/// A shorter token is easily guessed, which is said.
const LEAST_BYTES: usize = 16;

/// A token's SHA-256.
pub(crate) type Fingerprint = [u8; 32];

/// The fingerprint of a token.
pub(crate) fn fingerprint(token: &str) -> Fingerprint {
    Sha256::digest(token).into()
}

/// All tokens that could be read.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Tokens(Vec<(String, Fingerprint)>);

impl fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// A token that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token '{name}' ({from}): {problem}")]
pub(crate) struct Unreadable {
    name: String,
    from: String,
    problem: String,
}

impl Tokens {
    /// Reads all tokens.
    pub(crate) fn read(tokens: &[Token]) -> (Self, Vec<Unreadable>) {
        let (mut read, mut problems) = (Vec::new(), Vec::new());
        for token in tokens {
            let read_one = text(&token.source).and_then(|text| {
                let usable = usable(&text)?;
                warn_of(token, usable);
                Ok(fingerprint(usable))
            });
            let problem = match read_one {
                Ok(digest) if read.iter().any(|(_, other)| *other == digest) => {
                    "another name has the same token".to_owned()
                }
                Ok(digest) => {
                    read.push((token.name.clone(), digest));
                    continue;
                }
                Err(problem) => problem,
            };
            problems.push(Unreadable { name: token.name.clone(), from: token.source.to_string(), problem });
        }
        (Self(read), problems)
    }

    /// The name of a token, in a time that does not depend on which one it is, nor on how much of it is right.
    pub(crate) fn name_of(&self, digest: &Fingerprint) -> Option<&str> {
        let (mut found, mut place) = (Choice::from(0), 0_u64);
        for (at, (_, known)) in self.0.iter().enumerate() {
            let is_same = known.ct_eq(digest);
            place.conditional_assign(&(at as u64), is_same);
            found |= is_same;
        }
        let place = usize::try_from(place).ok()?;
        bool::from(found).then(|| self.0[place].0.as_str())
    }
}

fn warn_of(token: &Token, text: &str) {
    if text.len() < LEAST_BYTES {
        let Token { name, source } = token;
        tracing::warn!(
            "token '{name}' ({source}) has {} characters, and is easily guessed (hint: openssl rand -hex 32 makes one)",
            text.len()
        );
    }
}

fn text(source: &TokenSource) -> Result<String, String> {
    match source {
        TokenSource::Environment(name) => std::env::var(name).map_err(|_| "is not set".to_owned()),
        TokenSource::File(path) => {
            let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
            let mut text = String::new();
            file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
            if text.len() as u64 > MOST_BYTES {
                Err(format!("has more than {MOST_BYTES} bytes"))
            } else {
                Ok(text)
            }
        }
    }
}

fn usable(text: &str) -> Result<&str, String> {
    let token = text.trim();
    let is_plain = |character: char| character.is_ascii_graphic() && character != ',';
    if token.is_empty() {
        Err("is empty".to_owned())
    } else if !token.chars().all(is_plain) {
        Err("has characters that no bearer token has; a file holds one token".to_owned())
    } else {
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, TokenSource) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, text).unwrap();
        (folder, TokenSource::File(path))
    }

    fn token(name: &str, source: TokenSource) -> Token {
        Token { name: name.to_owned(), source }
    }

    #[test]
    fn a2_a_token_is_found_by_its_digest_and_shown_by_its_name() {
        let ((_one, first), (_two, second)) = (file("0123456789abcdef0\n"), file("0123456789abcdef1"));
        let list = [token("a", first), token("b", second)];
        let (tokens, problems) = Tokens::read(&list);
        assert!(problems.is_empty(), "{problems:?}");
        for (text, name) in [
            ("0123456789abcdef0", Some("a")),
            ("0123456789abcdef1", Some("b")),
            ("0123456789abcdef2", None),
            ("", None),
        ] {
            assert_eq!(tokens.name_of(&fingerprint(text)), name);
        }
        assert_eq!(format!("{tokens:?}"), r#"["a", "b"]"#);
        assert!(!format!("{list:?}").contains("0123456789abcdef"));
    }

    #[test]
    fn a2_what_is_no_token_is_said_without_showing_it() {
        for (text, problem) in [
            ("", "is empty"),
            ("\n", "is empty"),
            ("two words of a longer text", "characters that no bearer token has"),
            (&"x".repeat(20_000), "more than 16384 bytes"),
        ] {
            let (_folder, source) = file(text);
            let (_, problems) = Tokens::read(&[token("a", source)]);
            let message = problems[0].to_string();
            assert!(message.contains(problem) && !message.contains("two words"), "{message}");
        }
        let (_, problems) = Tokens::read(&[token("a", TokenSource::Environment("NO_SUCH_VARIABLE".into()))]);
        assert!(problems[0].to_string().contains("environment variable NO_SUCH_VARIABLE"));
    }
}
