//! Halves the size of a network's file: its weights are written in half precision.
//!
//! `cargo run -p open_ttt_nn --example half_precision -- NETWORK SMALLER`
#![expect(clippy::print_stderr, reason = "a program talks to its user")]

use std::env;
use std::fs;
use std::process::ExitCode;

use open_ttt_nn::Network;
use open_ttt_nn::safetensors::Precision;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [network, smaller] = &arguments[..] else {
        eprintln!("usage: half_precision NETWORK SMALLER");
        return ExitCode::from(2);
    };
    match halve(network, smaller) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("half_precision: {error}");
            ExitCode::FAILURE
        }
    }
}

fn halve(network: &str, smaller: &str) -> Result<(), String> {
    let of_file = |file: &str, error: &dyn std::error::Error| format!("{file}: {error}");
    let bytes = fs::read(network).map_err(|error| of_file(network, &error))?;
    let read = Network::from_bytes(&bytes).map_err(|error| of_file(network, &error))?;
    let halves = read.to_bytes_in(Precision::Half);
    fs::write(smaller, halves).map_err(|error| of_file(smaller, &error))
}
