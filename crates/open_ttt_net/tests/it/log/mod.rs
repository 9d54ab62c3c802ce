mod broken;
mod memory;
#[cfg(feature = "nats")]
mod nats;
#[cfg(feature = "nats")]
mod nats_cluster;
#[cfg(feature = "nats")]
mod nats_server;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_crash;
