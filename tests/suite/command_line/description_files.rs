//! Description files that cannot be used: every problem is listed, with file, place and remedy.

use kit::process::Ended;

use super::{ODD, described, run, shown, write};

/// Runs `serve` with these files in front of an upstream that leaves a mark when it is started.
#[track_caller]
fn serve_with(files: &[(&str, &str)]) -> (Ended, bool) {
    let directory = tempfile::tempdir().unwrap();
    for (file, text) in files {
        write(directory.path(), file, text);
    }
    let mark = directory.path().join("started");
    let ended =
        run(&["serve", "--tool-descriptions", shown(directory.path()), "--", ODD, "ordinary", shown(&mark)]);
    (ended, mark.exists())
}

#[test]
fn every_problem_of_every_file_is_listed_before_anything_is_started() {
    let misnamed = described("echo", "Says it again.");
    let (ended, started) = serve_with(&[
        ("a.json", "{\n  \"name\": \"a\",\n  oops\n}"),
        ("b.json", r#"{"name":"b","inputSchema":null}"#),
        ("c.json", r#"{"name":"c","title":"","description":" "}"#),
        ("d.json", r#"{"description":"D","inputSchema":{}}"#),
        ("Echo.json", &misnamed),
        ("f.json", r#"{"name":"f","description":7,"inputSchema":{}}"#),
        ("g.json", r#"{"name":"g","description":"G","inputSchema":"object"}"#),
        ("h.json", r#"{"name":"h","description":"H","inputSchema":{},"related":"b"}"#),
        ("i.json", r#"["i"]"#),
        ("j.json", ""),
        ("notes.txt", "not looked at"),
        (".j.json", "not looked at, either"),
    ]);
    ended.says(
        64,
        &[
            "a.json: key must be a string at line 3 column 3",
            "(hint: a description file is one JSON object with the name of its tool)",
            "b.json: 'inputSchema' is missing",
            "c.json: 'title' is missing, null or blank",
            "c.json: 'description' is missing",
            "d.json: 'name' is missing, null or blank (hint: name must be there, and what else is there must say something)",
            "Echo.json: describes tool 'echo', so the file must be called 'echo.json' (hint: rename the file",
            "f.json: invalid type: integer `7`, expected a string at line 1 column",
            "g.json: 'inputSchema' must be a JSON object, not \"object\" (hint: write a JSON Schema",
            "h.json: invalid type: string \"b\", expected a sequence at line 1 column",
            "i.json: invalid type: sequence",
            "j.json: EOF while parsing",
        ],
    );
    assert_eq!(ended.stderr.lines().count(), 11, "{}", ended.stderr);
    assert!(!started, "no child is started when files alone show the problem");
}

#[test]
fn a_file_that_is_no_utf_8_is_named() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.json"), b"{\"name\": \"\xff\"}").unwrap();
    run(&["serve", "--tool-descriptions", shown(directory.path())])
        .says(64, &["a.json: ", "(hint: the file must be readable, in UTF-8)"]);
}

#[test]
fn unknown_members_are_reported_and_the_rest_is_served() {
    let (ended, _) =
        serve_with(&[("echo.json", "\u{feff}{\"name\":\"echo\",\"description\":\"E\",\"exmaples\":[]}")]);
    ended.says(0, &["echo.json: the unknown member 'exmaples' is ignored; did you mean 'examples'?"]);
}

#[test]
fn problems_of_flags_and_of_files_are_listed_together() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "a.json", r#"{"name":"a","description":"","inputSchema":[]}"#);
    let flags = ["--receipt-key-file", "/no/such/key", "--tool-descriptions", shown(directory.path())];
    run(&[&["serve", "--strategy", "nope"], &flags[..]].concat()).says(
        64,
        &["unknown strategy 'nope'", "/no/such/key", "'description' is missing", "'inputSchema' must be"],
    );
}
