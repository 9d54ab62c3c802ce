use std::collections::HashMap;

use open_ttt_lib::rules::{Choice, Drawing, Layout, Notation, Picture, Place};

use crate::question::sentence;

/// Reads the moves that a person types, each at once or part by part.
///
/// A move is typed in the game's notation; as its places, with or without spaces and
/// hyphens; or as the label of its button. Of an incomplete move, the reader says how it
/// can go on, and the next text may be the rest alone:
///
/// ```
/// use open_ttt_app::MoveReader;
/// # use open_ttt_lib::rules::{Layout, Notation, Outcome, ParseMoveError};
/// # use open_ttt_lib::rules::{BoardCell, Choice, Drawing, Picture, Place, Side, TwoPlayerGame};
/// # #[derive(Clone, PartialEq, Eq, Hash)]
/// # struct Steps;
/// # impl TwoPlayerGame for Steps {
/// #     type Move = u8;
/// #     fn to_move(&self) -> Side {
/// #         Side::First
/// #     }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         None
/// #     }
/// #     fn moves(&self) -> impl Iterator<Item = u8> {
/// #         1..3
/// #     }
/// #     fn play_unchecked(&mut self, _: u8) {}
/// # }
/// # impl Notation for Steps {
/// #     fn move_text(&self, to: u8) -> String {
/// #         format!("a1-{}1", char::from(b'a' + to))
/// #     }
/// #     fn parse_move(&self, text: &str) -> Result<u8, ParseMoveError> {
/// #         let named = self.moves().find(|&m| self.move_text(m) == text);
/// #         named.ok_or_else(|| ParseMoveError::new(text, "two cells, as in a1-b1"))
/// #     }
/// #     fn side_name(&self, side: Side) -> &'static str {
/// #         ["A", "B"][side.index()]
/// #     }
/// #     fn move_noun(&self) -> &'static str {
/// #         "Step"
/// #     }
/// # }
/// # impl Drawing for Steps {
/// #     fn picture(&self) -> Picture<u8> {
/// #         let step = |to| Choice::path(to, [Place::flat(0, 0), Place::flat(to, 0)]);
/// #         Picture {
/// #             cells: (0..3).map(|x| BoardCell::at(Place::flat(x, 0))).collect(),
/// #             choices: self.moves().map(step).collect(),
/// #             ..Picture::new(Layout::grid(3, 1))
/// #         }
/// #     }
/// # }
///
/// // A game of one piece, on a1, which goes to b1 or to c1.
/// let game = Steps;
/// let mut reader = MoveReader::default();
/// assert_eq!(reader.read(&game, "a1"), Err("a1 to: b1 c1".to_owned()));
/// let m = reader.read(&game, "c1")?;
/// assert_eq!(reader.read(&game, "A1 C1"), Ok(m));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MoveReader {
    /// The beginning of a move.
    typed: String,
}

/// What the places of a text are.
enum Parts<M> {
    Complete(M),
    /// The beginning of several moves, and how they go on.
    Incomplete(String),
    Unknown,
}

impl MoveReader {
    /// Reads a legal move.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the move, or how it can go on.
    ///
    /// ```
    /// use open_ttt_app::MoveReader;
    /// use open_ttt_lib::games::TicTacToe;
    ///
    /// let game = TicTacToe::new();
    /// let mut reader = MoveReader::default();
    /// assert!(reader.read(&game, "B2").is_ok());
    /// assert!(reader.read(&game, "d4").is_err());
    /// ```
    pub fn read<G: Notation + Drawing>(
        &mut self,
        position: &G,
        text: &str,
    ) -> Result<G::Move, String> {
        let picture = position.picture();
        let earlier = core::mem::take(&mut self.typed);
        let whole = format!("{earlier} {text}");
        let attempts = [&*whole, text];
        for text in &attempts[usize::from(earlier.is_empty())..] {
            let parsed = position.parse_move(text);
            if let Some(m) = parsed.ok().filter(|&m| position.check(m).is_ok()) {
                return Ok(m);
            }
            match parts(&picture, text, |m| position.move_text(m)) {
                Parts::Complete(m) => return Ok(m),
                Parts::Incomplete(message) => {
                    (*text).clone_into(&mut self.typed);
                    return Err(message);
                }
                Parts::Unknown => {}
            }
        }
        let m = position.parse_move(text).map_err(sentence)?;
        match position.check(m) {
            Ok(()) => Ok(m),
            Err(illegal) => Err(format!(
                "Impossible move {}: {}.",
                position.move_text(m),
                illegal.reason
            )),
        }
    }
}

