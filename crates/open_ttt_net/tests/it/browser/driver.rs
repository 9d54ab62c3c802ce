use std::env;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::http::request;

/// The environment variable with the path of chromedriver.
const VARIABLE: &str = "OPEN_TTT_CHROMEDRIVER";

/// A running chromedriver, controlled over `WebDriver` (W3C, 2018).
pub(super) struct Driver {
    process: Child,
    address: SocketAddr,
}

impl Driver {
    /// Starts chromedriver on a free port.
    pub(super) fn start() -> Self {
        // It ends at once if somebody else takes the port between its two sockets.
        const TRIES: usize = 5;
        let mut started = (0..TRIES).filter_map(|_| Self::try_start());
        started.next().expect("chromedriver prints its port")
    }

    /// Starts it; `None` if it ends without a port.
    fn try_start() -> Option<Self> {
        let program = env::var_os(VARIABLE).unwrap_or_else(|| "chromedriver".into());
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} starts: {error}", program.display()));
        let mut output = BufReader::new(process.stdout.take().expect("the output is piped"));
        let mut port: Option<u16> = None;
        let mut line = String::new();
        while port.is_none() && output.read_line(&mut line).expect("the output is readable") > 0 {
            // An earlier line has the requested port, 0; this one has the actual port.
            let number = line.split("successfully on port ").nth(1);
            port = number.and_then(|text| text.trim().trim_end_matches('.').parse().ok());
            line.clear();
        }
        // Drains the output, so that the pipe does not fill up.
        std::thread::spawn(move || std::io::copy(&mut output.by_ref(), &mut std::io::sink()));
        let Some(port) = port else {
            let _ = process.kill();
            process.wait().expect("chromedriver ends");
            return None;
        };
        Some(Self {
            process,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
        })
    }

    /// Sends a command and returns the value of the response, or the error.
    pub(super) fn try_send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let headers = [("content-type", "application/json")];
        let mut answer = request(self.address, method, path, &headers, &body).json();
        let value = answer["value"].take();
        match value.get("error") {
            Some(error) => Err(format!("{error}: {}", value["message"])),
            None => Ok(value),
        }
    }

    #[track_caller]
    pub(super) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.try_send("POST", path, body);
        answer.unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    pub(super) fn get(&self, path: &str) -> Value {
        let answer = self.try_send("GET", path, &json!({}));
        answer.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Ends a session. It may have ended already.
    pub(super) fn delete(&self, path: &str) {
        let _ = self.try_send("DELETE", path, &json!({}));
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
