//! Signatures of JWTs, checked by `ring`, which TLS brings already: `jsonwebtoken` leaves the choice to its user.

use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{Error, ErrorKind},
};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use signature::Verifier;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_: &Algorithm, _: &EncodingKey| Err::<Box<dyn JwtSigner>, _>(unsupported()),
    verifier_factory: |algorithm, key| {
        let verifier = Checker { algorithm: *algorithm, key: key.clone() };
        // Whatever the token says, a key is used with its own algorithm.
        if key.family() != algorithm.family() {
            return Err(unsupported());
        }
        Ok(Box::new(verifier))
    },
    // Keys are compared by their text.
    key_utils: KeyUtils::new_unimplemented(),
};

fn unsupported() -> Error {
    ErrorKind::InvalidAlgorithm.into()
}

/// Makes `jsonwebtoken` use it. Where the program chose another provider, that is used.
pub(crate) fn install() {
    let _chosen_already = PROVIDER.install_default();
}

struct Checker {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Checker {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let checked = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(message, signature)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&ED25519, key).verify(message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        checked.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Checker {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
