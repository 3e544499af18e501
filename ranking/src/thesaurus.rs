//! Words of computing that users and authors of tools exchange for each other.

use std::collections::HashMap;

use crate::words::stem;

/// Groups of words with about the same meaning in names and descriptions of tools. They are general: no line is about
/// the tools of one product.
const GROUPS: &[&str] = &[
    "abort cancel",
    "access permission privilege",
    "account user member person people",
    "add append insert attach put",
    "alert notification notify",
    "allow grant permit enable",
    "amount price cost total",
    "answer reply respond",
    "app application program",
    "appointment event meeting",
    "approve accept confirm",
    "archive compress zip",
    "arrange sort order",
    "article document page post",
    "assign delegate",
    "attachment file document",
    "avatar photo picture image screenshot",
    "begin start launch open",
    "block ban deny",
    "book reserve schedule",
    "branch fork",
    "bug defect issue ticket",
    "build compile",
    "buy purchase order",
    "calculate compute evaluate",
    "change edit modify patch update alter",
    "chat conversation message text",
    "check inspect verify validate",
    "clear reset empty",
    "client customer",
    "clone copy duplicate",
    "close end finish stop terminate",
    "collect gather",
    "collection database table",
    "column field property attribute",
    "combine join merge",
    "comment note remark",
    "compare diff difference",
    "configuration config setting preference option",
    "connection link relation relationship",
    "contain include hold",
    "conversion convert transform translate",
    "count number",
    "create make new generate",
    "cursor mouse pointer",
    "delete remove erase forget drop destroy discard",
    "deploy release publish",
    "describe explain",
    "dialog popup modal alert",
    "directory folder",
    "disable deactivate",
    "download fetch get retrieve obtain read",
    "email mail",
    "enumerate list",
    "environment env",
    "error exception failure",
    "execute invoke run call",
    "explore browse navigate visit",
    "export dump save",
    "extract unpack unzip",
    "fill enter type input",
    "find look search lookup query locate",
    "forward share send",
    "history log record",
    "identifier id key",
    "image picture screenshot capture",
    "info information detail",
    "install setup",
    "invoice bill receipt",
    "javascript js script",
    "keep remember save store write",
    "key keyboard press",
    "kill terminate",
    "label tag category",
    "last latest recent newest",
    "lock freeze",
    "location place position",
    "modify patch replace",
    "move rename relocate",
    "network http request traffic",
    "object element item",
    "overview summary",
    "owner author creator",
    "parent ancestor",
    "path location",
    "pay payment charge",
    "perform run execute",
    "post publish send submit",
    "progress status state",
    "project workspace",
    "pull fetch",
    "quantity amount",
    "refresh reload",
    "repo repository",
    "restore recover undo revert",
    "result output",
    "role permission",
    "row entry record",
    "schedule plan",
    "screen display view",
    "secret password credential",
    "section block paragraph",
    "server host machine",
    "show display view read get",
    "size dimension",
    "snapshot capture",
    "speed performance",
    "spreadsheet sheet table",
    "task todo",
    "team group",
    "tab page window",
    "thread discussion",
    "time clock date",
    "token key",
    "trace profile record",
    "transfer send",
    "url link address website",
    "video screencast recording",
    "wait pause sleep",
];

/// Stems by the stems that can stand for them.
#[derive(Debug)]
pub(crate) struct Thesaurus(HashMap<String, Vec<String>>);

impl Thesaurus {
    /// The built-in groups, with a word's own synonyms in addition, each in one direction: a query with the word also
    /// finds the others.
    pub(crate) fn with<'a>(own: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let mut words: HashMap<String, Vec<String>> = HashMap::new();
        let mut add = |from: String, to: String| {
            let all = words.entry(from.clone()).or_default();
            if from != to && !all.contains(&to) {
                all.push(to);
            }
        };
        for group in GROUPS {
            for from in group.split(' ') {
                group.split(' ').for_each(|to| add(stem(from), stem(to)));
            }
        }
        for (from, to) in own {
            to.iter().for_each(|to| add(stem(&from.to_lowercase()), stem(&to.to_lowercase())));
        }
        Self(words)
    }

    /// The stems that can stand for this one.
    pub(crate) fn of(&self, stem: &str) -> &[String] {
        self.0.get(stem).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_found_by_any_form_of_a_word() {
        let own = ["bug".to_owned()];
        let insect = ["fly".to_owned()];
        let thesaurus = Thesaurus::with([("defect", own.as_slice()), ("gnat", insect.as_slice())]);
        assert!(thesaurus.of(&stem("folders")).contains(&stem("directories")));
        assert!(thesaurus.of(&stem("defects")).contains(&stem("bug")));
        // One direction only.
        assert_eq!(thesaurus.of("gnat"), ["fli"]);
        assert!(thesaurus.of("fli").is_empty());
        assert!(thesaurus.of("unheard").is_empty());
    }
}
