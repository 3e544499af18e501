//! What is logged about disclosure, for operators (001 "Best Practices").

use serde_json::json;

use super::start;

#[test]
fn deliveries_refusals_and_unknown_names_are_logged_with_the_session_r16() {
    let mut gateway = start(&["serve", "--strategy", "resource"]);
    gateway.initialize();
    gateway.call("fft", json!({}));
    gateway.request("resources/read", json!({"uri": "resource:///tool_descriptions?tools=fft,fff"}));
    gateway.call("ffx", json!({}));
    let opened = gateway.told("session opened");
    let session = opened.split("session=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    for told in [
        "call refused",
        "description delivered",
        "description of an unknown tool asked for",
        "unknown tool called",
    ] {
        let line = gateway.told(told);
        assert!(line.replace('"', "").contains(&format!("session={session}")), "{line}");
    }
    gateway.finish().says(0, &[]);
}
