use super::driver::Driver;
use super::window::{ENTER, Window};
use crate::test_server::TestServer;

/// The ways of somebody who plays by the page.
impl<'a> Window<'a> {
    /// Opens the lobby and chooses a game.
    #[track_caller]
    pub(super) fn choose(driver: &'a Driver, server: &TestServer, game: &str, name: &str) -> Self {
        let window = Self::open(driver, &server.url("/"));
        window.keys("#name", name);
        window.click(&format!("label.game:has(input[value='{game}'])"));
        window
    }

    /// Makes a match in which this window begins, and tells its link.
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
        window.wait_text(".status", "Waiting for a second player");
        let link = window.js("document.querySelector('.invite input').value");
        let link = link.as_str().expect("there is a link").to_owned();
        (window, link)
    }

    /// Opens a link and sits down.
    #[track_caller]
    pub(super) fn accept(driver: &'a Driver, link: &str, name: &str) -> Self {
        let window = Self::open(driver, link);
        window.keys("#name", name);
        window.click("#sit");
        window.wait_for("document.querySelector('.player .tags').textContent.length > 0 && !document.querySelector('#sit')");
        window
    }

    /// The selector of a cell by its place.
    pub(super) fn cell(place: [u8; 3]) -> String {
        let [x, y, z] = place;
        format!(".cell[data-at='{x},{y},{z}']")
    }

    #[track_caller]
    pub(super) fn wait_turn(&self) {
        self.wait_text(".status", "Your turn");
        self.wait_for("document.querySelector('.cell.playable')");
    }

    /// Plays by clicking on a cell.
    #[track_caller]
    pub(super) fn play(&self, place: [u8; 3]) {
        self.wait_turn();
        self.click(&Self::cell(place));
    }

    /// Plays by typing the move.
    #[track_caller]
    pub(super) fn type_move(&self, text: &str) {
        self.wait_turn();
        self.keys("#move", &format!("{text}{ENTER}"));
    }

    /// Waits until so many moves are made and stored.
    #[track_caller]
    pub(super) fn wait_moves(&self, count: usize) {
        self.wait_for(&format!(
            "document.querySelectorAll('.moves li:not(.none)').length === {count} \
             && !document.querySelector('.hoped')"
        ));
    }

    /// What a screen reader says of a cell.
    #[track_caller]
    pub(super) fn name_of(&self, place: [u8; 3]) -> String {
        let cell = Self::cell(place);
        let name = self.js(&format!(
            "document.querySelector(\"{cell}\").getAttribute('aria-label')"
        ));
        name.as_str().expect("it has a name").to_owned()
    }

    /// That the page has asked nobody but its own server, and the browser has
    /// found nothing to complain about.
    #[track_caller]
    pub(super) fn check_manners(&mut self, server: &TestServer) {
        let own = [server.url("/"), server.url("/").replace("http:", "ws:")];
        let requests = self.requests().to_vec();
        let sockets = requests.iter().filter(|url| url.starts_with("ws:")).count();
        assert!(requests.len() > 20 && sockets > 0, "{requests:?}");
        for url in requests.iter().filter(|url| !url.starts_with("data:")) {
            assert!(own.iter().any(|own| url.starts_with(own)), "{url}");
        }
        assert_eq!(self.errors(), [""; 0]);
    }
}
