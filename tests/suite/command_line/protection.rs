//! What protects is never lost by accident: files that are written, emptied, cut off or gone while the program runs
//! (P4), and upstreams that are missing (P2).

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use kit::process::{Process, until};
use serde_json::json;

use super::{ODD, configured, opened, reload::serve_described, rewrite, served, shown};

const UPSTREAM: &str = "[upstreams.odd]\ncommand = \"ODD\"\n";

const HIDING: &str = "[tools.wait]\nhidden = true\n";

/// The old set stays after this change, for this reason, and SIGHUP is named as the way to accept it.
#[track_caller]
fn refused(gateway: &mut Process, reason: &str) {
    gateway.logs(&["WARN", "not taken over, the old ones stay: ", reason, "accept it with kill -HUP "]);
    assert_eq!(gateway.tool_names(), ["echo"]);
}

#[test]
fn a_file_that_lost_all_that_hides_takes_an_operators_word_p4() {
    for (toml, reason) in [("", "the configuration is empty"), (UPSTREAM, "is hidden any more")] {
        let (_directory, file, mut gateway) = served(&format!("{UPSTREAM}{HIDING}"), &[]);
        rewrite(&file, toml);
        refused(&mut gateway, reason);
        gateway.hang_up();
        // Upstreams that the accepted file no longer names are gone.
        gateway.lists(if toml.is_empty() { &[] } else { &["echo", "wait"] });
        // What was accepted is what later changes are held against.
        rewrite(&file, &format!("{UPSTREAM}[tools.echo]\nbrief = \"New.\"\n"));
        gateway.logged("read again");
        gateway.finish().says(0, &["SIGHUP: reading the configuration again"]);
    }
}

/// A file that was cut off has lost its later sections, and others may still hide something.
#[test]
fn each_kind_of_what_protects_takes_an_operators_word_p4() {
    let (allow, resource) = ("[resources]\nallow = []\n", "[resources.\"x://*\"]\nhidden = true\n");
    let only = "allow = [\"echo\", \"wait\"]\n";
    let switched = "hidden = [\"wait\"]\n";
    let whole = format!("{UPSTREAM}{only}{switched}{allow}{resource}");
    let (_directory, file, mut gateway) = served(&whole, &[]);
    for (part, reason) in [
        (switched, "no tool is hidden any more"),
        (resource, "no resource is hidden any more"),
        (allow, "[resources] allow is gone"),
        (only, "allow is gone from all upstreams"),
    ] {
        rewrite(&file, &whole.replace(part, ""));
        refused(&mut gateway, reason);
    }
}

#[test]
fn a_file_that_is_cut_off_or_gone_changes_nothing_p4() {
    let (_directory, file, mut gateway) = served(&format!("{UPSTREAM}{HIDING}"), &[]);
    rewrite(&file, &format!("{UPSTREAM}[tools.wa"));
    gateway.logged("disclosure.toml:3:");
    assert_eq!(gateway.tool_names(), ["echo"]);
    // What is no configuration cannot be accepted either.
    gateway.hang_up();
    gateway.logged("SIGHUP: reading the configuration again");
    fs::remove_file(&file).unwrap();
    gateway.logged("No such file or directory");
    assert_eq!(gateway.tool_names(), ["echo"]);
    rewrite(&file, &format!("{UPSTREAM}[tools.echo]\nhidden = true\n"));
    gateway.lists(&["wait"]);
}

#[test]
fn a_directory_that_is_emptied_takes_an_operators_word_p4() {
    let (directory, mut gateway) = serve_described(&[("echo", "Ours.")]);
    fs::remove_file(directory.path().join("echo.json")).unwrap();
    gateway.logged("all description files are gone");
    assert_eq!(gateway.tools()[0]["description"], "Ours.");
    gateway.hang_up();
    assert!(until(|| gateway.tools()[0]["description"] == "The tool echo of odd-upstream."));
}

/// Rewrites a file as a plain editor does: cut to nothing, then written in pieces.
fn rewrite_in_pieces(file: &Path, text: &str) {
    let mut file = OpenOptions::new().write(true).truncate(true).open(file).unwrap();
    for piece in text.as_bytes().chunks(text.len() / 3 + 1) {
        thread::sleep(Duration::from_millis(2));
        file.write_all(piece).unwrap();
    }
}

#[test]
fn no_list_shows_what_is_hidden_while_its_file_is_rewritten_p4() {
    let text = |brief: usize| {
        format!("{UPSTREAM}[tools.echo]\nbrief = \"Brief {brief}.\"\n{HIDING}").replace("ODD", ODD)
    };
    let (_directory, file) = configured(&text(0));
    let mut gateway =
        opened(&["serve", "--config", shown(&file), "--strategy", "describe", "--bridge", "never"]);
    let done = AtomicBool::new(false);
    let lists = thread::scope(|scope| {
        scope.spawn(|| {
            // The last of each few is left alone for long enough to be read.
            for round in 1..=400 {
                rewrite_in_pieces(&file, &text(round));
                let pause = if round % 80 == 0 { 1400 } else { 3 };
                thread::sleep(Duration::from_millis(pause));
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut lists = 0;
        while !done.load(Ordering::Relaxed) {
            assert_eq!(gateway.tool_names(), ["echo"]);
            assert!(gateway.call("wait", json!({}))["error"].is_object());
            lists += 1;
        }
        lists
    });
    assert!(lists > 20, "{lists}");
    assert!(until(|| gateway.tools()[0]["description"] == "Brief 400."), "{:?}", gateway.tools());
}

#[test]
fn an_upstream_that_the_operator_did_not_name_gets_no_other_ones_rules_p2() {
    // It calls itself "odd", as the one of the file that is not there.
    let (_directory, file) = configured(
        "[upstreams.odd]\ncommand = \"/no/such/program\"\n[tools.\"odd/echo\"]\nbrief = \"Not yours.\"\n",
    );
    let flags = ["--strategy", "describe", "--bridge", "never", "--", ODD];
    let mut gateway = opened(&[&["serve", "--config", shown(&file)], &flags[..]].concat());
    assert_ne!(gateway.tools()[0]["description"], "Not yours.");
    // What is said of an upstream that is not there may mean one that chose another name since.
    rewrite(&file, "[upstreams.odd]\ncommand = \"/no/such/program\"\n[tools.\"once/wait\"]\nhidden = true\n");
    gateway.logged("were read again");
    assert_eq!(gateway.tool_names(), ["echo"]);
}
