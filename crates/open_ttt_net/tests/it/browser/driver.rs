use std::env;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::http::request;

/// The variable that says which program drives browsers.
const VARIABLE: &str = "OPEN_TTT_CHROMEDRIVER";

/// A program that drives browsers by `WebDriver` (W3C, 2018): JSON over HTTP.
pub(super) struct Driver {
    process: Child,
    address: SocketAddr,
}

impl Driver {
    /// Starts it on a port of its own.
    pub(super) fn start() -> Self {
        let program = env::var_os(VARIABLE).unwrap_or_else(|| "chromedriver".into());
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} starts: {error}", program.display()));
        let mut said = BufReader::new(process.stdout.take().expect("it has an output"));
        let mut port = None;
        let mut line = String::new();
        while port.is_none() && said.read_line(&mut line).expect("it speaks") > 0 {
            // It names the port it was asked for, 0, and then the one it has.
            let number = line.split("successfully on port ").nth(1);
            port = number.and_then(|text| text.trim().trim_end_matches('.').parse().ok());
            line.clear();
        }
        // What it says further is nobody's, and must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut said.by_ref(), &mut std::io::sink()));
        let port: u16 = port.expect("it tells its port");
        Self {
            process,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
        }
    }

    /// Asks it something and returns the value of its answer, or what is wrong.
    pub(super) fn try_ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let kind = [("content-type", "application/json")];
        let mut answer = request(self.address, method, path, &kind, &body).json();
        let value = answer["value"].take();
        match value.get("error") {
            Some(error) => Err(format!("{error}: {}", value["message"])),
            None => Ok(value),
        }
    }

    #[track_caller]
    pub(super) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.try_ask("POST", path, body);
        answer.unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    pub(super) fn get(&self, path: &str) -> Value {
        let answer = self.try_ask("GET", path, &json!({}));
        answer.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Asks for the end of a session, which may have ended by itself.
    pub(super) fn delete(&self, path: &str) {
        let _ = self.try_ask("DELETE", path, &json!({}));
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It ends with the test, however the test ends.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
