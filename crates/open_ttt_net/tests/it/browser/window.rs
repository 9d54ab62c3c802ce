use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::driver::Driver;

/// A browser with one window and a profile of its own.
pub(super) struct Window<'a> {
    driver: &'a Driver,
    session: String,
    process: u64,
    /// The URLs requested so far, as far as the logs have been read.
    requests: Vec<String>,
    errors: Vec<String>,
}

/// The time limit for an expected event; only a broken page reaches it.
const HANG_GUARD: Duration = Duration::from_mins(5);
/// The key of a reference to an element (`WebDriver`, section 12.1).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
const POLL_INTERVAL: Duration = Duration::from_millis(30);

/// The keys in `WebDriver`'s encoding.
pub(super) const TAB: &str = "\u{e004}";
pub(super) const SHIFT: &str = "\u{e008}";
pub(super) const ENTER: &str = "\u{e007}";
pub(super) const ESCAPE: &str = "\u{e00c}";
pub(super) const LEFT: &str = "\u{e012}";
pub(super) const UP: &str = "\u{e013}";
pub(super) const RIGHT: &str = "\u{e014}";
pub(super) const DOWN: &str = "\u{e015}";

const ARGUMENTS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,900",
];

impl<'a> Window<'a> {
    /// Opens an address in a new browser with an empty profile.
    #[track_caller]
    pub(super) fn open(driver: &'a Driver, url: &str) -> Self {
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": ARGUMENTS},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = driver.post("/session", &capabilities);
        let id = session["sessionId"]
            .as_str()
            .expect("the session has an id");
        let window = Self {
            driver,
            session: format!("/session/{id}"),
            process: session["capabilities"]["goog:processID"]
                .as_u64()
                .expect("the browser has a process id"),
            requests: Vec::new(),
            errors: Vec::new(),
        };
        window.go(url);
        window
    }

    #[track_caller]
    pub(super) fn go(&self, url: &str) {
        self.post("url", &json!({"url": url}));
    }

