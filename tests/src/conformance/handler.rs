//! The handler: what `rmcp` calls.

#![allow(deprecated, reason = "what MCP has deprecated is still part of the suite")]

use std::{any::Any, borrow::Cow, sync::Arc};

use mcp_disclosure_core::Era;
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
        LoggingMessageNotificationParam, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig, SetLevelRequestParams,
        SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::json;

use super::{
    data::{self, listed, result},
    news::{List, News},
    questions::is_stateless,
};

type Context = RequestContext<RoleServer>;

/// The upstream. Clones share their lists and listeners; [`for_session`](Self::for_session) has its own
/// log level.
#[derive(Clone)]
pub struct Conformance {
    news: Arc<News>,
    codec: Arc<RequestStateCodec>,
    level: Arc<Mutex<LoggingLevel>>,
    era: Option<Era>,
    _held: Option<Arc<dyn Any + Send + Sync>>,
}

impl Conformance {
    /// An upstream, with a key of its own for what it hands out.
    pub fn new() -> Self {
        let mut key = [0; 32];
        getrandom::fill(&mut key).unwrap();
        Self {
            news: Arc::default(),
            codec: Arc::new(RequestStateCodec::try_new(key).unwrap()),
            level: Arc::new(Mutex::new(LoggingLevel::Debug)),
            era: None,
            _held: None,
        }
    }

    /// The same upstream, speaking one era only.
    pub fn of_era(self, era: Option<Era>) -> Self {
        Self { era, ..self }
    }

    /// The same upstream for one more session.
    pub fn for_session(&self) -> Self {
        Self { level: Arc::new(Mutex::new(LoggingLevel::Debug)), ..self.clone() }
    }

    /// The same upstream, which drops this when it ends.
    pub fn holding(self, held: impl Any + Send + Sync) -> Self {
        Self { _held: Some(Arc::new(held)), ..self }
    }

    pub(super) fn news(&self) -> &News {
        &self.news
    }

    pub(super) fn codec(&self) -> &RequestStateCodec {
        &self.codec
    }

    /// Logs at level `info`, where the session or the request wants it.
    pub(super) async fn log(&self, context: &Context, message: &str) {
        let least = if is_stateless(context) { context.meta.log_level() } else { Some(*self.level.lock()) };
        if least.is_some_and(|least| least as u8 <= LoggingLevel::Info as u8) {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
            let _gone = context.peer.notify_logging_message(message).await;
        }
    }
}

impl Default for Conformance {
    fn default() -> Self {
        Self::new()
    }
}

impl ServerHandler for Conformance {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("conformance-upstream", "1.0.0"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let wanted = |version: &&ProtocolVersion| {
            let era = if **version == ProtocolVersion::V_2026_07_28 { Era::Stateless } else { Era::Session };
            self.era.is_none_or(|only| only == era)
        };
        ProtocolVersion::KNOWN_VERSIONS.iter().filter(wanted).cloned().collect()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.news.add_session(context.peer);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listed("tools", self.news.has_grown(List::Tools))))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        listed("tools", self.news.has_grown(List::Tools)).into_iter().find(|tool: &Tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        self.run(request, &context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(listed("prompts", self.news.has_grown(List::Prompts))))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.prompt(request, &context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(listed("resources", false)))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(listed("resourceTemplates", false)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        data::read(&request.uri)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let values = ["test", "paris", "park", "party"];
        let values: Vec<&&str> =
            values.iter().filter(|value| value.starts_with(&request.argument.value)).collect();
        Ok(result(json!({"completion": {"values": values, "total": values.len(), "hasMore": false}})))
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        *self.level.lock() = request.level;
        Ok(())
    }

    // Nothing here is ever updated, so subscribers are never notified.
    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.news.add_listener(context.sink().clone());
        context.cancelled().await;
        self.news.remove_listener(context.sink());
        Ok(())
    }
}
