//! The end of the program's part in a match.

use std::io::{self, Write};
use std::time::Duration;

use open_ttt_net::client::Client;
use tokio::time::{Instant, sleep_until};

use crate::failure::Failure;

/// How long the program waits at its end for the server to confirm the last act.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_secs(5);

/// Waits for the confirmation of the last act, tells how to come back, and closes the
/// connection.
pub(super) async fn leave(
    mut client: Client,
    mut print: impl FnMut(&str) -> io::Result<()>,
) -> Result<(), Failure> {
    let deadline = Instant::now() + CONFIRMATION_TIMEOUT;
    while client.session().has_pending() {
        tokio::select! {
            event = client.next() => drop(event?),
            () = sleep_until(deadline) => {
                print("The server hasn't confirmed your last action.")?;
                break;
            }
        }
    }
    let session = client.session();
    let confirmed = session.confirmed();
    let is_over = confirmed.is_some_and(|current| current.verdict().is_some());
    if session.seat().is_some() && !is_over {
        let link = client.link().reveal();
        print(&format!(
            "Your seat is saved. To come back: {} join {link}",
            crate::program_name()
        ))?;
    }
    print("Goodbye")?;
    io::stdout().flush()?;
    client.close().await;
    Ok(())
}
