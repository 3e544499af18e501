//! Reading resources.

use rmcp::{
    ErrorData,
    model::{ReadResourceResponse, ReadResourceResult},
};
use serde_json::{Value, json};

use super::{catalogue::result, tools::IMAGE};

/// The contents of a resource.
pub(super) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let content = match uri {
        "test://static-text" => text(uri, "text/plain", "This is the content of the static text resource."),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": IMAGE}),
        "test://watched-resource" => text(uri, "text/plain", "Watched."),
        _ => {
            let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let id = id.ok_or_else(|| {
                ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri})))
            })?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text(uri, "application/json", &data.to_string())
        }
    };
    Ok(result::<ReadResourceResult>(json!({"contents": [content]})).into())
}

fn text(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({"uri": uri, "mimeType": mime_type, "text": text})
}
