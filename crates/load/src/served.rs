use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use open_ttt_net::client::ServerAddress;

/// A server of one's own: `open_ttt serve`, without limits for an address.
///
/// It is killed when this is dropped.
#[derive(Debug)]
pub struct Served {
    program: PathBuf,
    store: String,
    child: Child,
    server: ServerAddress,
}

impl Served {
    /// Starts a server that keeps its matches in this store, on any free port.
    ///
    /// # Errors
    ///
    /// A sentence, if it does not start.
    pub fn start(program: &Path, store: &str) -> Result<Self, String> {
        let (child, server) = spawn(program, store, "127.0.0.1:0")?;
        Ok(Self {
            program: program.to_owned(),
            store: store.to_owned(),
            child,
            server,
        })
    }

    /// Where it is.
    pub const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, as a failure of the power would, and starts it again at the
    /// same place and with the same store.
    ///
    /// # Errors
    ///
    /// A sentence, if it cannot be killed or does not start.
    pub fn restart(&mut self) -> Result<(), String> {
        self.kill()?;
        let listen = format!("{}:{}", self.server.host(), self.server.port());
        let (child, server) = spawn(&self.program, &self.store, &listen)?;
        self.child = child;
        self.server = server;
        Ok(())
    }

    /// Kills it.
    ///
    /// # Errors
    ///
    /// A sentence, if that fails.
    pub fn kill(&mut self) -> Result<(), String> {
        let killed = self.child.kill().and_then(|()| self.child.wait());
        killed
            .map(drop)
            .map_err(|error| format!("the server cannot be killed: {error}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that is gone already cannot be killed, and need not.
        let _ = self.kill();
    }
}

fn spawn(program: &Path, store: &str, listen: &str) -> Result<(Child, ServerAddress), String> {
    let failed = |what: &dyn std::fmt::Display| format!("{}: {what}", program.display());
    let mut command = Command::new(program);
    command
        .args([
            "serve", "--listen", listen, "--store", store, "--log", "error",
        ])
        .args(["--makes-per-minute", "0", "--requests-per-minute", "0"])
        .args(["--messages-per-minute", "0", "--max-connections", "1000000"])
        .args(["--max-connections-per-address", "1000000"])
        .args(["--max-matches", "1000000"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let output = child.stdout.take();
    let output = output.ok_or_else(|| failed(&"it has no output"))?;
    let mut line = String::new();
    let mut lines = BufReader::new(output);
    lines.read_line(&mut line).map_err(|error| failed(&error))?;
    let address = line.trim().strip_prefix("Play at ");
    let server = address.and_then(|address| address.parse().ok());
    // What it says besides is few lines, which the pipe holds.
    std::thread::spawn(move || lines.lines().for_each(drop));
    if let Some(server) = server {
        return Ok((child, server));
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(failed(&format_args!(
        "it says {line:?} and not where it is"
    )))
}
