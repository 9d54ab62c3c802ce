//! NATS servers on this machine.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};

/// The environment variable with the path of the program.
const PROGRAM: &str = "OPEN_TTT_NATS_SERVER";

/// A broker process, killed on drop.
pub(crate) struct Server {
    port: u16,
    folder: PathBuf,
    process: Option<Child>,
}

impl Server {
    /// A single broker. `configuration` is added to its configuration file.
    pub(crate) fn alone(configuration: &str) -> Self {
        let mut broker = Self::prepare("single", free_port(), configuration);
        broker.start();
        broker
    }

    /// A cluster.
    pub(crate) fn cluster(nodes: usize) -> Vec<Self> {
        let routes: Vec<u16> = (0..nodes).map(|_| free_port()).collect();
        let all: Vec<String> = (routes.iter())
            .map(|port| format!("nats-route://127.0.0.1:{port}"))
            .collect();
        routes
            .iter()
            .enumerate()
            .map(|(index, route)| {
                let cluster = format!(
                    "cluster {{ name: test, listen: \"127.0.0.1:{route}\", routes: [{}] }}",
                    all.join(", ")
                );
                let mut broker = Self::prepare(&format!("node{index}"), free_port(), &cluster);
                broker.start();
                broker
            })
            .collect()
    }

    fn prepare(name: &str, port: u16, configuration: &str) -> Self {
        static BROKERS: AtomicU32 = AtomicU32::new(0);
        let number = BROKERS.fetch_add(1, Ordering::Relaxed);
        let folder = format!("open_ttt-nats-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "server_name: {name}\nlisten: \"127.0.0.1:{port}\"\n\
             jetstream {{ store_dir: \"{}\", sync_interval: always, max_file: 1G }}\n{configuration}\n",
            folder.join("store").display(),
        );
        fs::write(folder.join("server.conf"), text).unwrap();
        Self {
            port,
            folder,
            process: None,
        }
    }

    pub(crate) fn start(&mut self) {
        let program = std::env::var_os(PROGRAM)
            .unwrap_or_else(|| panic!("{PROGRAM} names no broker; `cargo xtask test` gets one"));
        let process = Command::new(program)
            .arg("--config")
            .arg(self.folder.join("server.conf"))
            .arg("--log")
            .arg(self.folder.join("server.log"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.process = Some(process);
    }

    /// Kills the process. Unlike a power failure, this spares the page cache.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        // A leftover temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A port for a broker, which binds it later, and again after a restart. It is
/// below the system's ephemeral ports, which other sockets may get meanwhile.
fn free_port() -> u16 {
    static PORTS: AtomicU16 = AtomicU16::new(0);
    // Concurrent test processes start at different ports.
    let first = std::process::id() * 64;
    loop {
        let number = u32::from(PORTS.fetch_add(1, Ordering::Relaxed));
        let port = 10_000 + ((first + number) % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
