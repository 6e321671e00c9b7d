//! Where the next page of a list is, by what the page itself says.

use reqwest::Url;
use serde_json::Value;

/// The address of the page after `body`, which came from `url`; `None` after the last one.
///
/// A list never leads to another host: the key goes along.
pub(super) fn next(url: &Url, body: &Value) -> Option<Url> {
    let token = |name: &str| body.get(name).and_then(Value::as_str).filter(|token| !token.is_empty());
    // Google's and Cohere's names for a token and for the parameter that takes it.
    if let Some(token) = token("nextPageToken") {
        return Some(with(url, "pageToken", token));
    }
    if let Some(token) = token("next_page_token") {
        return Some(with(url, "page_token", token));
    }
    if let Some(link) = body.pointer("/links/next").or_else(|| body.get("next")).and_then(Value::as_str) {
        return url.join(link).ok().filter(|next| next.origin() == url.origin() && next.username().is_empty());
    }
    // The list of OpenAI itself has no pages; those that copied the shape of its other lists do.
    if body.get("has_more").and_then(Value::as_bool) == Some(true) {
        return token("last_id").map(|last| with(url, "after", last));
    }
    // Cloudflare counts its pages.
    let info = body.get("result_info")?;
    let number = |name: &str| info.get(name).and_then(Value::as_u64);
    let (page, last) = (number("page")?, number("total_pages")?);
    (page < last).then(|| with(url, "page", &(page + 1).to_string()))
}

/// `url` with this value for this parameter, in place of any it had.
fn with(url: &Url, name: &str, value: &str) -> Url {
    let others: Vec<(String, String)> =
        url.query_pairs().filter(|(known, _)| known != name).map(|(k, v)| (k.into_owned(), v.into_owned())).collect();
    let mut next = url.clone();
    next.query_pairs_mut().clear().extend_pairs(others).append_pair(name, value);
    next
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::google(json!({"nextPageToken": "a b"}), Some("https://host/v1/models?size=9&pageToken=a+b"))]
    #[case::cohere(json!({"next_page_token": "t"}), Some("https://host/v1/models?size=9&page_token=t"))]
    #[case::link(json!({"links": {"next": "/v1/models?offset=2"}}), Some("https://host/v1/models?offset=2"))]
    #[case::whole_link(json!({"next": "https://host/other?cursor=c"}), Some("https://host/other?cursor=c"))]
    #[case::other_host(json!({"links": {"next": "https://elsewhere/v1/models"}}), None)]
    #[case::other_scheme(json!({"links": {"next": "http://host/v1/models"}}), None)]
    #[case::numbered(json!({"result_info": {"page": 1, "total_pages": 2}}), Some("https://host/v1/models?size=9&page=2"))]
    #[case::last_number(json!({"result_info": {"page": 2, "total_pages": 2}}), None)]
    #[case::more(json!({"has_more": true, "last_id": "m"}), Some("https://host/v1/models?size=9&after=m"))]
    #[case::empty_token(json!({"nextPageToken": ""}), None)]
    #[case::null(json!({"links": {"next": null}, "next_page_token": null}), None)]
    #[case::nothing(json!({"data": []}), None)]
    fn the_next_page_is_found_at_the_same_host_or_not_at_all(#[case] body: Value, #[case] expected: Option<&str>) {
        let url = Url::parse("https://host/v1/models?size=9").unwrap();
        assert_eq!(next(&url, &body).as_ref().map(Url::as_str), expected);
    }

    #[test]
    fn a_token_replaces_the_one_before() {
        let url = Url::parse("https://host/models?pageToken=a&size=9").unwrap();
        let next = next(&url, &json!({"nextPageToken": "b"})).unwrap();
        assert_eq!(next.as_str(), "https://host/models?size=9&pageToken=b");
    }
}
