//! The graph optimizer: what a `Relu` has made is not put through another one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use unskew_stream_executor_sdk::{Error, Optimizer};

use crate::profile;
use crate::protobuf::{Field, fields, put_bytes};

/// Fields of a `GraphDef` and of its nodes.
const NODE: u64 = 1;
const NAME: u64 = 1;
const OPERATION: u64 = 2;
const INPUT: u64 = 3;

/// How many were left out so far, for who has no profile to see it in.
pub static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// Lets whoever reads the second of two `Relu` in a row read the first.
pub struct OneRelu;

impl Optimizer for OneRelu {
    fn device_type(&self) -> &str {
        "SOROBAN"
    }

    fn optimize(&self, graph: &[u8]) -> Result<Vec<u8>, Error> {
        let fields = fields(graph)?;
        let second = second_ones(&fields)?;
        LEFT_OUT.fetch_add(second.len() as u64, Ordering::Relaxed);
        profile::graph(second.len());
        let mut rewritten = Vec::with_capacity(graph.len());
        for field in &fields {
            if field.number == NODE {
                put_bytes(&mut rewritten, NODE, &reading_first(field.payload, &second)?);
            } else {
                rewritten.extend_from_slice(field.whole);
            }
        }
        Ok(rewritten)
    }
}

/// Every `Relu` that reads a `Relu`, with what it reads.
fn second_ones<'a>(graph: &[Field<'a>]) -> Result<HashMap<&'a [u8], &'a [u8]>, Error> {
    let mut inputs = HashMap::new();
    for node in graph.iter().filter(|field| field.number == NODE) {
        let fields = fields(node.payload)?;
        let first = |number| fields.iter().find(|field| field.number == number);
        let texts = (first(NAME), first(OPERATION), first(INPUT));
        if let (Some(name), Some(operation), Some(input)) = texts
            && operation.payload == b"Relu"
        {
            inputs.insert(name.payload, input.payload);
        }
    }
    let second = |(_, input): &(&&[u8], &&[u8])| inputs.contains_key(*input);
    Ok(inputs.iter().filter(second).map(|(name, input)| (*name, *input)).collect())
}

/// A node that reads the first `Relu` where it read the second.
fn reading_first(node: &[u8], second: &HashMap<&[u8], &[u8]>) -> Result<Vec<u8>, Error> {
    let mut rewritten = Vec::with_capacity(node.len());
    for field in fields(node)? {
        match second.get(field.payload).filter(|_| field.number == INPUT) {
            Some(first) => put_bytes(&mut rewritten, INPUT, first),
            None => rewritten.extend_from_slice(field.whole),
        }
    }
    Ok(rewritten)
}