    pub(super) fn url(&self) -> String {
        let url = self.driver.get(&format!("{}/url", self.session));
        url.as_str().expect("a URL").to_owned()
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        self.driver.post(&format!("{}/{path}", self.session), body)
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(super) fn js(&self, expression: &str) -> Value {
        let script = format!("return ({expression})");
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The value of a promise in the page.
    #[track_caller]
    pub(super) fn js_async(&self, expression: &str) -> Value {
        self.run_async(&format!(
            "({expression}).then(done, (error) => done({{failed: String(error?.stack ?? error)}}))"
        ))
    }

    /// What statements in the page pass to the function `done`.
    #[track_caller]
    pub(super) fn run_async(&self, statements: &str) -> Value {
        let script = format!("const done = arguments[0]; {statements}");
        self.post("execute/async", &json!({"script": script, "args": []}))
    }

    /// Waits until an element stays where it is from frame to frame.
    #[track_caller]
    fn wait_still(&self, selector: &str) {
        let selector = json!(selector);
        self.run_async(&format!(
            "const place = () => JSON.stringify(document.querySelector({selector})?.getBoundingClientRect()); \
             let last = ''; \
             const look = () => {{ \
                 const now = place(); \
                 if (now === last) done(true); else {{ last = now; requestAnimationFrame(() => requestAnimationFrame(look)); }} \
             }}; \
             look();"
        ));
    }

    /// Waits until an expression in the page is true. The page may navigate
    /// meanwhile.
    #[track_caller]
    pub(super) fn wait_for(&self, expression: &str) {
        let begun = Instant::now();
        let script = json!({"script": format!("return Boolean({expression})"), "args": []});
        let path = format!("{}/execute/sync", self.session);
        loop {
            let answer = self.driver.try_send("POST", &path, &script);
            if answer == Ok(Value::Bool(true)) {
                return;
            }
            assert!(
                begun.elapsed() < HANG_GUARD,
                "{expression} is never true, {answer:?}: {}",
                self.js("document.body.innerText"),
            );
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until an element has this text.
    #[track_caller]
    pub(super) fn wait_text(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.wait_for(&format!(
            "document.querySelector({selector})?.textContent === {text}"
        ));
    }

    /// Waits until the page contains this text.
    #[track_caller]
    pub(super) fn wait_contains(&self, text: &str) {
        let text = json!(text);
        self.wait_for(&format!("document.body.textContent.includes({text})"));
    }

    #[track_caller]
    fn element(&self, selector: &str) -> String {
        self.wait_for(&format!("document.querySelector({})", json!(selector)));
        let locator = json!({"using": "css selector", "value": selector});
        let found = self.post("element", &locator);
        let mut ids = found.as_object().expect("an element").values();
        ids.next()
            .and_then(Value::as_str)
            .expect("the element has an id")
            .to_owned()
    }

    /// Clicks an element; fails if another element covers it.
    #[track_caller]
    pub(super) fn click(&self, selector: &str) {
        let element = self.element(selector);
        // Away from what sticks to an edge of the window.
        let script = "arguments[0].scrollIntoView({ block: 'nearest', behavior: 'instant' })";
        let reference = json!({(ELEMENT): element});
        self.post(
            "execute/sync",
            &json!({"script": script, "args": [reference]}),
        );
        let path = format!("{}/element/{element}/click", self.session);
        if let Err(error) = self.driver.try_send("POST", &path, &json!({})) {
            // What changed above it may have moved it from under the pointer.
            assert!(error.contains("element click intercepted"), "{error}");
            self.wait_still(selector);
            self.driver.post(&path, &json!({}));
        }
    }

    /// Touches an element with a finger.
    #[track_caller]
    pub(super) fn tap(&self, selector: &str) {
        // What changed above it may not be painted yet, and moves it from under the finger.
        self.wait_still(selector);
        let element = json!({(ELEMENT): self.element(selector)});
        let finger = json!({"actions": [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
            {"type": "pointerMove", "origin": element, "x": 0, "y": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]}]});
        self.post("actions", &finger);
    }

    /// Types into a field.
    #[track_caller]
    pub(super) fn keys(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.post(&format!("element/{element}/value"), &json!({"text": text}));
    }

    /// Presses keys on the focused element, those after Shift while that is held.
    #[track_caller]
    pub(super) fn press(&self, keys: &str) {
        let key = |kind: &str, key: char| json!({"type": kind, "value": key});
        let (held, others): (Vec<_>, Vec<_>) = keys.chars().partition(|key| SHIFT.contains(*key));
        let mut actions: Vec<Value> = held.iter().map(|it| key("keyDown", *it)).collect();
        actions.extend(
            others
                .into_iter()
                .flat_map(|it| ["keyDown", "keyUp"].map(|kind| key(kind, it))),
        );
        actions.extend(held.iter().map(|it| key("keyUp", *it)));
        let keyboard = json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]});
        self.post("actions", &keyboard);
    }

    /// Sends a command of the Chrome `DevTools` Protocol.
    #[track_caller]
    pub(super) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post(
            "goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        )
    }

    pub(super) fn resize(&self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Kills the browser.
    pub(super) fn kill(self) {
        let killed = Command::new("kill")
            .args(["-9", &self.process.to_string()])
            .status();
        assert!(
            killed.is_ok_and(|status| status.success()),
            "the browser is killed"
        );
    }

    fn read_logs(&mut self) {
        for kind in ["browser", "performance"] {
            let entries = self.post("se/log", &json!({"type": kind}));
            for entry in entries.as_array().expect("a list") {
                let text = entry["message"].as_str().expect("a text");
                if kind == "browser" {
                    self.errors.push(format!("{}: {text}", entry["level"]));
                    continue;
                }
                let message: Value = serde_json::from_str(text).expect("it is JSON");
                let message = &message["message"];
                let url = match message["method"].as_str() {
                    Some("Network.requestWillBeSent") => &message["params"]["request"]["url"],
                    Some("Network.webSocketCreated") => &message["params"]["url"],
                    _ => continue,
                };
                self.requests.push(url.as_str().expect("a text").to_owned());
            }
        }
    }

    /// The URLs requested since the browser was opened.
    pub(super) fn requests(&mut self) -> &[String] {
        self.read_logs();
        &self.requests
    }

    /// The errors in the console, including violations of the security policy.
    pub(super) fn errors(&mut self) -> &[String] {
        self.read_logs();
        &self.errors
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        self.driver.delete(&self.session);
    }
}
