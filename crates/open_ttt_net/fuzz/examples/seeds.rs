//! Writes valid messages into `corpus` as seeds for the fuzz targets.

#[path = "../../tests/it/games.rs"]
mod games;
#[path = "../../tests/it/untrusted_input/samples.rs"]
mod samples;

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let match_inputs = samples::match_states().into_iter().map(|state| {
        let transitions = samples::transitions().join("\n");
        format!("{state}\n{transitions}")
    });
    let seeds = [
        ("id", samples::ids()),
        ("client_message", samples::client_messages()),
        ("server_message", samples::server_messages()),
        ("request_body", samples::request_bodies()),
        ("match_state", match_inputs.collect()),
        ("link", samples::links()),
        ("store_address", samples::store_addresses()),
        ("log", samples::logs()),
        ("request", samples::requests()),
        ("chained_log", samples::chained_logs()),
        ("admin_request", samples::admin_requests()),
        ("decisions", samples::decisions()),
        ("name", samples::names()),
        ("forwarded_for", samples::forwarded_for()),
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
