mod defects;
#[cfg(all(feature = "sqlite", feature = "server"))]
mod earlier_versions;
mod memory;
#[cfg(feature = "nats")]
pub(crate) mod nats;
#[cfg(feature = "nats")]
pub(crate) mod nats_cluster;
#[cfg(feature = "nats")]
mod nats_secured;
#[cfg(feature = "nats")]
pub(crate) mod nats_server;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_crash;
#[cfg(feature = "sqlite")]
mod sqlite_file;
#[cfg(feature = "sqlite")]
mod sqlite_parts;
#[cfg(feature = "sqlite")]
mod sqlite_removal;
