use std::env;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use super::{program, read};

/// A proxy with a configuration of this repository, on ports of its own and without
/// TLS. Ends when it is dropped.
pub(super) struct Proxy {
    process: Child,
    folder: PathBuf,
    /// Where the proxy forwards.
    pub(super) address: SocketAddr,
    /// Where it redirects to HTTPS.
    pub(super) redirect: SocketAddr,
}

/// Part of a configuration, and what a test has instead.
type Replacement<'a> = (&'a str, &'a str);

impl Proxy {
    pub(super) fn nginx(server: SocketAddr, changes: &[Replacement]) -> Self {
        Self::start(|folder, [address, redirect]| {
            let site = replace(
                &read("nginx.conf"),
                &[
                    &[
                        ("server 127.0.0.1:7878;", &*format!("server {server};")),
                        ("listen 80;", &format!("listen {redirect};")),
                        ("listen [::]:80;", ""),
                        ("listen 443 ssl http2;", &format!("listen {address};")),
                        ("listen [::]:443 ssl http2;", ""),
                        ("ssl_certificate /etc/letsencrypt/live/play.example.org/fullchain.pem;", ""),
                        ("ssl_certificate_key /etc/letsencrypt/live/play.example.org/privkey.pem;", ""),
                    ],
                    changes,
                ]
                .concat(),
            );
            fs::write(folder.join("site.conf"), site).unwrap();
            // What Debian has around the files of /etc/nginx/conf.d.
            let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map(|name| format!("{name}_temp_path {name};\n"))
                .concat();
            let main = format!(
                "daemon off; master_process off; pid pid; error_log stderr;\n\
                 events {{ worker_connections 256; }}\n\
                 http {{ access_log off;\n{temporary}include site.conf; }}\n"
            );
            fs::write(folder.join("main.conf"), main).unwrap();
            let mut nginx = Command::new(program("OPEN_TTT_NGINX", "nginx"));
            nginx
                .args(["-e", "stderr", "-c", "main.conf", "-p"])
                .arg(folder);
            nginx
        })
    }

    pub(super) fn haproxy(server: SocketAddr, changes: &[Replacement]) -> Self {
        Self::start(|folder, [address, redirect]| {
            let certificate = "ssl crt /etc/haproxy/certs/play.example.org.pem alpn h2,http/1.1";
            let text = replace(
                &read("haproxy.cfg"),
                &[
                    &[
                        ("user haproxy", ""),
                        ("group haproxy", ""),
                        ("maxconn 45000", "maxconn 200"),
                        ("bind :80\n", &*format!("bind {redirect}\n")),
                        ("bind :::80 v6only", ""),
                        (
                            &format!("bind :443 {certificate}"),
                            &format!("bind {address}"),
                        ),
                        (&format!("bind :::443 v6only {certificate}"), ""),
                        ("server one 127.0.0.1:7878", &format!("server one {server}")),
                    ],
                    changes,
                ]
                .concat(),
            );
            fs::write(folder.join("haproxy.cfg"), text).unwrap();
            let mut haproxy = Command::new(program("OPEN_TTT_HAPROXY", "haproxy"));
            // -db: in the foreground.
            haproxy
                .args(["-db", "-q", "-f"])
                .arg(folder.join("haproxy.cfg"));
            haproxy
        })
    }

    /// Starts what `configure` returns for a folder and two free addresses.
    fn start(configure: impl Fn(&Path, [SocketAddr; 2]) -> Command) -> Self {
        static PROXIES: AtomicU32 = AtomicU32::new(0);
        let number = PROXIES.fetch_add(1, Ordering::Relaxed);
        let folder = format!("open_ttt-proxy-{}-{number}", std::process::id());
        let folder = env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let log = folder.join("log");
        loop {
            let [address, redirect] = free_addresses();
            let mut command = configure(&folder, [address, redirect]);
            command.stderr(File::create(&log).unwrap());
            let process = command.spawn();
            let process = process.unwrap_or_else(|error| panic!("{command:?}: {error}"));
            let mut proxy = Self {
                process,
                folder: folder.clone(),
                address,
                redirect,
            };
            while proxy.process.try_wait().unwrap().is_none() {
                if TcpStream::connect(address).is_ok() && TcpStream::connect(redirect).is_ok() {
                    return proxy;
                }
                thread::sleep(Duration::from_millis(10));
            }
            let log = fs::read_to_string(&log).unwrap();
            // Another process may take a port before the proxy does.
            assert!(log.contains("in use"), "{command:?}: {log}");
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Replaces parts that occur exactly once.
#[track_caller]
fn replace(text: &str, replacements: &[Replacement]) -> String {
    let mut text = text.to_owned();
    for (part, replacement) in replacements {
        assert_eq!(text.matches(part).count(), 1, "{part}");
        text = text.replace(part, replacement);
    }
    text
}

fn free_addresses() -> [SocketAddr; 2] {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let listeners = [listen(), listen()];
    listeners.map(|listener| listener.local_addr().unwrap())
}
