//! A tool of the catalogue: its definition, kept losslessly, and values that are derived from it once.

use std::{
    borrow::Cow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    arguments::{ArgumentCheck, CheckLimits, Unchecked},
    brief,
    concern::Mapping,
    definitions::Definitions,
    description::Supplement,
    digest::Digest,
    made_from::{Drift, MadeFrom},
    mirrored::Mirrored,
    name::{ToolName, UpstreamName},
    raw::RawObject,
    slim,
};

/// The permissive schema, for lists that withhold the real one.
pub const PERMISSIVE_SCHEMA: &str = r#"{"type":"object","additionalProperties":true}"#;

/// One tool of a snapshot.
#[derive(Debug)]
pub struct Tool {
    key: ToolName,
    qualified: ToolName,
    upstream_name: ToolName,
    upstream: Arc<UpstreamName>,
    definition: RawObject,
    /// As the upstream listed it.
    original: RawObject,
    brief: String,
    short_brief: OnceLock<String>,
    supplement: Supplement,
    mapping: Mapping,
    entry: OnceLock<(RawObject, Digest)>,
    slim_schema: OnceLock<Option<String>>,
    mirrored: OnceLock<Vec<Mirrored>>,
    drift: OnceLock<Option<Drift>>,
    /// Whether it was said that a call's arguments were not checked.
    has_warned: AtomicBool,
}

impl Tool {
    /// A tool with the definition as the upstream listed it and with the one that already has the description file laid
    /// over it, and with its name in the snapshot.
    pub(crate) fn new(
        name: ToolName,
        upstream_name: ToolName,
        upstream: Arc<UpstreamName>,
        original: RawObject,
        definition: RawObject,
        supplement: Supplement,
    ) -> Self {
        let description = definition.string("description").unwrap_or_default();
        let title = definition.string("title");
        let brief = match &supplement.brief {
            Some(brief) => brief.clone(),
            None => brief::derive(&upstream_name, title.as_deref(), &description),
        };
        let mapping = Mapping::of_meta(&definition).with(supplement.part("concerns").unwrap_or_default());
        let definition =
            if name == upstream_name { definition } else { definition.with_value("name", &name) };
        Self {
            qualified: ToolName::qualified(&upstream, &upstream_name),
            key: name,
            upstream_name,
            upstream,
            definition,
            original,
            brief,
            short_brief: OnceLock::new(),
            supplement,
            mapping,
            entry: OnceLock::new(),
            slim_schema: OnceLock::new(),
            mirrored: OnceLock::new(),
            drift: OnceLock::new(),
            has_warned: AtomicBool::new(false),
        }
    }

    /// The name in the snapshot. A view can list it under another name, which clients use:
    /// [`VisibleTool::name`](crate::VisibleTool::name).
    pub fn key(&self) -> &ToolName {
        &self.key
    }

    /// `<upstream>__<tool>`: the name by which it is served if its own is taken.
    pub fn qualified(&self) -> &ToolName {
        &self.qualified
    }

    /// The upstream's name for it.
    pub fn upstream_name(&self) -> &ToolName {
        &self.upstream_name
    }

    /// The upstream that executes it.
    pub fn upstream(&self) -> &UpstreamName {
        &self.upstream
    }

    /// The complete MCP `Tool` object, with the description file laid over it.
    pub fn definition(&self) -> &RawObject {
        &self.definition
    }

    /// The MCP `Tool` object as the upstream listed it.
    pub fn original(&self) -> &RawObject {
        &self.original
    }

    /// The record of the upstream's definition.
    pub fn made_from(&self) -> MadeFrom {
        MadeFrom::of(&self.original)
    }

    /// How the upstream's definition differs from the one that was recorded; `None` if it does not, or none was. Computed
    /// at first use.
    pub fn drift(&self) -> Option<&Drift> {
        let drift = self.drift.get_or_init(|| {
            let recorded = self.supplement.recorded.as_ref()?;
            let changes = recorded.made_from.changes_in(&self.original)?;
            Some(Drift { tool: self.key.clone(), place: recorded.place.clone(), changes })
        });
        drift.as_ref()
    }

    /// Whether both are the same for [`drift`](Self::drift).
    pub(crate) fn drifts_like(&self, other: &Self) -> bool {
        self.original == other.original && self.supplement.recorded == other.supplement.recorded
    }

    /// WHAT it does: the operator's brief, or one derived from the description. Never empty.
    pub fn brief(&self) -> &str {
        &self.brief
    }

