//! Every way in which a token can be wrong, and those in which it is right.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    AUDIENCE, ISSUER, NOW, bearing, claims,
    issuer::{Key, encoded, token_by_secret, unsigned},
    of_keys, status, with,
};

#[tokio::test]
async fn a2_the_token_matrix() {
    let (rsa, ec, ed) = (Key::rsa(), Key::ec(), Key::ed());
    let stranger = Key::ec();
    let keys = [rsa.public("r"), ec.public("e"), ed.public("d")];
    let (access, _folder, _) = of_keys(&keys).await;
    let header = |alg: &str, kid: &str| json!({"alg": alg, "kid": kid});
    let modulus = keys[0]["n"].as_str().unwrap();
    let changed = |changes: Value| ec.token("e", &with(&changes));
    let good = ec.token("e", &claims());
    let (signed, _) = good.rsplit_once('.').unwrap();
    let mut table: Vec<(&str, String, u16)> = vec![
        ("RS256", rsa.token("r", &claims()), 200),
        ("ES256", good.clone(), 200),
        ("EdDSA", ed.token("d", &claims()), 200),
        ("no kid", ec.token_with(&json!({"alg": "ES256"}), &claims()), 200),
        ("alg none", format!("{}.", unsigned(&header("none", "e"), &claims())), 401),
        ("alg None", format!("{}.", unsigned(&header("None", "e"), &claims())), 401),
        ("no signature", format!("{signed}."), 401),
        (
            "HS256 by the RSA modulus",
            token_by_secret(&header("HS256", "r"), &claims(), modulus.as_bytes()),
            401,
        ),
        (
            "HS256 by the key's text",
            token_by_secret(&header("HS256", "r"), &claims(), keys[0].to_string().as_bytes()),
            401,
        ),
        ("RS256 by an EC key", ec.token_with(&header("RS256", "e"), &claims()), 401),
        ("ES256 under the RSA kid", ec.token_with(&header("ES256", "r"), &claims()), 401),
        ("PS256", rsa.token_with(&header("PS256", "r"), &claims()), 401),
        ("RS512", rsa.token_with(&header("RS512", "r"), &claims()), 401),
        ("unknown kid", ec.token("x", &claims()), 401),
        ("another's key under a known kid", stranger.token("e", &claims()), 401),
        (
            "a key of its own in the header",
            stranger.token_with(&json!({"alg": "ES256", "jwk": stranger.public("e")}), &claims()),
            401,
        ),
        ("crit", ec.token_with(&json!({"alg": "ES256", "kid": "e", "crit": ["exp"]}), &claims()), 401),
        (
            "changed claims",
            format!(
                "{}.{}",
                unsigned(&header("ES256", "e"), &with(&json!({"sub": "bob"}))),
                good.rsplit_once('.').unwrap().1
            ),
            401,
        ),
        ("expired", changed(json!({"exp": NOW - 61})), 401),
        ("expired within the skew", changed(json!({"exp": NOW - 59})), 200),
        ("no exp", changed(json!({"exp": null})), 401),
        ("exp as text", changed(json!({"exp": (NOW + 600).to_string()})), 401),
        ("exp negative", changed(json!({"exp": -1})), 401),
        ("exp beyond all numbers", changed(json!({"exp": 1e300})), 401),
        ("exp with a fraction", changed(json!({"exp": 1_800_000_600.5})), 200),
        ("not yet", changed(json!({"nbf": NOW + 61})), 401),
        ("not yet within the skew", changed(json!({"nbf": NOW + 59})), 200),
        ("nbf as text", changed(json!({"nbf": "now"})), 401),
        ("no nbf", changed(json!({"nbf": null})), 200),
        ("another audience", changed(json!({"aud": "https://other.example/mcp"})), 401),
        ("the audience as a part", changed(json!({"aud": format!("{AUDIENCE}/x")})), 401),
        ("several audiences", changed(json!({"aud": ["https://other.example", AUDIENCE]})), 200),
        ("no audience", changed(json!({"aud": null})), 401),
        ("another issuer", changed(json!({"iss": "https://evil.example"})), 401),
        ("the issuer with a slash", changed(json!({"iss": format!("{ISSUER}/")})), 401),
        ("no issuer", changed(json!({"iss": null})), 401),
        ("no subject", changed(json!({"sub": null})), 401),
        ("a client's own", changed(json!({"sub": null, "client_id": "robot"})), 200),
        ("a subject that is no text", changed(json!({"sub": 7, "client_id": "robot"})), 401),
        ("an empty subject", changed(json!({"sub": "", "client_id": "robot"})), 401),
        ("without the scope", changed(json!({"scope": "other toolshed"})), 403),
        ("without any scope", changed(json!({"scope": null})), 403),
        ("scp", changed(json!({"scope": null, "scp": ["tools"]})), 200),
        ("one part", "abc".to_owned(), 401),
        ("four parts", format!("{good}.x"), 401),
        ("no base64", format!("{}.!!.x", encoded(b"{}")), 401),
        ("claims that are a list", ec.token("e", &json!([1])), 401),
        ("1 MB", format!("{good}{}", "x".repeat(1 << 20)), 401),
    ];
    let typed = |typ: Value| ec.token_with(&json!({"alg": "ES256", "kid": "e", "typ": typ}), &claims());
    for typ in ["logout+jwt", "application/dpop+jwt", "secevent+jwt", "id_token+jwt", "JWE", "at+jwt;x=1", ""]
    {
        table.push((typ, typed(json!(typ)), 401));
    }
    for typ in ["at+jwt", "application/at+jwt", "AT+JWT", "JWT", "jwt"] {
        table.push((typ, typed(json!(typ)), 200));
    }
    table.push(("a typ that is no text", typed(json!(["at+jwt"])), 401));
    // What is bound needs a proof, which is not checked here.
    for bound in [json!({"jkt": "0ZcOCORZ"}), json!({"x5t#S256": "bwcK0esc"}), json!({}), json!(1)] {
        table.push(("a cnf", changed(json!({"cnf": bound})), 401));
    }
    let many = with(&json!({"x": "y".repeat(20_000)}));
    table.push(("20 kB, else good", ec.token("e", &many), 401));
    let mut answers = BTreeSet::new();
    for (what, token, expected) in &table {
        let outcome = bearing(&access, token).await;
        println!("| {what} | {} |", status(&outcome));
        assert_eq!(status(&outcome), *expected, "{what}: {outcome:?}");
        // The second time it is known.
        assert_eq!(bearing(&access, token).await, outcome, "{what}");
        if let Err((401, challenge, message)) = outcome {
            answers.insert((challenge, message));
        }
    }
    println!("{} tokens", table.len());
    assert_eq!(answers.len(), 1, "what is wrong is not said: {answers:?}");
    let (challenge, _) = answers.first().unwrap();
    assert_eq!(
        challenge,
        "Bearer error=\"invalid_token\", error_description=\"the token is not accepted\", scope=\"tools\", \
         resource_metadata=\"https://tools.example/.well-known/oauth-protected-resource/mcp\""
    );
    let (_, challenge, _) = bearing(&access, &changed(json!({"scope": "x"}))).await.unwrap_err();
    assert!(
        challenge.contains("error=\"insufficient_scope\"") && challenge.contains("scope=\"tools\""),
        "{challenge}"
    );
}
