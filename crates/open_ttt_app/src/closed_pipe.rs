use std::io::{Error, ErrorKind};

/// Whether output was written to a pipe that nobody reads any more, as by `open_ttt games |
/// head`. A program ends there without a message.
///
/// ```
/// use std::io::{Error, ErrorKind};
///
/// use open_ttt_app::is_closed_pipe;
///
/// assert!(is_closed_pipe(&Error::from(ErrorKind::BrokenPipe)));
/// assert!(!is_closed_pipe(&Error::from(ErrorKind::StorageFull)));
/// ```
pub fn is_closed_pipe(error: &Error) -> bool {
    // Windows has three codes for it; this one has no kind in the standard library.
    const PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == ErrorKind::BrokenPipe
        || cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::is_closed_pipe;

    #[track_caller]
    fn check(codes: &[i32], expected: bool) {
        for &code in codes {
            let error = Error::from_raw_os_error(code);
            assert_eq!(is_closed_pipe(&error), expected, "{error}");
        }
    }

    /// ERROR_BROKEN_PIPE, ERROR_NO_DATA and ERROR_PIPE_NOT_CONNECTED; then
    /// ERROR_ACCESS_DENIED, ERROR_DISK_FULL and ERROR_PIPE_BUSY.
    #[cfg(windows)]
    #[test]
    fn windows_has_three_codes() {
        check(&[109, 232, 233], true);
        check(&[5, 112, 231], false);
    }

    /// EPIPE; then EIO, EACCES, ENOSPC and what is a closed pipe on Windows.
    #[cfg(unix)]
    #[test]
    fn unix_has_one_code() {
        check(&[32], true);
        check(&[5, 13, 28, 109, 233], false);
    }
}
