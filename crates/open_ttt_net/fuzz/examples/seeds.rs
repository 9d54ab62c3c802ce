//! Puts messages that are right into `corpus`, for the targets to begin with.

#[path = "../../tests/it/outside/samples.rs"]
mod samples;

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let stories = samples::tables().into_iter().map(|table| {
        let transitions = samples::transitions().join("\n");
        format!("{table}\n{transitions}")
    });
    let seeds = [
        ("name", samples::names()),
        ("client_message", samples::client_messages()),
        ("server_message", samples::server_messages()),
        ("request_body", samples::request_bodies()),
        ("table", stories.collect()),
        ("link", samples::links()),
        ("store_address", samples::store_addresses()),
        ("log", samples::logs()),
        ("request", samples::requests()),
    ];
    for (target, seeds) in seeds {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(target);
        fs::create_dir_all(&folder)?;
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index}")), seed)?;
        }
    }
    Ok(())
}
