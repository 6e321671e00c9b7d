//! Events: what they can hold, and how they are written.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::artifact::ArtifactRef;
use crate::memory::{SessionKey, TurnId};

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// What an event belongs to.
    Span {
        /// A call of a tool.
        Tool = "tool",
        /// The memory of a session.
        Memory = "memory",
        /// The state of a session: armed, mode, disclosure, identity.
        Session = "session",
    }
}

words! {
    /// What happened.
    EventKind {
        /// `local_llm_run`.
        Run = "run",
        /// `local_llm_delegate`.
        Delegate = "delegate",
        /// A model was asked to choose.
        Decision = "decision",
        /// The memory was compacted, or could not be.
        Compaction = "compaction",
        /// The gate was asked, opened or shut.
        Armed = "armed",
        /// The mode changed.
        Mode = "mode",
        /// The disclosure changed.
        Disclosure = "disclosure",
        /// The session got another key.
        Identity = "identity",
        /// The session begins.
        Start = "start",
        /// The session ends.
        End = "end",
    }
}

words! {
    /// The names of attributes.
    Attr {
        /// The mode: `pii` or `assist`.
        Mode = "mode",
        /// The turn.
        Turn = "turn",
        /// The stored material.
        Artifact = "ref",
        /// Characters of the material.
        RawChars = "raw_chars",
        /// Characters of the result.
        OutChars = "out_chars",
        /// Characters of the material that the caller did not bring.
        GatheredChars = "gathered_chars",
        /// Tokens that the caller was spared.
        SavedTokens = "saved_tokens",
        /// Parts that the material was read in.
        Chunks = "chunks",
        /// From the call to the result, in seconds.
        Seconds = "secs",
        /// How long the command ran, in seconds.
        CommandSeconds = "cmd_secs",
        /// The command's exit code.
        ExitCode = "rc",
        /// The command's time was over.
        IsTimedOut = "timed_out",
        /// Some of the material was left out.
        IsTruncated = "truncated",
        /// Lines were quoted.
        IsVerbatim = "verbatim",
        /// The call failed.
        IsError = "error",
        /// Values that were hidden, of all kinds.
        Scrubbed = "scrubbed",
        /// The last look for names: `ok`, `failed` or `none`.
        LeakCheck = "leak_check",
        /// The state that holds now.
        State = "state",
        /// The question that came with the worker; `custom` for one of the caller's own.
        Policy = "policy",
        /// Turns that were compacted.
        Turns = "turns",
        /// Characters of the summary.
        SummaryChars = "summary_chars",
    }
}

words! {
    /// How a session ended.
    EndState {
        /// As usual.
        Done = "done",
        /// The host stopped.
        Stopped = "stopped",
    }
}

/// One value. Words are those of this program: a text that came from outside has no lifetime of `'static`.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// How many.
    Count(u64),
    /// A number that may be negative, such as an exit code.
    Number(i64),
    /// A time.
    Seconds(f64),
    /// Yes or no.
    Flag(bool),
    /// A word of this program.
    Word(&'static str),
    /// A turn.
    Turn(TurnId),
    /// A stored material.
    Artifact(ArtifactRef),
}

impl From<u64> for Scalar {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Scalar {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<i32> for Scalar {
    fn from(number: i32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<f64> for Scalar {
    fn from(seconds: f64) -> Self {
        Self::Seconds(seconds)
    }
}

impl From<std::time::Duration> for Scalar {
    fn from(duration: std::time::Duration) -> Self {
        Self::Seconds(duration.as_secs_f64())
    }
}

impl From<bool> for Scalar {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&'static str> for Scalar {
    fn from(word: &'static str) -> Self {
        Self::Word(word)
    }
}

impl From<TurnId> for Scalar {
    fn from(turn: TurnId) -> Self {
        Self::Turn(turn)
    }
}

impl From<ArtifactRef> for Scalar {
    fn from(artifact: ArtifactRef) -> Self {
        Self::Artifact(artifact)
    }
}

impl Scalar {
    fn to_json(&self) -> Value {
        match self {
            Self::Count(count) => Value::from(*count),
            Self::Number(number) => Value::from(*number),
            // Three decimals are milliseconds; more are noise.
            Self::Seconds(seconds) => Value::from((seconds * 1_000.0).round() / 1_000.0),
            Self::Flag(flag) => Value::from(*flag),
            Self::Word(word) => Value::from(*word),
            Self::Turn(turn) => Value::from(turn.as_str()),
            Self::Artifact(artifact) => Value::from(artifact.as_str()),
        }
    }
}

/// One event of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    form: Form,
    session: SessionKey,
    at: Timestamp,
    attrs: Vec<(Attr, Scalar)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Start,
    Event(Span, EventKind),
    End(EndState),
}

impl Event {
    /// A session begins.
    pub fn start(session: SessionKey, at: Timestamp) -> Self {
        Self { form: Form::Start, session, at, attrs: Vec::new() }
    }

    /// Something happened in a session.
    pub fn new(span: Span, kind: EventKind, session: SessionKey, at: Timestamp) -> Self {
        Self { form: Form::Event(span, kind), session, at, attrs: Vec::new() }
    }

    /// A session ends.
    pub fn end(state: EndState, session: SessionKey, at: Timestamp) -> Self {
        Self { form: Form::End(state), session, at, attrs: Vec::new() }
    }

    /// With an attribute; the last one of a name counts.
    pub fn with(mut self, name: Attr, value: impl Into<Scalar>) -> Self {
        let value = value.into();
        self.attrs.retain(|(known, _)| *known != name);
        self.attrs.push((name, value));
        self
    }

    /// With an attribute if it has a value.
    pub fn with_some(self, name: Attr, value: Option<impl Into<Scalar>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The event as one line of JSON, without its end.
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        let event = match self.form {
            Form::Start => "start",
            Form::Event(..) => "event",
            Form::End(_) => "end",
        };
        put("event", Value::from(event));
        put("session", Value::from(self.session.as_str()));
        put("at", Value::from(self.at.to_string()));
        match self.form {
            Form::Start => {}
            Form::Event(span, kind) => {
                put("span", Value::from(span.as_str()));
                put("kind", Value::from(kind.as_str()));
            }
            Form::End(state) => {
                put("state", Value::from(state.as_str()));
            }
        }
        if !self.attrs.is_empty() {
            let attrs: Map<String, Value> =
                self.attrs.iter().map(|(name, value)| (name.as_str().to_owned(), value.to_json())).collect();
            put("attrs", Value::Object(attrs));
        }
        Value::Object(object).to_string()
    }
}
