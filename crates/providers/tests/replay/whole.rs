//! Replies that arrive complete, however they are cut into pieces on the way.

use crate::mock::Step;
use crate::outcome::check;
use crate::shape::{Shape, all};

/// Plays every shape and names all that fail, not only the first.
async fn check_all(play: fn(&Shape) -> Vec<Step>) {
    let mut failed = Vec::new();
    for shape in all() {
        let id = shape.id();
        let checking = tokio::spawn(async move { check(&shape, play(&shape)).await });
        if checking.await.is_err() {
            failed.push(id);
        }
    }
    assert_eq!(failed, Vec::<String>::new());
}

#[tokio::test]
async fn every_shape_comes_to_what_is_expected_of_it() {
    check_all(Shape::whole).await;
}

#[tokio::test]
async fn rr_22_every_shape_that_arrives_byte_by_byte_comes_to_the_same() {
    check_all(Shape::bytes).await;
}

/// A split at every place of one stream of each protocol: inside a character, a word, a line end.
#[tokio::test]
async fn rr_22_a_stream_that_is_split_anywhere_comes_to_the_same() {
    let chosen = ["gemini/stream", "cohere/stream", "siliconflow/stream"];
    for shape in all().iter().filter(|shape| chosen.contains(&shape.id().as_str())) {
        for at in 1..shape.body.len() {
            check(shape, shape.split(at)).await;
        }
    }
}
