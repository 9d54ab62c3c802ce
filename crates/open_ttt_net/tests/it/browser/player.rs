use super::driver::Driver;
use super::window::{ENTER, Window};
use crate::test_server::TestServer;

/// A player's actions on the page.
impl<'a> Window<'a> {
    /// Opens the lobby and selects a game.
    #[track_caller]
    pub(super) fn choose(driver: &'a Driver, server: &TestServer, game: &str, name: &str) -> Self {
        let window = Self::open(driver, &server.url("/"));
        window.keys("#name", name);
        window.click(&format!("label.game:has(input[value='{game}'])"));
        window
    }

    /// Creates a match in which this window moves first. Returns the link.
    #[track_caller]
    pub(super) fn invite(
        driver: &'a Driver,
        server: &TestServer,
        game: &str,
        name: &str,
    ) -> (Self, String) {
        let window = Self::choose(driver, server, game, name);
        window.click("details.more summary");
        window.click("label:has(input[name='first'][value='1'])");
        window.click("#invite");
        window.wait_text(".status", "Waiting for an opponent");
        let link = window.js("document.querySelector('.invite input').value");
        let link = link.as_str().expect("there is a link").to_owned();
        (window, link)
    }

    /// Opens a link and joins the match.
    #[track_caller]
    pub(super) fn join(driver: &'a Driver, link: &str, name: &str) -> Self {
        let window = Self::open(driver, link);
        window.keys("#name", name);
        window.click("#join");
        window.wait_for("document.querySelector('.player .tags').textContent.length > 0 && !document.querySelector('#join')");
        window
    }

    /// The selector of the cell at a place.
    pub(super) fn cell(place: [u8; 3]) -> String {
        let [x, y, z] = place;
        format!(".cell[data-at='{x},{y},{z}']")
    }

    #[track_caller]
    pub(super) fn wait_turn(&self) {
        self.wait_text(".status", "Your turn");
        self.wait_for("document.querySelector('.cell.playable')");
    }

    /// Clicks a cell.
    #[track_caller]
    pub(super) fn play(&self, place: [u8; 3]) {
        self.wait_turn();
        self.click(&Self::cell(place));
    }

    /// Enters a move as text.
    #[track_caller]
    pub(super) fn type_move(&self, text: &str) {
        self.wait_turn();
        self.keys("#move", &format!("{text}{ENTER}"));
    }

    /// Waits until this many moves are confirmed.
    #[track_caller]
    pub(super) fn wait_moves(&self, count: usize) {
        self.wait_for(&format!(
            "document.querySelectorAll('.moves li:not(.none)').length === {count} \
             && !document.querySelector('.pending')"
        ));
    }

    /// The name of a cell for screen readers.
    #[track_caller]
    pub(super) fn name_of(&self, place: [u8; 3]) -> String {
        let cell = Self::cell(place);
        let name = self.js(&format!(
            "document.querySelector(\"{cell}\").getAttribute('aria-label')"
        ));
        name.as_str().expect("the cell has a name").to_owned()
    }

    /// Checks that the page has sent requests to its own server only, and that the
    /// console has no errors.
    #[track_caller]
    pub(super) fn check_requests_and_errors(&mut self, server: &TestServer) {
        let own = [server.url("/"), server.url("/").replace("http:", "ws:")];
        let requests = self.requests().to_vec();
        let sockets = requests.iter().filter(|url| url.starts_with("ws:")).count();
        // What is played in the browser alone has no connection.
        let is_alone = requests.iter().any(|url| url.contains("/m/solo-"));
        assert!(
            requests.len() > 20 && (sockets > 0 || is_alone),
            "{requests:?}"
        );
        for url in requests.iter().filter(|url| !url.starts_with("data:")) {
            assert!(own.iter().any(|own| url.starts_with(own)), "{url}");
        }
        assert_eq!(self.errors(), [""; 0]);
    }
}