/// Reads the names of places one after the other, then perhaps a label.
fn parts<M: Copy>(picture: &Picture<M>, text: &str, move_text: impl Fn(M) -> String) -> Parts<M> {
    let names = place_names(picture);
    let name = |choice: &Choice<M>, index: usize| {
        let place = choice.path.get(index)?;
        names.get(place).map(String::as_str)
    };
    let text = text.to_lowercase();
    let mut rest = text.trim();
    let mut chosen: Vec<&str> = Vec::new();
    let mut choices: Vec<_> = picture.choices.iter().collect();
    while !rest.is_empty() {
        let depth = chosen.len();
        let next = choices.iter().filter_map(|choice| name(choice, depth));
        let next = next.filter(|name| rest.starts_with(name));
        if let Some(next) = next.max_by_key(|name| name.len()) {
            choices.retain(|choice| name(choice, depth) == Some(next));
            chosen.push(next);
            rest = rest[next.len()..].trim_start();
            continue;
        }
        let mut labelled = choices.iter().filter(|choice| {
            let label = choice.label.as_ref();
            choice.path.len() == depth && label.is_some_and(|it| it.to_lowercase() == rest)
        });
        if let Some(choice) = labelled.next() {
            return Parts::Complete(choice.m);
        }
        // The places on the way may be left out.
        let last = |choice: &Choice<M>| name(choice, choice.path.len().max(1) - 1);
        let mut ends = choices.iter().filter(|choice| last(choice) == Some(rest));
        if let (1.., Some(choice), None) = (depth, ends.next(), ends.next()) {
            return Parts::Complete(choice.m);
        }
        match rest.strip_prefix(['-', ',', ':', '>', 'x', '×']) {
            Some(stripped) if depth > 0 => rest = stripped.trim_start(),
            _ => return Parts::Unknown,
        }
    }
    let depth = chosen.len();
    match &*choices {
        _ if depth == 0 => Parts::Unknown,
        [only] if only.path.len() == depth => Parts::Complete(only.m),
        _ => {
            let mut ways: Vec<String> = Vec::new();
            for choice in choices.iter().filter(|choice| choice.path.len() > depth) {
                // Where a place has no name, as in a tray, the whole move is listed.
                let next = name(choice, depth).map(str::to_owned);
                let next = next.unwrap_or_else(|| move_text(choice.m));
                if !ways.contains(&next) {
                    ways.push(next);
                }
            }
            let complete = choices.iter().filter(|choice| choice.path.len() == depth);
            let labels: Vec<_> = complete.filter_map(|it| it.label.as_deref()).collect();
            let (chosen, ways, labels) = (chosen.join(" "), ways.join(" "), labels.join(", "));
            Parts::Incomplete(match (&*ways, &*labels) {
                (ways, "") => format!("{chosen} to: {ways}"),
                ("", labels) => format!("{chosen}: {labels}"),
                (ways, labels) => format!("{chosen} to: {ways}, or: {labels}"),
            })
        }
    }
}

/// The names of the places, in small letters: the cell's label, or those of its column and
/// row. A place that shares its name has none.
pub(crate) fn place_names<M>(picture: &Picture<M>) -> HashMap<Place, String> {
    let mut names: HashMap<Place, String> = HashMap::new();
    let mut owners: HashMap<String, Place> = HashMap::new();
    for cell in picture.all_cells() {
        let place = cell.place;
        let label = cell.label.clone();
        let name = label.or_else(|| name_in(&picture.layout, place));
        let name = name.unwrap_or_default().to_lowercase();
        if let Some(owner) = owners.get(&name) {
            names.remove(owner);
        } else if !name.is_empty() {
            owners.insert(name.clone(), place);
            names.insert(place, name);
        }
    }
    names
}

fn name_in(layout: &Layout, place: Place) -> Option<String> {
    let Place { x, y, z } = place;
    let at = |labels: &[String], index: u8| labels.get(usize::from(index)).cloned();
    match layout {
        _ if place.is_in_tray() => None,
        Layout::Grid { columns, rows, .. }
        | Layout::Hexagons { columns, rows, .. }
        | Layout::Points { columns, rows, .. }
        | Layout::Dots { columns, rows } => Some(at(columns, x)? + &at(rows, y)?),
        Layout::Layers { columns, rows, .. } => {
            Some(format!("{}{}{}", z + 1, at(columns, x)?, at(rows, y)?))
        }
        Layout::Stacks { stacks, .. } => {
            let stack = stacks.iter().find(|stack| (stack.x, stack.y) == (x, y));
            stack.map(|stack| stack.label.clone())
        }
        // `Layout` is non-exhaustive.
        _ => None,
    }
}
