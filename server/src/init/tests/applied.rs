//! What is kept where files could not be written.

use super::{
    super::record::{Records, apply},
    *,
};
use crate::{
    failure::Failure,
    files::{Unwritten, write_together},
};

#[test]
fn w1_nothing_is_kept_for_files_that_are_as_they_were() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let (one, two) = (Project::of("mcp.json", text), Project::of("mcp.json", text));
    let records = Records::within(&one.directory.path().join("records"));
    let files = || {
        let folders = [records.folder().to_owned(), one.gathered(), two.gathered()];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let plans = [one.gather(), two.gather()];
    fs::write(&two.file, "{}").unwrap();
    apply(&plans, Path::new("/now"), &records, write_together).unwrap_err();
    assert_eq!((one.text().as_str(), files()), (text, vec![]));

    // An earlier record comes back as it was.
    fs::write(&two.file, text).unwrap();
    apply(&[one.gather()], Path::new("/now"), &records, write_together).unwrap();
    let (kept, after) = (files(), one.text());
    fs::write(
        &one.file,
        after.replace("{\"mcp-disclosure\"", "{\"b\": {\"command\": \"y\"}, \"mcp-disclosure\""),
    )
    .unwrap();
    let plans = [one.plan(), two.plan()];
    fs::write(&two.file, "{}").unwrap();
    apply(&plans, Path::new("/now"), &records, write_together).unwrap_err();
    assert_eq!(files(), kept);
    assert_eq!(records.of(&plans[0].change.path).unwrap().unwrap().steps.len(), 1);
}

#[test]
fn w1_what_undo_needs_is_kept_for_a_file_that_cannot_be_put_back() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let (one, two) = (Project::of("mcp.json", text), Project::of("mcp.json", text));
    let records = Records::within(&one.directory.path().join("records"));
    let plans = [one.gather(), two.gather()];
    let unwritten =
        Unwritten { failure: Failure::Configuration(vec![]), changed: vec![plans[0].change.path.clone()] };
    apply(&plans, Path::new("/now"), &records, |_| Err(unwritten)).unwrap_err();
    assert_eq!(records.of(&plans[0].change.path).unwrap().unwrap().steps[0].before, text);
    assert!(plans[0].moved[0].file.exists() && !plans[1].moved[0].file.exists());
    assert!(records.of(&plans[1].change.path).unwrap().is_none());
}
