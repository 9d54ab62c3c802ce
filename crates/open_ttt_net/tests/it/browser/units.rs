//! Unit tests of the page's modules.

use serde_json::json;

use super::driver::Driver;
use super::window::Window;
use crate::test_server::TestServer;

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn modules_pass_their_unit_tests() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    let result = window.js_async(include_str!("units.js"));
    assert_eq!(result["failed"], json!(null), "{result}");
    let checks = result["checks"].as_u64().expect("the checks are counted");
    assert!(checks > 40, "only {checks} checks were made");
}
