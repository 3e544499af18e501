//! Links between pages, and from pages to files.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use super::{Page, ROOT, docs};

/// The pages whose links are checked: those of `docs`, and those beside it.
fn pages() -> Vec<Page> {
    let beside = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];
    let beside = beside.map(|name| Page::read(&Path::new(ROOT).join(name)));
    docs().into_iter().chain(beside).collect()
}

/// Where a line's links lead, pictures included. In what stands in backticks nothing is a link.
fn targets(line: &str) -> Vec<String> {
    let line: String = line.split('`').step_by(2).collect();
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// The anchors of a page, as renderers of Markdown make them of headings, and those that it has of its own.
fn anchors(page: &Page) -> Vec<String> {
    let mut seen = HashMap::new();
    let mut anchors = Vec::new();
    for (_, line) in page.prose() {
        anchors.extend(
            line.split("<a id=\"").skip(1).filter_map(|rest| Some(rest.split('"').next()?.to_owned())),
        );
        if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
            let slug: String = kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect();
            let count = seen.entry(slug.clone()).or_insert(0);
            anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
            *count += 1;
        }
    }
    anchors
}

/// Where a link of a page leads in the repository, `.` and `..` resolved.
fn resolved(page: &Page, path: &str) -> PathBuf {
    let mut place: Vec<&str> = page.path.split('/').collect();
    place.pop();
    for part in path.split('/') {
        match part {
            ".." => assert!(place.pop().is_some(), "{}: {path} leaves the repository", page.path),
            "." | "" => {}
            part => place.push(part),
        }
    }
    place.iter().collect()
}

#[test]
fn w4_links_lead_to_files_and_anchors() {
    let pages = pages();
    let anchors: HashMap<PathBuf, Vec<String>> =
        pages.iter().map(|page| (PathBuf::from(&page.path), anchors(page))).collect();
    let (mut dead, mut count) = (Vec::new(), 0);
    for page in &pages {
        for (number, target) in
            page.prose().flat_map(|(number, line)| targets(line).into_iter().map(move |to| (number, to)))
        {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let place = if path.is_empty() { PathBuf::from(&page.path) } else { resolved(page, path) };
            let leads = match anchors.get(&place) {
                Some(known) if !anchor.is_empty() => known.iter().any(|known| known == anchor),
                _ => Path::new(ROOT).join(&place).exists(),
            };
            count += 1;
            if !leads {
                dead.push(format!("{}:{number}: {target}", page.path));
            }
        }
    }
    assert!(dead.is_empty(), "these links lead nowhere:\n{}", dead.join("\n"));
    assert!(count > 300, "{count}");
}

/// Decisions are in a list of their own.
#[test]
fn w4_every_page_is_in_the_contents() {
    let lists =
        ["docs/SUMMARY.md", "docs/decisions/README.md"].map(|path| Page::read(&Path::new(ROOT).join(path)));
    let lists = lists.iter();
    let listed: Vec<PathBuf> = lists
        .flat_map(|list| list.text.lines().flat_map(targets).map(|target| resolved(list, &target)))
        .collect();
    for page in docs().iter().filter(|page| page.path != "docs/SUMMARY.md") {
        assert!(listed.contains(&PathBuf::from(&page.path)), "{} is in no list of pages", page.path);
    }
}
