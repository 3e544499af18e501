//! A tool of the catalogue: its definition, kept losslessly, and values that are derived from it once.

use std::{borrow::Cow, sync::OnceLock};

use crate::{
    arguments::Schema,
    availability,
    brief::{self, Source},
    cap::Cap,
    catalogue::{description::Supplement, mirrored::Mirrored, pages},
    concern::Mapping,
    name::{ToolName, UpstreamName},
    raw::RawObject,
    receipt_name, size,
    slim::{self, Definitions},
};

/// The permissive schema, for lists that withhold the real one.
pub const PERMISSIVE_SCHEMA: &str = r#"{"type":"object","additionalProperties":true}"#;

/// The same for clients that pass on named parameters only: they give the tool's arguments as the value of this one, which
/// [`Schema::read`] takes apart (docs/CONTRACT.md D7). It is 3 % of a list; the names of required parameters alone are 7 %.
pub(crate) const WRAPPING_SCHEMA: &str = r#"{"type":"object","properties":{"arguments":{}}}"#;

/// Whether a listed schema stands for one that is withheld.
pub fn is_withheld(schema: &str) -> bool {
    [PERMISSIVE_SCHEMA, WRAPPING_SCHEMA].contains(&schema)
}

/// The bytes of a schema that cost as much as learning it: the request and the frame of the answer are about 60 tokens.
pub const CHEAP_SCHEMA_BYTES: usize = 200;

/// One tool of a snapshot.
#[derive(Debug)]
pub struct Tool {
    key: ToolName,
    qualified: ToolName,
    upstream_name: ToolName,
    upstream: UpstreamName,
    definition: RawObject,
    /// As the upstream listed it.
    original: RawObject,
    /// Whether nothing but the name differs in the two.
    is_as_listed: bool,
    brief: OnceLock<String>,
    short_brief: OnceLock<String>,
    supplement: Supplement,
    is_for_models: bool,
    is_callable: bool,
    needs_task: bool,
    mapping: Mapping,
    entry: OnceLock<RawObject>,
    slim_schema: OnceLock<Option<String>>,
    shown_bytes: OnceLock<usize>,
    mirrored: OnceLock<Vec<Mirrored>>,
    receipt_argument: OnceLock<Cow<'static, str>>,
    withheld_schema: OnceLock<&'static str>,
}

