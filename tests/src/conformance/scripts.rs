//! Tools that ask the client for something: what they ask, round by round.

use serde_json::{Value, json};

use super::questions::Script;

/// All of them.
pub(super) const SCRIPTS: &[Script] = &[
    Script {
        tool: "test_sampling",
        description: "Asks the client's model",
        argument: Some("prompt"),
        rounds: &[|prompt| json!({"sampled": sampling(prompt, 100)})],
        prefix: "LLM response: ",
        ..Script::NOTHING
    },
    Script {
        tool: "test_elicitation",
        description: "Asks the user for a name and an address",
        argument: Some("message"),
        rounds: &[|message| {
            let described = |text: &str| json!({"type": "string", "description": text});
            let properties =
                json!({"username": described("User's response"), "email": described("User's email address")});
            json!({"user": elicitation(message, &properties)})
        }],
        prefix: "User response: ",
        ..Script::NOTHING
    },
    Script {
        tool: "test_elicitation_sep1034_defaults",
        description: "Asks the user, with defaults",
        rounds: &[|_| json!({"values": with_defaults()})],
        prefix: "Elicitation completed: ",
        ..Script::NOTHING
    },
    Script {
        tool: "test_elicitation_sep1330_enums",
        description: "Asks the user to choose",
        rounds: &[|_| json!({"choices": with_choices()})],
        prefix: "Elicitation completed: ",
        ..Script::NOTHING
    },
    Script {
        tool: "test_streaming_elicitation",
        description: "Asks the user on the answer's stream",
        rounds: &[|_| json!({"user_name": name("What is your name?")})],
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_elicitation",
        description: "Asks the user for a name",
        rounds: &[|_| json!({"user_name": name("What is your name?")})],
        prefix: "Hello, ",
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_sampling",
        description: "Asks the client's model for a capital",
        rounds: &[|_| json!({"capital_question": sampling("What is the capital of France?", 100)})],
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_list_roots",
        description: "Asks for the client's roots",
        rounds: &[|_| json!({"client_roots": roots()})],
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_request_state",
        description: "Asks for a confirmation and remembers that it did",
        rounds: &[|_| json!({"confirm": confirmation()})],
        remembers: true,
        prefix: "state-ok: ",
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_multiple_inputs",
        description: "Asks for three things at once",
        rounds: &[|_| one_of_each()],
        remembers: true,
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_multi_round",
        description: "Asks twice",
        rounds: &[
            |_| json!({"step1": name("Step 1: What is your name?")}),
            |_| {
                let properties = json!({"color": {"type": "string"}});
                json!({"step2": elicitation("Step 2: What is your favorite color?", &properties)})
            },
        ],
        remembers: true,
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_tampered_state",
        description: "Asks for a confirmation and sees if its state was changed",
        rounds: &[|_| json!({"confirm": confirmation()})],
        remembers: true,
        ..Script::NOTHING
    },
    Script {
        tool: "test_input_required_result_capabilities",
        description: "Asks for what the client can give",
        rounds: &[|_| one_of_each()],
        only_declared: true,
        ..Script::NOTHING
    },
];

/// The prompt that asks.
pub(super) const PROMPT: Script = Script {
    tool: "test_input_required_result_prompt",
    rounds: &[|_| {
        let properties = json!({"context": {"type": "string"}});
        json!({"user_context": elicitation("What context should the prompt use?", &properties)})
    }],
    ..Script::NOTHING
};

fn elicitation(message: &str, properties: &Value) -> Value {
    let required: Vec<&String> =
        properties.as_object().into_iter().flat_map(|members| members.keys()).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn name(message: &str) -> Value {
    elicitation(message, &json!({"name": {"type": "string"}}))
}

fn confirmation() -> Value {
    elicitation("Please confirm", &json!({"ok": {"type": "boolean"}}))
}

fn sampling(prompt: &str, max_tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": max_tokens}})
}

fn one_of_each() -> Value {
    json!({
        "user_name": name("What is your name?"),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": roots(),
    })
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

/// A default for each primitive type (SEP-1034).
fn with_defaults() -> Value {
    elicitation(
        "Please check these values",
        &json!({
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        }),
    )
}

/// The five ways to let someone choose (SEP-1330).
fn with_choices() -> Value {
    let titled = |noun: &str| {
        let choice = |number: u32, rank: &str| json!({"const": format!("value{number}"), "title": format!("{rank} {noun}")});
        json!([choice(1, "First"), choice(2, "Second"), choice(3, "Third")])
    };
    elicitation(
        "Please choose",
        &json!({
            "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {
                "type": "array",
                "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
            },
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        }),
    )
}
