//! The names that people choose.
//!
//! Names are normalized as nicknames are (RFC 8266, section 2.1), and whatever cannot be
//! seen or imitates another name is refused (UTS 39). Only a name that enters a match is
//! checked: a log replays with the names that it has.

use icu_properties::props::{DefaultIgnorableCodePoint, Emoji, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

use crate::matches::{MAX_NAME, Player};

/// Maximum number of nonspacing marks on one character, after composition. Pointed Hebrew
/// and Tibetan need three; UTS 39, section 5.4, tolerates four.
const MAX_MARKS: usize = 3;

/// Shows the character before it as an emoji.
const EMOJI_PRESENTATION: char = '\u{fe0f}';

/// Characters that are drawn as nothing, although Unicode counts them as symbols and
/// letters: Braille pattern blank, Egyptian full and half blank, null notehead.
const BLANK: [char; 4] = ['\u{2800}', '\u{13441}', '\u{13442}', '\u{1d159}'];

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("Enter a name.")]
    Empty,
    #[error("A name can have at most {MAX_NAME} characters.")]
    TooLong,
    #[error("A name can't contain invisible or unknown characters such as U+{:04X}.", u32::from(*.0))]
    Invisible(char),
    #[error("A name can't have accents without a letter, or more than {MAX_MARKS} on one.")]
    Marks,
}

/// The name in its normal form (NFKC), with single spaces.
pub(super) fn parse_name(text: &str) -> Result<String, NameError> {
    let compatible: String = text.nfkc().collect();
    let words: Vec<&str> = compatible.split_whitespace().collect();
    let name = words.join(" ");
    let categories = CodePointMapData::<GeneralCategory>::new();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let emoji = CodePointSetData::new::<Emoji>();
    let mut previous = ' ';
    let mut marks = 0;
    for c in name.chars() {
        let category = categories.get(c);
        if c == EMOJI_PRESENTATION && emoji.contains(previous) {
            // Neither a mark nor invisible.
        } else if is_unseen(category) || ignorable.contains(c) || BLANK.contains(&c) {
            return Err(NameError::Invisible(c));
        } else if is_nonspacing(category) {
            marks += 1;
            if marks > MAX_MARKS || previous == ' ' || previous == c {
                return Err(NameError::Marks);
            }
        } else {
            marks = 0;
        }
        previous = c;
    }
    match name.chars().count() {
        0 => Err(NameError::Empty),
        1..=MAX_NAME => Ok(name),
        _ => Err(NameError::TooLong),
    }
}

fn is_unseen(category: GeneralCategory) -> bool {
    use GeneralCategory as Category;
    matches!(
        category,
        Category::Control
            | Category::Format
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::PrivateUse
            | Category::Surrogate
            | Category::Unassigned
    )
}

fn is_nonspacing(category: GeneralCategory) -> bool {
    use GeneralCategory as Category;
    matches!(category, Category::NonspacingMark | Category::EnclosingMark)
}

/// The player, with a number after the name if the opponent's looks the same. Computers
/// keep their names.
pub(super) fn tell_apart(mut player: Player, opponent: Option<&Player>) -> Player {
    let Some(opponent) = opponent.filter(|_| player.computer.is_none()) else {
        return player;
    };
    if !look_alike(&player.name, &opponent.name) {
        return player;
    }
    // Room for the number.
    let short: String = player.name.chars().take(MAX_NAME - 2).collect();
    let mut numbered = (2..).map(|number| format!("{} {number}", short.trim_end()));
    if let Some(name) = numbered.find(|name| !look_alike(name, &opponent.name)) {
        player.name = name;
    }
    player
}

/// Whether two names can be mistaken for each other: they are confusable (UTS 39,
/// section 4), in any case of the letters.
fn look_alike(one: &str, other: &str) -> bool {
    Appearance::of(one).is_like(&Appearance::of(other))
}

/// What a name looks like, to be compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Appearance {
    as_written: String,
    lower_case: String,
}

impl Appearance {
    pub(super) fn of(name: &str) -> Self {
        Self {
            as_written: skeleton(name).collect::<String>().to_lowercase(),
            lower_case: skeleton(&name.to_lowercase()).collect(),
        }
    }

