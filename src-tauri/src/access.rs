//! Which window may call which method.
//!
//! A yes is given in the approval window alone: it is small, opens nothing, shows one question and
//! ignores keys meant for something else. The main window may refuse, never allow. The host judges
//! the app's calls again; this list keeps one page from doing another page's work.

use std::collections::BTreeSet;

use lwa_domain::ErrorCode;
use lwa_protocol::approval::{Answer, DecideParams};
use lwa_protocol::{Failure, Method, method};
use serde_json::Value;

use crate::windows;

/// Methods of the approval window.
const APPROVAL_METHODS: [&str; 5] = [
    method::ApprovalGetList::NAME,
    method::ApprovalShow::NAME,
    method::ApprovalDecide::NAME,
    method::ApprovalExtend::NAME,
    method::HostGetStatus::NAME,
];

/// Methods that belong to the connection itself, which the bridge alone looks after.
const CONNECTION_METHODS: [&str; 2] = [method::HostIdentify::NAME, method::EventSubscribe::NAME];

/// The methods there are, by wire name.
#[derive(Debug)]
pub struct Access {
    names: BTreeSet<&'static str>,
}

impl Default for Access {
    fn default() -> Self {
        Self { names: method::table().into_iter().map(|row| row.name).collect() }
    }
}

impl Access {
    /// The method under its own name, if the window may call it so.
    ///
    /// # Errors
    /// There is no such method, the window may not call it, or its parameters are not readable
    /// where they decide about that.
    pub fn admit(&self, window: &str, method: &str, params: &Value) -> Result<&'static str, Failure> {
        let Some(name) = self.names.get(method).copied() else {
            return Err(Failure::new(ErrorCode::InvalidInput, "there is no such method"));
        };
        let is_admitted = match window {
            windows::MAIN => !CONNECTION_METHODS.contains(&name),
            windows::APPROVAL => APPROVAL_METHODS.contains(&name),
            _ => false,
        };
        if !is_admitted {
            return Err(Failure::new(ErrorCode::Forbidden, format!("this window may not call `{name}`")));
        }
        if window == windows::MAIN && name == method::ApprovalDecide::NAME {
            refuse_a_yes(params)?;
        }
        Ok(name)
    }
}

fn refuse_a_yes(params: &Value) -> Result<(), Failure> {
    let params: DecideParams = serde_json::from_value(params.clone()).map_err(|_| {
        // The text of a parse error may repeat what was sent.
        Failure::new(ErrorCode::InvalidInput, "the answer cannot be read")
    })?;
    match params.answer {
        Answer::Deny | Answer::Dismiss => Ok(()),
        Answer::AllowOnce | Answer::AllowSession | Answer::AllowAlways => {
            Err(Failure::new(ErrorCode::Forbidden, "the main window cannot allow")
                .hint("answer in the approval window"))
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn code(window: &str, method: &str, params: &Value) -> Option<ErrorCode> {
        Access::default().admit(window, method, params).err().map(|failure| failure.code)
    }

    fn decide(answer: &str) -> Value {
        json!({"id": "a", "answer": answer, "reason": null, "code": null})
    }

    #[rstest]
    #[case("allow_once")]
    #[case("allow_session")]
    #[case("allow_always")]
    fn only_the_approval_window_can_allow(#[case] answer: &str) {
        assert_eq!(code("approval", "approval/decide", &decide(answer)), None);
        assert_eq!(code("main", "approval/decide", &decide(answer)), Some(ErrorCode::Forbidden));
    }

    #[rstest]
    #[case("deny")]
    #[case("dismiss")]
    fn both_windows_can_refuse(#[case] answer: &str) {
        assert_eq!(code("approval", "approval/decide", &decide(answer)), None);
        assert_eq!(code("main", "approval/decide", &decide(answer)), None);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_answer_of_the_main_window() {
        for params in [json!({}), json!({"id": "a", "answer": "yes"}), Value::Null, json!([1])] {
            assert_eq!(code("main", "approval/decide", &params), Some(ErrorCode::InvalidInput), "{params}");
        }
    }

    #[test]
    fn the_approval_window_can_call_its_five_methods_and_no_other() {
        let access = Access::default();
        let admitted: Vec<_> =
            access.names.iter().filter(|name| code("approval", name, &decide("deny")).is_none()).copied().collect();
        let expected = ["approval/decide", "approval/extend", "approval/list", "approval/show", "host/status"];
        assert_eq!(admitted, expected);
    }

    #[test]
    fn the_main_window_leaves_the_connection_to_the_bridge() {
        let access = Access::default();
        let refused: Vec<_> =
            access.names.iter().filter(|name| code("main", name, &decide("deny")).is_some()).copied().collect();
        assert_eq!(refused, ["event/subscribe", "host/identify"]);
    }

    #[test]
    fn an_unknown_window_and_an_unknown_method_are_refused() {
        assert_eq!(code("other", "host/status", &json!({})), Some(ErrorCode::Forbidden));
        assert_eq!(code("main", "host/statu", &json!({})), Some(ErrorCode::InvalidInput));
    }
}
