use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use open_ttt_app::{Background, Preferences, Symbols};

use super::{DisplayArgs, FILE, Theme, UserSettings};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("open_ttt-settings-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn path(&self) -> PathBuf {
        self.0.join(FILE)
    }

    /// With a file of this text.
    fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let folder = Self::new(name);
        fs::create_dir_all(&folder.0).expect("a folder");
        fs::write(folder.path(), text).expect("a file");
        folder
    }

    fn load(&self) -> UserSettings {
        UserSettings::of_file(Some(self.path()), &DisplayArgs::default())
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).expect("a file")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn preferences(settings: &UserSettings) -> Preferences {
    settings.0.borrow().preferences.clone()
}

#[test]
fn a_file_is_read() {
    let text = "theme = \"light\"\nsymbols = \"ascii\"\npace = 250\nlevel = \"easy\"\n";
    let folder = Folder::with("read", text);
    let settings = folder.load();
    let expected = Preferences {
        background: Some(Background::Light),
        symbols: Some(Symbols::Ascii),
        colors: None,
        pace: Some(Duration::from_millis(250)),
        opponent: Some("easy".to_owned()),
    };
    assert_eq!(preferences(&settings), expected);
    assert_eq!(settings.take_problem(), None);
}

#[test]
fn without_a_file_the_defaults_apply() {
    let folder = Folder::new("none");
    let settings = folder.load();
    assert_eq!(preferences(&settings), Preferences::default());
    assert_eq!(settings.take_problem(), None);
    // Nothing is written before something is changed.
    assert!(!folder.0.exists());
}

#[test]
fn changes_are_written_and_the_rest_stays() {
    let folder = Folder::with("written", "# mine\ntheme = \"dark\"\n\ncolors = \"never\"");
    let settings = folder.load();
    let mut now = preferences(&settings);
    now.background = Some(Background::Light);
    now.pace = Some(Duration::ZERO);
    now.opponent = Some("a \"quoted\" name".to_owned());
    settings.follow(&now);
    settings.set_game("connect4");
    assert_eq!(
        folder.text(),
        "# mine\ntheme = \"light\"\n\ncolors = \"never\"\npace = 0\n\
         level = 'a \"quoted\" name'\ngame = \"connect4\"\n"
    );
    let again = folder.load();
    assert_eq!(preferences(&again), now);
    assert_eq!(again.game().as_deref(), Some("connect4"));
    // No other file is left.
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1);
}

#[test]
fn what_stands_beside_a_value_stays() {
    let text = "theme = \"dark\"  # mine\r\nlevel = 'a # b'# \"c\"\r\n\"pace\"=1#2";
    let folder = Folder::with("beside", text);
    let settings = folder.load();
    settings.follow(&Preferences {
        background: Some(Background::Light),
        pace: Some(Duration::from_millis(30)),
        opponent: Some("easy # 1".to_owned()),
        ..preferences(&settings)
    });
    settings.set_game("ttt");
    assert_eq!(
        folder.text(),
        "theme = \"light\"  # mine\r\nlevel = \"easy # 1\"# \"c\"\r\n\"pace\"=30#2\n\
         game = \"ttt\"\n"
    );
}

#[test]
fn the_command_line_is_above_the_file_and_not_written_to_it() {
    let folder = Folder::with("flags", "theme = \"dark\"\n");
    let args = DisplayArgs::with_theme(Theme::Light);
    let settings = UserSettings::of_file(Some(folder.path()), &args);
    assert_eq!(preferences(&settings).background, Some(Background::Light));
    let mut now = preferences(&settings);
    now.pace = Some(Duration::from_secs(2));
    settings.follow(&now);
    assert_eq!(folder.text(), "theme = \"dark\"\npace = 2000\n");
}

#[track_caller]
fn check_unreadable(name: &str, text: impl AsRef<[u8]>, part: &str) {
    let folder = Folder::with(name, &text);
    let settings = folder.load();
    assert_eq!(preferences(&settings), Preferences::default());
    let problem = settings.take_problem().expect("a problem");
    assert!(problem.starts_with("Your settings in \""), "{problem}");
    assert!(problem.contains(part), "{problem}");
    assert!(
        problem.ends_with('.') && !problem.contains('\n'),
        "{problem}"
    );
    assert_eq!(settings.take_problem(), None);
    // It stays as it is.
    settings.follow(&Preferences {
        background: Some(Background::Light),
        ..Preferences::default()
    });
    settings.set_game("ttt");
    let after = fs::read(folder.path()).expect("a file");
    assert_eq!(after, text.as_ref());
    assert_eq!(settings.0.borrow().write_error, None);
}

#[test]
fn a_file_that_cannot_be_read_is_told_of_and_kept() {
    check_unreadable("garbage", "\u{0}theme", "line 1: ");
    check_unreadable(
        "value",
        "pace = 1\ntheme = \"blue\"\n",
        "line 2: unknown variant",
    );
    check_unreadable("type", "pace = \"fast\"\n", "line 1: invalid type");
    check_unreadable("name", "them = \"dark\"\n", "line 1: unknown field");
    check_unreadable("bytes", b"theme = \"\xff\"\n", "UTF-8");
    check_unreadable("large", "#".repeat(70_000), "more than 65536 bytes");
}

#[test]
fn a_file_damaged_meanwhile_is_kept() {
    let folder = Folder::with("meanwhile", "pace = 1\n");
    let settings = folder.load();
    fs::write(folder.path(), "pace =\n").expect("a file");
    settings.set_game("ttt");
    assert_eq!(folder.text(), "pace =\n");
    assert!(settings.0.borrow().write_error.is_some());
}

#[test]
fn a_folder_that_cannot_be_made_is_told_of_at_the_end() {
    let folder = Folder::with("file", "");
    let below: &Path = &folder.path();
    let settings = UserSettings::of_file(Some(below.join("x").join(FILE)), &DisplayArgs::default());
    settings.set_game("ttt");
    let has_error = settings.0.borrow().write_error.is_some();
    assert!(has_error || settings.take_problem().is_some());
}

#[cfg(unix)]
#[test]
fn a_link_to_the_file_stays_one() {
    let folder = Folder::with("link", "");
    let real = folder.0.join("real.toml");
    fs::rename(folder.path(), &real).expect("a file");
    std::os::unix::fs::symlink(&real, folder.path()).expect("a link");
    folder.load().set_game("ttt");
    let link = fs::symlink_metadata(folder.path()).expect("a file");
    assert!(link.is_symlink());
    assert_eq!(
        fs::read_to_string(real).expect("a file"),
        "game = \"ttt\"\n"
    );
}
