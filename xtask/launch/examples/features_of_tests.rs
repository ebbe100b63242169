//! Nothing is done here. Cargo gives crates the features that tests want of them only if it is asked for a test or an example;
//! this one costs nothing to build.

fn main() {}
