//! Prints the JSON Schema of the protocol:
//! `cargo run -p open_ttt_net --features schema --example schema > docs/protocol.schema.json`
#![expect(clippy::print_stdout, reason = "the program's output")]

use open_ttt_net::protocol::schema;

fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&schema())?);
    Ok(())
}
