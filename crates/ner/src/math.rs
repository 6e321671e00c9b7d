//! The arithmetic of the network: products of matrices, and curves over their elements.
//!
//! Everything is dispatched at run time to the widest vector instructions that the machine has.

mod curve;
mod product;

pub(crate) use curve::{add_and_normalise, gelu, normalise, softmax};
pub(crate) use product::{Multiply, PANEL, Unpack};