    /// WHAT it does, as written: the operator's brief, or else the description. Empty if there is neither.
    pub fn written_brief(&self) -> Cow<'_, str> {
        match &self.supplement.brief {
            Some(brief) => Cow::Borrowed(brief),
            None => Cow::Owned(self.definition.string("description").unwrap_or_default()),
        }
    }

    /// WHAT it does within [`brief::SHORT`], derived by [`brief::short`] from the written brief. Never empty. Computed
    /// at first use.
    pub fn short_brief(&self) -> &str {
        self.short_brief.get_or_init(|| {
            let title = self.definition.string("title");
            brief::short(&self.upstream_name, title.as_deref(), &self.written_brief())
        })
    }

    /// The category: the operator's, or else the upstream's name.
    pub fn category(&self) -> &str {
        self.supplement.category.as_deref().unwrap_or(&self.upstream)
    }

    /// The information that is not in the definition.
    pub fn supplement(&self) -> &Supplement {
        &self.supplement
    }

    /// Its values for concerns: the upstream's `_meta.concerns` with the operator's mapping laid over it.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// HOW to use it: the entry that strategies deliver, and its digest.
    ///
    /// The members, in order and where known, are `name`, `description`, `inputSchema`, `outputSchema`, `annotations`,
    /// `examples`, `usage_guidance` and `error_guidance`, without white space between tokens. Computed at first use.
    pub fn entry(&self) -> (&RawObject, Digest) {
        let (entry, digest) = self.entry.get_or_init(|| {
            let native = ["name", "description", "inputSchema", "outputSchema", "annotations"];
            let native = native.into_iter().filter_map(|key| Some((key, self.definition.member(key)?)));
            let entry = RawObject::assemble(native.chain(self.guidance())).compact();
            let digest = Digest::of(entry.text());
            (entry, digest)
        });
        (entry, *digest)
    }

    /// HOW to use it, as a bridge delivers it: [`entry`](Self::entry) without what no call needs, or with its digest as
    /// `version`.
    pub fn delivered(&self, definitions: Definitions) -> RawObject {
        if definitions == Definitions::Exact {
            let (entry, digest) = self.entry();
            return entry.with_value("version", &digest.to_string());
        }
        let output =
            || self.definition.member("outputSchema").filter(|_| definitions == Definitions::Structured);
        let native = [
            ("name", self.definition.member("name")),
            ("description", self.definition.member("description")),
            ("inputSchema", self.slim_schema()),
            ("outputSchema", output()),
        ];
        let native = native.into_iter().filter_map(|(key, value)| Some((key, value?)));
        RawObject::assemble(native.chain(self.guidance())).compact()
    }

    /// The [slim](slim::slim) `inputSchema`; `None` if the definition has none. Computed at first use.
    pub fn slim_schema(&self) -> Option<&str> {
        self.slim_schema.get_or_init(|| self.definition.member("inputSchema").map(slim::slim)).as_deref()
    }

    /// The members of the entry that the operator wrote.
    fn guidance(&self) -> impl Iterator<Item = (&str, &str)> {
        let parts = ["examples", "usage_guidance", "error_guidance"];
        parts.into_iter().filter_map(|key| Some((key, self.supplement.part(key)?)))
    }

    /// The definition for selection: the brief as description, the permissive `inputSchema`, no `outputSchema`.
    /// Everything else (title, annotations, icons, execution, `_meta`) is kept.
    pub fn minimal(&self) -> RawObject {
        self.minimal_with(&self.brief)
    }

    /// The same with this description.
    pub fn minimal_with(&self, brief: &str) -> RawObject {
        self.definition
            .retain(|key| key != "outputSchema")
            .with_value("description", brief)
            .with("inputSchema", PERMISSIVE_SCHEMA)
    }

    /// Compiles the validator of arguments against `inputSchema`. Tools with the same [entry](Self::entry) have the same.
    ///
    /// Compiling takes up to 0.1 s and recurses: see [`STACK_BYTES`](crate::arguments::STACK_BYTES).
    pub fn argument_check(&self, limits: &CheckLimits) -> ArgumentCheck {
        let schema = self.definition.member("inputSchema").unwrap_or("true");
        ArgumentCheck::compile(&self.key, schema, *limits)
    }

    /// Logs that a call's arguments were not checked: as a warning the first time, at `debug` after that.
    pub fn log_unchecked(&self, why: &Unchecked) {
        match why {
            // Logged when it was compiled.
            Unchecked::Unenforced => {}
            why if self.has_warned.swap(true, Ordering::Relaxed) => {
                tracing::debug!(tool = %self.key, "arguments were not checked: {why}");
            }
            why => tracing::warn!(tool = %self.key, "arguments were not checked: {why}"),
        }
    }

    /// The arguments that are mirrored in HTTP headers; none if the schema's annotations are invalid. Computed at first
    /// use.
    pub fn mirrored(&self) -> &[Mirrored] {
        self.mirrored.get_or_init(|| {
            let schema = self.definition.member("inputSchema").unwrap_or("{}");
            Mirrored::find_in(schema).unwrap_or_default()
        })
    }
}
