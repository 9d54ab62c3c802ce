//! The files for hosts in `deploy/`. The tests behind proxies need nginx and `HAProxy`,
//! those of the alerts promtool, those of the unit systemd-analyze; `cargo xtask test`
//! installs them, plain `cargo test` skips those tests.

mod monitoring;
mod proxies;
mod proxy;
mod unit;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of `deploy/`.
#[track_caller]
fn read(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

/// A program, from the environment variable or from the path.
fn program(variable: &str, name: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| name.into())
}

#[test]
fn files_agree_on_addresses_and_names() {
    let settings = read("open_ttt.toml");
    let public = "127.0.0.1:7878";
    let private = "127.0.0.1:7879";
    assert!(settings.contains(&format!("\nlisten = \"{public}\"\n")));
    assert!(settings.contains(&format!("\nprivate-listen = \"{private}\"\n")));
    for proxy in ["nginx.conf", "haproxy.cfg"] {
        assert!(read(proxy).contains(public), "{proxy}");
        // The private side stays private.
        assert!(!read(proxy).contains("7879"), "{proxy}");
    }
    assert!(read("prometheus.yml").contains(private));
    for file in ["open_ttt.toml", "nginx.conf", "haproxy.cfg"] {
        assert!(read(file).contains("play.example.org"), "{file}");
    }
    let unit = read("open_ttt.service");
    assert!(unit.contains("serve --config /etc/open_ttt.toml\n"));
    assert!(settings.contains("store = \"/var/lib/open_ttt/"));
    assert!(unit.contains("StateDirectory=open_ttt\n"));
}
