//! A small pluggable device: one device in the CPU's memory, that every TensorFlow from 2.5 to 2.21 loads.
//!
//! ```text
//! cargo build -p unskew-stream-executor-sdk --example soroban
//! python lab/tensorflow/probes/tf_steps.py target/debug/examples/libsoroban.so
//! ```
//!
//! It computes at once, in the thread that calls; a device of yours would give its streams something to do. It
//! has the kernels that training a small Keras model takes, for `f32`; every other operation runs on the CPU.
//! Variables live on it as far as the host's C functions for them go, which is up to 2.18. It brings a graph
//! optimizer, and a profiler that writes down which kernels ran and which graphs were rewritten.

mod array;
mod device;
mod graph;
mod kernels;
mod platform;
mod profile;
mod protobuf;
mod sys;

use platform::Soroban;
use unskew_stream_executor_sdk::{export_optimizer, export_plugin, export_profiler};

export_plugin!(SorobanPlugin, Soroban, Soroban);
export_optimizer!(SorobanOptimizer, graph::OneRelu);
export_profiler!(SorobanProfiler, profile::Recorder);
