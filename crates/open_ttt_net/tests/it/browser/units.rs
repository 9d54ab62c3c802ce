//! The modules of the page that need no page, one by one.

use serde_json::json;

use super::driver::Driver;
use super::window::Window;
use crate::test_server::TestServer;

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_modules_keep_their_promises() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    let told = window.js_later(include_str!("units.js"));
    assert_eq!(told["failed"], json!(null), "{told}");
    let checks = told["checks"].as_u64().expect("it counts its checks");
    assert!(checks > 40, "only {checks} checks were made");
}