impl Tool {
    /// A tool with the definition as the upstream listed it and with the one that already has the description file laid
    /// over it, and with its name in the snapshot.
    pub(crate) fn new(
        name: ToolName,
        upstream_name: ToolName,
        upstream: UpstreamName,
        original: RawObject,
        definition: RawObject,
        supplement: Supplement,
    ) -> Self {
        let mapping = Mapping::of_meta(&definition).with(supplement.part("concerns").unwrap_or_default());
        let grouped = supplement.grouped.as_ref().map(|grouped| Mapping::default().with(grouped.text()));
        let mapping = mapping.over(grouped.unwrap_or_default());
        let is_as_listed = definition == original;
        let definition =
            if name == upstream_name { definition } else { definition.with_value("name", &name) };
        let execution = definition.object("execution").unwrap_or_default();
        Self {
            qualified: ToolName::qualified(&upstream, &upstream_name),
            key: name,
            upstream_name,
            upstream,
            original,
            is_as_listed,
            brief: OnceLock::new(),
            short_brief: OnceLock::new(),
            supplement,
            is_for_models: pages::is_for_models(&definition),
            is_callable: availability::is_callable(&definition),
            needs_task: execution.member("taskSupport") == Some(r#""required""#),
            definition,
            mapping,
            entry: OnceLock::new(),
            slim_schema: OnceLock::new(),
            shown_bytes: OnceLock::new(),
            mirrored: OnceLock::new(),
            receipt_argument: OnceLock::new(),
            withheld_schema: OnceLock::new(),
        }
    }

    /// Whether it is this tool of an upstream, as that lists it.
    pub(crate) fn is_of(&self, upstream: &UpstreamName, own: &ToolName, listed: &RawObject) -> bool {
        self.upstream == *upstream && self.upstream_name == *own && self.original == *listed
    }

    /// Whether it was made with this definition and these additions. Of what an operator wrote, that is not known.
    pub(crate) fn is_with(&self, definition: &RawObject, supplement: &Supplement) -> bool {
        self.is_as_listed && *definition == self.original && self.supplement == *supplement
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

    /// Whether it runs as a task only (`execution.taskSupport`, 2025-11-25).
    pub fn needs_task(&self) -> bool {
        self.needs_task
    }

    /// Whether it may run: what is described only does not ([`availability`]).
    pub fn is_callable(&self) -> bool {
        self.is_callable
    }

    /// Whether models may call it; else it is for its pages alone (MCP Apps).
    pub fn is_for_models(&self) -> bool {
        self.is_for_models
    }

    /// WHAT it does, in its author's words: the operator's brief, or one derived from the description
    /// (docs/CONTRACT.md B1 to B3). Never empty. Computed at first use. What lists add is in
    /// [`VisibleTool::brief`](crate::VisibleTool::brief).
    pub fn brief(&self) -> &str {
        self.brief.get_or_init(|| match &self.supplement.brief {
            Some(brief) => brief.clone(),
            None => self.derived(brief::LONGEST),
        })
    }

    /// The same within [`brief::SHORT`]. Computed at first use.
    pub fn short_brief(&self) -> &str {
        self.short_brief.get_or_init(|| self.derived(brief::SHORT))
    }

    /// The one of the two for a list with this cap.
    pub(crate) fn brief_within(&self, cap: Cap) -> &str {
        if cap == brief::SHORT { self.short_brief() } else { self.brief() }
    }

    /// The cap for its brief in a list with this one: what the operator wrote is cut in short lists only.
    pub(crate) fn cap_of_brief(&self, cap: Cap) -> Cap {
        let is_written = self.supplement.brief.is_some() && cap == brief::LONGEST;
        if is_written { Cap::characters(usize::MAX) } else { cap }
    }

    fn derived(&self, cap: Cap) -> String {
        self.with_source(|source| source.brief(cap))
    }

    /// Whether its brief is what the operator or the description says, and not the title or the name in words.
    pub fn is_described(&self) -> bool {
        self.with_source(|source| source.is_described())
    }

    fn with_source<T>(&self, use_it: impl FnOnce(Source<'_>) -> T) -> T {
        let annotated = || self.definition.object("annotations")?.string("title");
        let title = self.definition.string("title").or_else(annotated);
        let description = self.listed_brief().map_or_else(|| self.written_brief(), Cow::Owned);
        use_it(Source { name: &self.upstream_name, title: title.as_deref(), description: &description })
    }

    /// The upstream's own description, if it is short enough to be a brief, and a longer one of the operator's replaces it
    /// without a brief (B3).
    fn listed_brief(&self) -> Option<String> {
        let own = self.original.string("description").filter(|own| !own.trim().is_empty())?;
        let is_replaced =
            || self.definition.string("description").is_some_and(|given| given.len() > own.len());
        (self.supplement.brief.is_none() && brief::LONGEST.holds(own.trim()) && is_replaced()).then_some(own)
    }

    /// Whether the upstream, or the operator, says that it destroys something.
    pub fn is_destructive(&self) -> bool {
        self.has_hint("destructiveHint") && !self.is_read_only()
    }

    /// Whether they say that it only reads. Without that it may do anything.
    pub fn is_read_only(&self) -> bool {
        self.has_hint("readOnlyHint")
    }

    fn has_hint(&self, name: &str) -> bool {
        self.definition.object("annotations").is_some_and(|hints| hints.member(name) == Some("true"))
    }

    /// WHAT it does, as written: the operator's brief, or else the description. Empty if there is neither.
    pub fn written_brief(&self) -> Cow<'_, str> {
        match &self.supplement.brief {
            Some(brief) => Cow::Borrowed(brief),
            None => Cow::Owned(self.definition.string("description").unwrap_or_default()),
        }
    }

    /// The information that is not in the definition.
    pub fn supplement(&self) -> &Supplement {
        &self.supplement
    }

    /// Its values for concerns: the upstream's `_meta.concerns` with the operator's mapping laid over it, and what both
    /// leave open as its category has it.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// HOW to use it: the entry that strategies deliver. Receipts, and what is cached of tools, go by its digest.
    ///
    /// The members, in order and where known, are `name`, `description`, `inputSchema`, `outputSchema`, `annotations`,
    /// `examples`, `usage_guidance` and `error_guidance`, without white space between tokens. Computed at first use.
    pub fn entry(&self) -> &RawObject {
        self.entry.get_or_init(|| {
            let native = ["name", "description", "inputSchema", "outputSchema", "annotations"];
            let native = native.into_iter().filter_map(|key| Some((key, self.definition.member(key)?)));
            RawObject::assemble(native.chain(self.guidance())).compact()
        })
    }

    /// HOW to use it, as a bridge delivers it: [`entry`](Self::entry) without what no call needs, or with its digest as
    /// `version`.
    pub fn delivered(&self, definitions: Definitions) -> RawObject {
        if definitions == Definitions::Exact {
            return self.entry().with_value("version", &self.entry().digest());
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

    /// The title, if it says more than the name.
    pub fn telling_title(&self) -> Option<String> {
        self.definition.string("title").filter(|title| !slim::are_the_same(title, &self.upstream_name))
    }

    /// The annotations that a model or a host must know: that it destroys, or that `readOnlyHint` is false; then also
    /// whether it destroys, which is otherwise assumed.
    pub fn telling_annotations(&self) -> Option<RawObject> {
        let annotations = self.definition.object("annotations")?;
        let writes = annotations.member("readOnlyHint") == Some("false");
        let destroys = self.is_destructive();
        let telling = annotations.retain(|key| match key {
            "readOnlyHint" => writes,
            "destructiveHint" => writes || destroys,
            _ => false,
        });
        (!telling.is_empty()).then_some(telling)
    }

    /// The [slim](slim::slim) `inputSchema`; `None` if the definition has none. Computed at first use.
    pub fn slim_schema(&self) -> Option<&str> {
        self.slim_schema.get_or_init(|| self.definition.member("inputSchema").map(slim::slim)).as_deref()
    }

    /// What it costs a model in a complete list, in bytes. Computed at first use.
    pub(crate) fn shown_bytes(&self) -> usize {
        *self.shown_bytes.get_or_init(|| size::shown_bytes(&self.definition))
    }

    /// The name of the argument that carries a receipt ([`receipt_name`]). Computed at first use.
    pub fn receipt_argument(&self) -> &str {
        self.receipt_argument.get_or_init(|| receipt_name::argument(self.entry().member("inputSchema")))
    }

    /// The `inputSchema` as a bridge delivers it, if that has at most `most` bytes (docs/CONTRACT.md B12). `most` = 0
    /// excludes every schema.
    pub fn cheap_schema(&self, definitions: Definitions, most: usize) -> Option<&str> {
        if most == 0 {
            return None;
        }
        let schema = match definitions {
            Definitions::Exact => self.definition.member("inputSchema"),
            Definitions::Slim | Definitions::Structured => self.slim_schema(),
        };
        // Hosts rely on the type, which MCP requires.
        let is_object = |schema: &str| RawObject::parse(schema).ok()?.string("type");
        schema.filter(|schema| schema.len() <= most && is_object(schema).as_deref() == Some("object"))
    }

    /// The schema that is listed for it where its own is withheld, but not by `resource`: one that every client can pass
    /// arguments through, unless what is in `arguments` would have two readings. Computed at first use.
    pub(crate) fn withheld_schema(&self) -> &'static str {
        let withheld = || if self.argument_check().can_wrap() { WRAPPING_SCHEMA } else { PERMISSIVE_SCHEMA };
        self.withheld_schema.get_or_init(withheld)
    }

    /// The members of the entry that the operator wrote.
    fn guidance(&self) -> impl Iterator<Item = (&str, &str)> {
        let parts = ["examples", "usage_guidance", "error_guidance"];
        parts.into_iter().filter_map(|key| Some((key, self.supplement.part(key)?)))
    }

    /// The definition for selection: a brief as description, the permissive `inputSchema`, no `outputSchema`.
    /// Everything else (title, annotations, icons, execution, `_meta`) is kept.
    pub fn minimal_with(&self, brief: &str) -> RawObject {
        self.definition
            .retain(|key| key != "outputSchema")
            .with_value("description", brief)
            .with("inputSchema", PERMISSIVE_SCHEMA)
    }

    /// Compiles the check of arguments against `inputSchema`, in some milliseconds. Tools with the same
    /// [entry](Self::entry) have the same.
    pub fn argument_check(&self) -> Schema {
        Schema::compile(self.definition.member("inputSchema").unwrap_or("true"))
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
