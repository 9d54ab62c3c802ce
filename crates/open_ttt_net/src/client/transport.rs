use core::fmt::Debug;
use core::time::Duration;
use std::sync::{Arc, LazyLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

use super::{ClientError, ServerAddress};

/// The time limit for connecting.
pub(super) const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A plain or encrypted byte stream.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin + Debug {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + Debug> Stream for S {}

/// Connects to a server. HTTP requests and `WebSockets` both use this, and so trust
/// the same certificates.
pub(super) async fn connect(server: &ServerAddress) -> Result<Box<dyn Stream>, ClientError> {
    let connecting = async {
        let stream = TcpStream::connect((server.host(), server.port()))
            .await
            .map_err(|error| ClientError::unreachable(server, error))?;
        // Without this option, small messages are only delayed.
        let _ = stream.set_nodelay(true);
        if server.is_encrypted() {
            return encrypt(server, stream).await;
        }
        Ok(Box::new(stream) as Box<dyn Stream>)
    };
    timeout(CONNECT_LIMIT, connecting)
        .await
        .unwrap_or_else(|_| Err(ClientError::unreachable(server, "the connection timed out")))
}

async fn encrypt(
    server: &ServerAddress,
    stream: TcpStream,
) -> Result<Box<dyn Stream>, ClientError> {
    let name = ServerName::try_from(server.host().to_owned())
        .map_err(|error| ClientError::unreachable(server, error))?;
    let config = CONFIG
        .clone()
        .map_err(|error| ClientError::unreachable(server, error))?;
    let stream = TlsConnector::from(config).connect(name, stream).await;
    let stream = stream.map_err(|error| ClientError::unreachable(server, error))?;
    Ok(Box::new(stream))
}

/// Selects the cryptography provider explicitly: the default would be ambiguous in
/// programs that also link another provider.
static CONFIG: LazyLock<Result<Arc<ClientConfig>, Error>> = LazyLock::new(|| {
    let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
});
