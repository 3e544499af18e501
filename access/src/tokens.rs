//! Bearer tokens, as digests: the tokens themselves are forgotten when they were read.

use std::{fmt, io::Read};

use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::{
    error::UnreadableToken,
    settings::{Token, TokenSource},
};

/// A file that is longer is no token.
const MOST_BYTES: u64 = 16 * 1024;

/// A shorter token is easily guessed, so it gets a warning.
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

/// Why a source has no token.
enum Lack {
    /// There is no file any more.
    Gone(String),
    /// What is there is no token, or cannot be read.
    Unusable(String),
}

impl Tokens {
    /// Reads all tokens, and what is wrong with the others. Of a name whose token cannot be read that of `before` stays,
    /// unless its file was deleted: that withdraws it.
    pub(crate) fn read(tokens: &[Token], before: &Self) -> (Self, Vec<UnreadableToken>) {
        let (mut read, mut problems) = (Vec::<(String, Fingerprint)>::new(), Vec::new());
        for token in tokens {
            let former = before.0.iter().find(|(name, _)| *name == token.name).map(|(_, digest)| *digest);
            let is_taken = |digest: &Fingerprint| read.iter().any(|(_, other)| other == digest);
            let read_one = text(&token.source).and_then(|text| {
                let usable = usable(&text).map_err(Lack::Unusable)?;
                let digest = fingerprint(usable);
                if is_taken(&digest) {
                    return Err(Lack::Unusable("another name has the same token".to_owned()));
                }
                if former != Some(digest) {
                    warn_of(token, usable);
                }
                Ok(digest)
            });
            let (digest, problem) = match read_one {
                Ok(digest) => (Some(digest), None),
                Err(Lack::Gone(problem)) => (None, Some(problem)),
                Err(Lack::Unusable(problem)) => (former.filter(|former| !is_taken(former)), Some(problem)),
            };
            read.extend(digest.map(|digest| (token.name.clone(), digest)));
            problems.extend(problem.map(|problem| UnreadableToken {
                name: token.name.clone(),
                from: token.source.clone(),
                problem,
            }));
        }
        (Self(read), problems)
    }

    /// Whether a token of this name is known.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
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

fn text(source: &TokenSource) -> Result<String, Lack> {
    let unusable = |error: std::io::Error| Lack::Unusable(error.to_string());
    match source {
        TokenSource::Environment(name) => {
            std::env::var(name).map_err(|_| Lack::Unusable("is not set".to_owned()))
        }
        TokenSource::File(path) => {
            let file = std::fs::File::open(path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Lack::Gone(error.to_string()),
                _ => unusable(error),
            })?;
            let mut text = String::new();
            file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unusable)?;
            if text.len() as u64 > MOST_BYTES {
                Err(Lack::Unusable(format!("has more than {MOST_BYTES} bytes")))
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
    fn a2_what_is_no_token_is_said_without_showing_it() {
        for (text, problem) in [
            ("", "is empty"),
            ("\n", "is empty"),
            ("two words of a longer text", "characters that no bearer token has"),
            (&"x".repeat(20_000), "more than 16384 bytes"),
        ] {
            let (_folder, source) = file(text);
            let (_, problems) = Tokens::read(&[token("a", source)], &Tokens::default());
            let message = problems[0].to_string();
            assert!(message.contains(problem) && !message.contains("two words"), "{message}");
        }
        let unset = token("a", TokenSource::Environment("NO_SUCH_VARIABLE".into()));
        let (_, problems) = Tokens::read(&[unset], &Tokens::default());
        assert!(problems[0].to_string().contains("environment variable NO_SUCH_VARIABLE"));
    }
    #[test]
    fn a2_a_deleted_file_withdraws_its_token_and_a_broken_one_withdraws_none() {
        let (kept, gone, next) =
            (file("0123456789abcdef0"), file("0123456789abcdef1"), file("0123456789abcdef2"));
        let list =
            [token("kept", kept.1.clone()), token("gone", gone.1.clone()), token("next", next.1.clone())];
        let (before, _) = Tokens::read(&list, &Tokens::default());
        let write = |source: &TokenSource, text: &str| {
            let TokenSource::File(path) = source else { unreachable!() };
            std::fs::write(path, text).unwrap();
        };
        write(&kept.1, "");
        write(&next.1, "0123456789abcdef3");
        drop(gone.0);
        let (now, problems) = Tokens::read(&list, &before);
        let names = ["0123456789abcdef0", "0123456789abcdef1", "0123456789abcdef2", "0123456789abcdef3"]
            .map(|text| now.name_of(&fingerprint(text)));
        assert_eq!(names, [Some("kept"), None, None, Some("next")]);
        let named: Vec<&str> = problems.iter().map(|problem| problem.name.as_str()).collect();
        assert_eq!(named, ["kept", "gone"]);
        // Another name's token never becomes that of a name whose file is broken.
        write(&next.1, "0123456789abcdef0");
        let (swapped, _) = Tokens::read(&list, &before);
        assert_eq!(swapped.name_of(&fingerprint("0123456789abcdef0")), Some("kept"));
    }
}
