//! Fakes for tests.
//!
//! What it is for: tests of other crates talk to a [`FakeProvider`] instead of a real one, in the same process or,
//! through the binary `fake-provider`, in another.
//! What it must never do: reach beyond loopback, outlive its owner, or appear among the dependencies of a program
//! that is shipped.
//! Trust boundary: none; it serves tests that wrote its script.
//! Start reading at [`FakeProvider`].

pub mod fake_provider;

pub use fake_provider::reply::Reply;
pub use fake_provider::{Call, FakeProvider, Script};
