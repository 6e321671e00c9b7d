//! Images and videos of a relay that answers a chat with an address.

use serde_json::{Value, json};

use super::{Answer, Maker, SMALL_REPLY, handle};
use crate::error::ProviderError;
use crate::media::MediaCall;
use crate::media::exchange::{Exchange, failed};
use crate::media::job::{JobHandle, Source, Submitted};
use crate::media::request::MediaRequest;

pub(super) struct ChatAddress;

impl Maker for ChatAddress {
    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted> {
        Box::pin(ask(call, request))
    }
}

async fn ask(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
    let body = json!({
        "model": request.model,
        "messages": [{"role": "user", "content": request.prompt}],
        "stream": false,
    });
    let exchange = Exchange::post(&call.endpoint.chat_path, &body, call.limits.whole(call.endpoint));
    let reply = exchange.json(call, SMALL_REPLY).await?.refused(call)?;
    let content = reply.body.pointer("/choices/0/message/content").and_then(Value::as_str).unwrap_or_default();
    let Some(address) = first_address(content) else {
        return Err(failed(call, "the answer holds no address of a file"));
    };
    let job = handle(call, request, reply.text("/id").unwrap_or_default(), reply.receipt(call));
    Ok(Submitted::Job(JobHandle { sources: vec![Source::Address(address.to_owned())], ..job }))
}

/// The first address in a text, which may stand alone, in a sentence or in Markdown.
fn first_address(text: &str) -> Option<&str> {
    let begin = ["https://", "http://"].iter().filter_map(|scheme| text.find(scheme)).min()?;
    let rest = text.get(begin..)?;
    let is_end = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | '>' | '"' | '\'' | '<');
    let address = rest.split(is_end).next()?.trim_end_matches(['.', ',', ';']);
    (address.len() > "https://".len()).then_some(address)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://files.example/a.png", Some("https://files.example/a.png"))]
    #[case("Here: ![cat](https://files.example/a.png?x=1&y=2)!", Some("https://files.example/a.png?x=1&y=2"))]
    #[case("see https://files.example/a.png.", Some("https://files.example/a.png"))]
    #[case("https://", None)]
    #[case("I cannot draw that.", None)]
    fn an_address_is_found_in_what_surrounds_it(#[case] text: &str, #[case] address: Option<&str>) {
        assert_eq!(first_address(text), address);
    }
}
