//! Real shapes of every host's file, before and after.

use super::{super::diff::unified, *};
use crate::config::hosts::tests::each_host::files;

/// What a person is shown.
fn shown(project: &Project, path: &str, plan: &Plan) -> String {
    let left = plan.left.iter().map(|(name, why)| format!("'{name}' is left: {why}\n"));
    let apart = plan.apart.iter().map(|(name, why)| format!("'{name}' keeps its entry: {why}\n"));
    let moved = plan.moved.iter().map(|moved| format!("moved: {}\n{}", moved.names.join(", "), moved.text));
    let diff = unified(Path::new(path), plan.change.before.as_deref().unwrap(), &plan.change.after, false);
    let text = left.chain(apart).chain(moved).chain([diff]).collect::<String>();
    let text = text.replace(&super::super::plan::key(&project.file.canonicalize().unwrap())[..8], "KEY");
    text.replace(project.directory.path().to_str().unwrap(), "PROJECT")
}

/// What is planned is what the snapshots say, twice the same as once, and undone to the byte.
fn each_host(what: &str, planned: fn(&Project) -> Plan) {
    for (path, text) in files() {
        let project = Project::of(path, text);
        let plan = planned(&project);
        insta::assert_snapshot!(
            format!("{what} {path}").replace(['/', '.', ' '], "_"),
            shown(&project, path, &plan)
        );
        let step = project.apply(&plan);
        let again = planned(&project);
        assert!(!again.changes(), "{path}: twice is the same as once: {again:#?}");
        assert!(!plan.changes() || !again.already.is_empty(), "{path}: {again:#?}");
        assert_eq!(project.undo(&[step]).text, text, "{path}");
    }
}

#[test]
fn w1_each_hosts_servers_are_wrapped_where_they_stand() {
    each_host("wrapped", Project::plan);
}

#[test]
fn w1_each_hosts_servers_are_gathered_behind_one_entry() {
    each_host("gathered", Project::gather);
}
