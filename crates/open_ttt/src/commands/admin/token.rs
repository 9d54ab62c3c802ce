use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use open_ttt_net::client::private_file;
use open_ttt_net::protocol::Token;

use crate::failure::{Failure, path_text};

/// The token in a file, which is made with a new token if it doesn't exist.
pub(crate) fn token_in(path: &Path) -> Result<Token, Failure> {
    match read_token(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path),
        result => result.map_err(Failure::file("read", path))?,
    }
}

/// The token in an existing file.
pub(super) fn existing_token(path: &Path) -> Result<Token, Failure> {
    read_token(path).map_err(Failure::file("read", path))?
}

/// Reads a token; the inner error is a file with something else in it.
fn read_token(path: &Path) -> io::Result<Result<Token, Failure>> {
    let mut text = String::new();
    // A device may have no end.
    File::open(path)?.take(100).read_to_string(&mut text)?;
    Ok(text
        .trim()
        .parse()
        .map_err(|error| Failure::usage(format_args!("{} has no token: {error}", path_text(path)))))
}

fn create(path: &Path) -> Result<Token, Failure> {
    let failed = Failure::file("write", path);
    let token = Token::random().map_err(Failure::failed)?;
    let file = private_file().create_new(true).open(path);
    let mut file = file.map_err(&failed)?;
    let written = writeln!(file, "{}", token.reveal()).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // Half a token would stay in the way.
        let _ = fs::remove_file(path);
        return Err(failed(error));
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_then_read() {
        let folder = std::env::temp_dir().join(format!("open_ttt-token-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("token");
        assert!(existing_token(&path).is_err());
        let token = token_in(&path).expect("a new token");
        assert_eq!(token_in(&path).expect("the same token"), token);
        assert_eq!(existing_token(&path).expect("the same token"), token);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(&path, "something else").expect("written");
        let failure = token_in(&path).expect_err("no token");
        assert!(
            failure.message.contains("has no token"),
            "{}",
            failure.message
        );
        fs::remove_dir_all(&folder).expect("removed");
    }
}
