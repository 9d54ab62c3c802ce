use std::path::Path;

/// A path as a message shows it: in quotes, with control characters escaped.
///
/// ```
/// use std::path::Path;
///
/// use open_ttt_net::client::path_text;
///
/// assert_eq!(path_text(Path::new("games/a b.tsv")), r#""games/a b.tsv""#);
/// assert_eq!(path_text(Path::new("a\u{1b}[2J")), r#""a\u{1b}[2J""#);
/// ```
pub fn path_text(path: &Path) -> String {
    let text = format!("{:?}", path.display().to_string());
    if cfg!(windows) {
        // What separates the parts of a path there.
        return text.replace(r"\\", r"\");
    }
    text
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_separates_folders() {
        assert_eq!(path_text(Path::new(r"C:\Users\Ann")), r#""C:\Users\Ann""#);
    }
}
