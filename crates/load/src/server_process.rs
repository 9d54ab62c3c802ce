use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use open_ttt_net::client::ServerAddress;

/// A rate that is never reached.
const HIGH: &str = "4000000000";

/// A child process that runs `open_ttt serve`. Dropping it kills the process.
#[derive(Debug)]
pub struct ServerProcess {
    program: PathBuf,
    store: String,
    limits: Limits,
    child: Child,
    server: ServerAddress,
}

/// The limits of a server under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// So high that they are never reached.
    High,
    /// Those that a server has unless its operator sets others.
    Default,
}

impl ServerProcess {
    /// Starts a server with this store and high limits, on a free port.
    pub fn start(program: &Path, store: &str) -> Result<Self, String> {
        Self::start_with(program, store, Limits::High)
    }

    /// Starts a server with this store and these limits, on a free port.
    pub fn start_with(program: &Path, store: &str, limits: Limits) -> Result<Self, String> {
        Self::spawn(program, store, limits, "127.0.0.1:0")
    }

    /// The server's address.
    pub const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server and starts it again with the same address and store.
    pub fn restart(&mut self) -> Result<(), String> {
        self.kill()?;
        let listen = format!("{}:{}", self.server.host(), self.server.port());
        *self = Self::spawn(&self.program, &self.store, self.limits, &listen)?;
        Ok(())
    }

    /// Kills the server.
    pub fn kill(&mut self) -> Result<(), String> {
        let killed = self.child.kill().and_then(|()| self.child.wait());
        killed
            .map(drop)
            .map_err(|error| format!("cannot kill the server: {error}"))
    }

    fn spawn(program: &Path, store: &str, limits: Limits, listen: &str) -> Result<Self, String> {
        let failed = |what: &dyn std::fmt::Display| format!("{}: {what}", program.display());
        let mut command = Command::new(program);
        command.args([
            "serve", "--listen", listen, "--store", store, "--log", "error",
        ]);
        if limits == Limits::High {
            // Instead of none, so that their cost is measured.
            command
                .args(["--makes-per-minute", HIGH, "--requests-per-minute", HIGH])
                .args(["--messages-per-minute", HIGH, "--acts-per-minute", HIGH])
                .args(["--max-connections", "1000000"])
                .args(["--max-connections-per-address", "1000000"])
                .args(["--max-matches", "1000000"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let output = child.stdout.take();
        let output = output.ok_or_else(|| failed(&"no output"))?;
        let mut line = String::new();
        let mut lines = BufReader::new(output);
        lines.read_line(&mut line).map_err(|error| failed(&error))?;
        let address = line.trim().strip_prefix("Play at ");
        let server = address.and_then(|address| address.parse().ok());
        // Drains the output, so that the pipe does not fill up.
        std::thread::spawn(move || lines.lines().for_each(drop));
        if let Some(server) = server {
            return Ok(Self {
                program: program.to_owned(),
                store: store.to_owned(),
                limits,
                child,
                server,
            });
        }
        let _ = child.kill();
        let _ = child.wait();
        Err(failed(&format_args!("expected the address, got {line:?}")))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Fails if the process has ended already.
        let _ = self.kill();
    }
}
