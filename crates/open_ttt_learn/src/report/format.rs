//! Formatting of numbers, text and tables.

use core::fmt;

/// Escapes text. Characters that XML doesn't allow become replacement characters.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => write!(f, "{letter}")?,
                '\u{fffe}' | '\u{ffff}' => f.write_str("\u{fffd}")?,
                _ if letter.is_control() => f.write_str("\u{fffd}")?,
                _ => write!(f, "{letter}")?,
            }
        }
        Ok(())
    }
}

/// A count with thousands separators: `1,234,567`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration in its two largest units: `1 h 2 min`.
pub(super) fn time(seconds: f64) -> String {
    if !(seconds.is_finite() && seconds >= 0.0) {
        return "unknown".to_owned();
    }
    let whole = seconds.round() as u64;
    let (hours, minutes) = (whole / 3600, whole / 60 % 60);
    match (hours, minutes) {
        (0, 0) if seconds < 10.0 => format!("{seconds:.1} s"),
        (0, 0) => format!("{whole} s"),
        (0, _) => format!("{minutes} min {} s", whole % 60),
        _ => format!("{} h {minutes} min", count(hours)),
    }
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A number with its sign; a minus sign as wide as a plus.
pub(super) fn signed(number: f64, digits: usize) -> String {
    let size = format!("{:.digits$}", number.abs());
    let is_zero = size.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    match number {
        _ if is_zero => size,
        _ if number < 0.0 => format!("\u{2212}{size}"),
        _ => format!("+{size}"),
    }
}

/// A number to about three digits: `0.0123`, `1.23`, `12,345`.
pub(super) fn number(number: f64) -> String {
    match number.abs() {
        size if !size.is_finite() || size >= 1e15 => format!("{number:.2e}"),
        size @ 100.0.. => {
            let sign = if number < 0.0 { "\u{2212}" } else { "" };
            format!("{sign}{}", count(size.round() as u64))
        }
        10.0.. => format!("{number:.1}"),
        0.0 | 0.1.. => format!("{number:.2}"),
        1e-4.. => format!("{number:.4}"),
        _ => format!("{number:.1e}"),
    }
}

/// Writes the columns and rows of a table and closes it. Cells are markup.
pub(super) fn write_table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    columns: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> fmt::Result {
    let columns = columns.map(|column| format!("<th scope=\"col\">{column}</th>"));
    writeln!(f, "<thead><tr>{}</tr></thead>\n<tbody>", columns.concat())?;
    for row in rows {
        write_row(f, &row)?;
    }
    f.write_str("</tbody>\n</table>")
}

/// Writes a row, whose first cell is its heading.
pub(super) fn write_row(f: &mut fmt::Formatter<'_>, row: &[String]) -> fmt::Result {
    let (heading, cells) = row.split_first().ok_or(fmt::Error)?;
    write!(f, "<tr><th scope=\"row\">{heading}</th>")?;
    for cell in cells {
        write!(f, "<td>{cell}</td>")?;
    }
    f.write_str("</tr>\n")
}