    /// Whether two names can be mistaken for each other.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        // Some letters look alike in one case only: I and l, in Ivan and lvan.
        self.as_written == other.as_written || self.lower_case == other.lower_case
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str) {
        assert_eq!(parse_name(text).as_deref(), Ok(name), "{text:?}");
        // What enters a match passes the check of the match.
        assert!(Player::person(name).has_valid_name(), "{text:?}");
    }

    #[track_caller]
    fn refused(text: &str, error: NameError) {
        assert_eq!(parse_name(text), Err(error), "{text:?}");
    }

    #[test]
    fn names_of_all_scripts_are_accepted_as_they_are() {
        for name in [
            "Ann",
            "Ann B.",
            "O'Neil",
            "Zoë",
            "Nguyễn Thị Ánh",
            "Łukasz",
            "Ольга",
            "Ὀδυσσεύς",
            "李小龍",
            "さくら",
            "김민준",
            "محمد",
            "מֹשֶׁה",
            "สมชาย",
            "कृष्ण",
            "བསྒྲུབས",
            "ትዝታ",
            "🦊 Fox",
            "❤\u{fe0f} Ann",
            "1\u{fe0f}\u{20e3}",
            "👍🏽",
            "🇩🇪 Fritz",
            "net:k_4.safetensors",
            "mcts(ms=1000,mistakes=0.6)",
            "<b>\"&",
        ] {
            check(name, name);
        }
        // 32 characters of any width.
        check(&"龍".repeat(MAX_NAME), &"龍".repeat(MAX_NAME));
    }

    #[test]
    fn names_are_normalized() {
        // UAX 15: composed, and compatibility characters replaced.
        check("Zoe\u{308}", "Zoë");
        check("Ａｎｎ", "Ann");
        check("𝓐𝓷𝓷", "Ann");
        check("ﬁn", "fin");
        // RFC 8266, section 2.1: spaces are U+0020, single, and not at the ends.
        check("  Ann \t\u{a0}\u{3000}\u{2003}B.\n", "Ann B.");
        for name in ["Zoe\u{308}", "Ａ  b", "❤\u{fe0f}"] {
            let once = parse_name(name).expect("a name");
            check(&once, &once);
        }
    }

    #[test]
    fn empty_and_long_names_are_refused() {
        for text in ["", " ", "\t\n", "\u{a0}\u{3000}", "\u{1680}"] {
            refused(text, NameError::Empty);
        }
        refused(&"a".repeat(MAX_NAME + 1), NameError::TooLong);
        // One ligature of 18 letters.
        refused(&"\u{fdfa}".repeat(2), NameError::TooLong);
    }

    #[test]
    fn invisible_characters_are_refused() {
        let blank = "\u{2800}\u{115f}\u{1160}\u{13441}\u{13442}\u{1d159}";
        let bidi = "\u{200e}\u{200f}\u{61c}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
                    \u{2066}\u{2067}\u{2068}\u{2069}";
        let tags = "\u{e0001}\u{e0041}\u{e007f}";
        let joiners = "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{34f}\u{ad}\u{180e}";
        let selectors = "\u{fe00}\u{fe0f}\u{e0100}\u{180b}";
        let controls = "\0\u{1}\u{1b}\u{7f}\u{80}\u{2028}\u{2029}\u{fff9}";
        let without_glyph = "\u{e000}\u{f0000}\u{fdd0}\u{ffff}\u{10ffff}";
        // White space between words becomes a space instead.
        let spaces = ['\u{2028}', '\u{2029}'];
        for list in [
            blank,
            bidi,
            tags,
            joiners,
            selectors,
            controls,
            without_glyph,
        ] {
            for c in list.chars().filter(|c| !spaces.contains(c)) {
                for text in [c.to_string(), format!("A{c}"), format!("A{c}B")] {
                    refused(&text, NameError::Invisible(c));
                }
            }
        }
        // Hangul filler is a compatibility character of another filler.
        refused("\u{3164}", NameError::Invisible('\u{1160}'));
        refused("\u{ffa0}A", NameError::Invisible('\u{1160}'));
        // Tags would make the flag of England.
        refused(
            "🏴\u{e0067}\u{e0062}\u{e007f}",
            NameError::Invisible('\u{e0067}'),
        );
    }

    #[test]
    fn piled_marks_are_refused() {
        refused(&format!("a{}", "\u{301}".repeat(31)), NameError::Marks);
        refused("x\u{316}\u{317}\u{318}\u{319}", NameError::Marks);
        check("x\u{316}\u{317}\u{318}", "x\u{316}\u{317}\u{318}");
        refused("x\u{301}\u{301}", NameError::Marks);
        refused("\u{301}Ann", NameError::Marks);
        refused("Ann \u{20dd}", NameError::Marks);
        // A spacing diaeresis is a space with a mark.
        refused("A¨", NameError::Marks);
    }

    #[test]
    fn errors_are_one_sentence() {
        let text = NameError::Invisible('\u{ad}').to_string();
        assert_eq!(
            text,
            "A name can't contain invisible or unknown characters such as U+00AD."
        );
        assert_eq!(
            NameError::TooLong.to_string(),
            "A name can have at most 32 characters."
        );
    }

    #[track_caller]
    fn told_apart(name: &str, opponent: &str, expected: &str) {
        let opponent = Player::person(opponent);
        let player = tell_apart(Player::person(name), Some(&opponent));
        assert_eq!(player, Player::person(expected));
        assert!(player.has_valid_name());
    }

    #[test]
    fn a_name_like_the_opponents_gets_a_number() {
        told_apart("Bea", "Ann", "Bea");
        told_apart("Guest", "Guest", "Guest 2");
        told_apart("ann", "ANN", "ann 2");
        // Cyrillic and Greek letters, and a capital that looks like a small letter.
        told_apart("Аnn", "Ann", "Аnn 2");
        told_apart("Οlga", "olga", "Οlga 2");
        told_apart("lvan", "Ivan", "lvan 2");
        told_apart("Guest 2", "Guest", "Guest 2");
        told_apart("Guest 2", "Guest 2", "Guest 2 2");
        let long = "a".repeat(MAX_NAME);
        told_apart(&long, &long, &format!("{} 2", "a".repeat(MAX_NAME - 2)));
        let numbered = format!("{} 2", "a".repeat(MAX_NAME - 2));
        let third = format!("{} 3", "a".repeat(MAX_NAME - 2));
        told_apart(&numbered, &numbered, &third);
        assert_eq!(
            tell_apart(Player::person("Ann"), None),
            Player::person("Ann")
        );
        let computer = Player::computer("random");
        assert_eq!(tell_apart(computer.clone(), Some(&computer)), computer);
    }
}
