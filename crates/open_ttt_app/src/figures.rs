//! Figures as text.

use std::time::Duration;

/// An Elo difference with its sign, ∞ included.
///
/// ```
/// use open_ttt_app::elo_text;
///
/// assert_eq!(elo_text(17.6), "+18");
/// assert_eq!(elo_text(f64::NEG_INFINITY), "-∞");
/// ```
pub fn elo_text(elo: f64) -> String {
    if elo.is_infinite() {
        let sign = if elo > 0.0 { '+' } else { '-' };
        return format!("{sign}∞");
    }
    // Adding zero turns -0 into 0.
    format!("{:+.0}", elo.round() + 0.0)
}

/// A time in its two largest units.
///
/// ```
/// use std::time::Duration;
///
/// use open_ttt_app::duration_text;
///
/// assert_eq!(duration_text(Duration::from_secs(59)), "59 s");
/// assert_eq!(duration_text(Duration::from_secs(61)), "1 min 1 s");
/// assert_eq!(duration_text(Duration::from_secs(7_325)), "2 h 2 min");
/// ```
pub fn duration_text(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
