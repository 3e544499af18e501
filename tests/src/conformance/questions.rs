//! How a script's questions reach the client: as requests in a session, as `input_required` without one.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses,
        ProtocolVersion, RequestStateCodec, ServerRequest,
    },
    service::RequestContext,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::data::typed;

/// What a tool or a prompt asks the client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// The questions of each round, by key.
    rounds: Vec<InputRequests>,
    /// Whether its answers carry a `requestState`.
    #[serde(default)]
    remembers: bool,
    /// Whether it leaves out what the client has not declared, instead of failing.
    #[serde(default)]
    only_declared: bool,
    /// What stands before the answers in its result.
    prefix: String,
}

/// What a retry brings.
pub(super) struct Retry {
    /// The answers.
    pub(super) responses: Option<InputResponses>,
    /// The state, as it was handed out.
    pub(super) state: Option<String>,
}

/// How far a script came.
pub(super) enum Asked {
    /// The client has answered everything, with this.
    Answered(String),
    /// It is to be asked this first.
    Required(InputRequiredResult),
    /// It cannot be asked something: why.
    Undeclared(String),
}

impl Script {
    /// Runs the script as far as it comes with this request.
    ///
    /// # Errors
    /// -32602 for a state that was not handed out; what the client answers with in a session.
    pub(super) async fn run(
        &self,
        context: &RequestContext<RoleServer>,
        codec: &RequestStateCodec,
        retry: Retry,
    ) -> Result<Asked, ErrorData> {
        let declared = context.client_capabilities().unwrap_or_default();
        let mut rounds = self.rounds.clone();
        for questions in &mut rounds {
            let undeclared = questions.values().find_map(|question| missing(question, &declared));
            match undeclared {
                Some(capability) if !self.only_declared => {
                    return Ok(Asked::Undeclared(format!("The client has not declared {capability}.")));
                }
                _ => questions.retain(|_, question| missing(question, &declared).is_none()),
            }
        }
        if is_stateless(context) {
            return self.resume(codec, rounds, retry);
        }
        Ok(Asked::Answered(format!("{}{}", self.prefix, ask(context, rounds).await?)))
    }

    fn resume(
        &self,
        codec: &RequestStateCodec,
        rounds: Vec<InputRequests>,
        retry: Retry,
    ) -> Result<Asked, ErrorData> {
        let tampered = |_| ErrorData::invalid_params("requestState is none that was handed out", None);
        let at = retry.state.map(|state| codec.open_json::<usize>(&state)).transpose().map_err(tampered)?;
        let at = at.unwrap_or_default();
        let responses = retry.responses.unwrap_or_default();
        let is_answered = |(key, question): (&String, &InputRequest)| {
            responses.get(key).is_some_and(|response| fits(question, response))
        };
        let answered = rounds.get(at).is_some_and(|questions| questions.iter().all(is_answered));
        let next = if answered { at + 1 } else { at };
        let Some(questions) = rounds.into_iter().nth(next) else {
            return Ok(Asked::Answered(format!("{}{}", self.prefix, json!(responses))));
        };
        let state = self.remembers.then(|| codec.seal_json(&next)).transpose();
        let state = state.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(Asked::Required(InputRequiredResult::new(Some(questions), state)))
    }
}

/// Whether the request stands for itself.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.meta.protocol_version().is_some_and(|version| version == ProtocolVersion::V_2026_07_28)
}

/// The client's answers, by key.
async fn ask(context: &RequestContext<RoleServer>, rounds: Vec<InputRequests>) -> Result<Value, ErrorData> {
    let mut answers = Map::new();
    for (key, question) in rounds.into_iter().flatten() {
        let request: ServerRequest = typed(json!(question));
        let answer = context.peer.send_request(request).await;
        let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        answers.insert(key, json!(answer));
    }
    Ok(answers.into())
}

/// The capability that a question needs and the client has not.
fn missing(question: &InputRequest, declared: &ClientCapabilities) -> Option<&'static str> {
    let (capability, has) = match question {
        InputRequest::CreateMessage(_) => ("sampling", declared.sampling.is_some()),
        InputRequest::Elicitation(_) => ("elicitation", declared.elicitation.is_some()),
        InputRequest::ListRoots(_) => ("roots", declared.roots.is_some()),
        _ => ("this", false),
    };
    (!has).then_some(capability)
}

/// Whether a response can be the answer to a question.
fn fits(question: &InputRequest, response: &Value) -> bool {
    match question {
        InputRequest::Elicitation(_) => response["action"].is_string(),
        InputRequest::CreateMessage(_) => response["content"].is_object(),
        _ => response["roots"].is_array(),
    }
}
