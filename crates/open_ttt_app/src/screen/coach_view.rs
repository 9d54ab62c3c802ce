//! How the screen shows what the coach has found.

use std::collections::HashMap;

use open_ttt_coach::{Quality, Review, ReviewedMove};
use open_ttt_lib::rules::{Drawing, History, Notation, Picture, Place, Side};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

use super::board::CellValue;
use super::coach::{HintStage, ReviewStage};
use super::list::wrapped;
use super::match_state::MatchState;
use super::path_of;
use super::theme::{Colors, Theme};
use crate::{worth_clause, worth_text};

/// The most lines of the note below the board.
const MAX_NOTE: usize = 4;
/// The most moves of a line that are shown.
const MAX_LINE: usize = 12;
/// The width of the progress bar of a review.
const PROGRESS_WIDTH: usize = 20;

impl<G> MatchState<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// What the moves are worth, by the next place of each. Where several moves go on, it is
    /// the best of them.
    pub(super) fn place_values(&self, picture: &Picture<G::Move>) -> HashMap<Place, CellValue> {
        let depth = self.input.chosen.len();
        let values = self.coach.values();
        // The best moves come first.
        let moves = values.into_iter().flat_map(|values| &values.moves);
        let mut by_place = HashMap::new();
        for value in moves {
            let is_open = |path: &[Place]| path.starts_with(&self.input.chosen);
            let choices = picture.choices.iter();
            let paths = choices.filter(|choice| choice.m == value.m && is_open(&choice.path));
            for place in paths.filter_map(|choice| choice.path.get(depth)) {
                let is_new = !by_place.contains_key(place);
                if is_new {
                    by_place.insert(*place, CellValue::new(value));
                }
            }
        }
        by_place
    }

    /// The places of the move that is hinted at.
    pub(super) fn hint_places(&self, picture: &Picture<G::Move>) -> Vec<Place> {
        let hint = self.coach.hint();
        hint.map_or_else(Vec::new, |hint| path_of(picture, hint.m))
    }

    /// Draws how much of a point each side can expect: the first side's share from below.
    pub(super) fn draw_bar(&self, frame: &mut Frame<'_>, area: Rect, picture: &Picture<G::Move>) {
        let Some(expected) = self.coach.first_expects() else {
            return;
        };
        let [first, second] = Side::BOTH.map(|side| bar_look(self.theme, picture, side));
        // In halves of a line.
        let filled = (expected * 2.0 * f64::from(area.height)).round() as u16;
        for (above, row) in area.rows().rev().zip(0..) {
            let row: u16 = row;
            let (text, style) = match filled.saturating_sub(2 * row) {
                0 => (&second.0, second.1),
                1 if self.theme.colors != Colors::Without && self.theme.unicode => {
                    let style = Style::new().fg(first.1.bg.unwrap_or_default());
                    let style = style.bg(second.1.bg.unwrap_or_default());
                    (&"▄".to_owned(), style)
                }
                _ => (&first.0, first.1),
            };
            let text = text.repeat(above.width.into());
            frame.render_widget(Span::styled(text, style), above);
        }
    }

    /// Draws what the moves are worth as a list, the best first, and the line that seems to
    /// follow.
    pub(super) fn draw_values(&self, frame: &mut Frame<'_>, area: Rect) {
        let mut lines = vec![Line::styled(self.values_title(), self.theme.quiet())];
        let position = self.shown_position();
        if let Some(values) = self.coach.values() {
            let width = usize::from(area.width).saturating_sub(1);
            let line = line_text(&position, &values.line);
            let line = self.theme.in_characters(&format!("Line: {line}"));
            let line = wrapped(&line, width);
            let height = usize::from(area.height).saturating_sub(1 + line.len());
            let texts = values.moves.iter().map(|value| position.move_text(value.m));
            // The last row says how many don't fit.
            let shown = match values.moves.len() {
                all if all > height => height.saturating_sub(1),
                all => all,
            };
            let texts: Vec<_> = texts.take(shown).collect();
            let widest = texts.iter().map(|text| text.chars().count()).max();
            let widest = widest.unwrap_or(0);
            for (text, value) in texts.iter().zip(&values.moves) {
                let style = self.theme.value(CellValue::new(value).favor);
                let worth = worth_clause(value).replace(", give or take", " ±");
                let worth = self.theme.in_characters(&worth);
                let text = format!("{text:widest$}  {worth}");
                lines.push(Line::styled(text, style));
            }
            if shown < values.moves.len().min(height) {
                let more = format!("… {} more", values.moves.len() - shown);
                let more = self.theme.in_characters(&more);
                lines.push(Line::styled(more, self.theme.quiet()));
            }
            let line = line
                .into_iter()
                .map(|text| Line::styled(text, self.theme.quiet()));
            lines.extend(line);
        }
        let lines = lines.into_iter().map(|mut line| {
            line.spans.insert(0, Span::raw(" "));
            line
        });
        frame.render_widget(lines.collect::<Text<'_>>(), area);
    }

    /// The heading of the values: whose moves they are of, and whether they may improve.
    fn values_title(&self) -> String {
        let position = self.shown_position();
        let name = self.app.name(position.to_move());
        let state = if self.coach.is_working() {
            self.theme.choose(" …", " ...")
        } else {
            ""
        };
        format!("{name}'s moves{state}")
    }

    /// What the coach has to say, in lines of this width.
    pub(super) fn note(&self, width: u16, has_list: bool) -> Vec<String> {
        let text = self.note_text(has_list);
        let mut lines = wrapped(&self.theme.in_characters(&text), width.into());
        lines.truncate(MAX_NOTE);
        lines
    }

    fn note_text(&self, has_list: bool) -> String {
        if let Some(error) = self.coach.error() {
            return error.to_owned();
        }
        let position = self.shown_position();
        match (self.coach.hint_stage(), self.coach.hint()) {
            (HintStage::Hidden, _) => {}
            (_, None) => return "Looking for a hint…".to_owned(),
            (stage, Some(hint)) => {
                let sentence = hint.sentence(&position);
                return if stage == HintStage::Line {
                    format!("{sentence} Line: {}", line_text(&position, &hint.line))
                } else {
                    sentence
                };
            }
        }
        match self.coach.review() {
            Some(ReviewStage::Running(judged)) => {
                let all = self.game.moves().len();
                let done = judged * PROGRESS_WIDTH / all.max(1);
                let bar = "█".repeat(done) + &"░".repeat(PROGRESS_WIDTH - done);
                return format!("Reviewing {bar} {judged} of {all} moves");
            }
            Some(ReviewStage::Done(review)) => return self.review_note(review),
            None => {}
        }
        match self.coach.values() {
            Some(values) if !has_list => match values.best() {
                Some(best) => format!(
                    "{} {}. Line: {}",
                    position.move_text(best.m),
                    worth_clause(best),
                    line_text(&position, &values.line)
                ),
                None => String::new(),
            },
            _ => String::new(),
        }
    }

    /// What the review says about the move that led to the position on the board, and at
    /// both ends of the game about all of it.
    fn review_note(&self, review: &Review<G::Move>) -> String {
        let texts = self.game.move_texts();
        let mut sentences = Vec::new();
        if let Some(index) = self.shown.checked_sub(1)
            && let Some(reviewed) = review.moves.get(index)
        {
            let before = self.position_after(index);
            sentences.push(self.remark(&before, &texts[index], reviewed));
        }
        if self.shown == 0 || self.shown == texts.len() {
            sentences.extend(self.accuracy_text(review));
            if let Some(index) = self.turning_point(review) {
                let name = self.app.name(review.moves[index].side);
                let (number, text) = (index + 1, &texts[index]);
                sentences.push(format!(
                    "The game turned with move {number}, {name}'s {text}."
                ));
            }
        }
        sentences.join(" ")
    }

    fn accuracy_text(&self, review: &Review<G::Move>) -> Option<String> {
        let accuracies: Vec<_> = Side::BOTH
            .into_iter()
            .filter_map(|side| {
                let accuracy = review.accuracy[side.index()]?;
                Some(format!("{} {accuracy:.0} %", self.app.name(side)))
            })
            .collect();
        (!accuracies.is_empty()).then(|| format!("Accuracy: {}.", accuracies.join(", ")))
    }

    /// The index of the move with which the game turned.
    fn turning_point(&self, review: &Review<G::Move>) -> Option<usize> {
        let (outcome, _) = self.end.as_ref()?.result?;
        review.turning_point(outcome)
    }

    /// How good a move was, and what was better.
    fn remark(&self, before: &G, text: &str, reviewed: &ReviewedMove<G::Move>) -> String {
        let name = self.app.name(reviewed.side);
        let quality = match reviewed.quality {
            Quality::Best => return format!("{text} is a best move."),
            Quality::Good => format!("{text} is a good move"),
            Quality::Inaccuracy => format!("{text} is an inaccuracy"),
            Quality::Mistake => format!("{text} is a mistake"),
            Quality::Blunder => format!("{text} is a blunder"),
        };
        let better = line_text(before, &reviewed.line);
        let (is, was) = (
            worth_text(name, &reviewed.played),
            worth_text(name, &reviewed.best),
        );
        format!("{quality}: {is}. Better: {better} ({was}).")
    }

    /// The mark of a reviewed move in the list of moves, as in chess.
    pub(super) fn move_mark(&self, index: usize) -> &'static str {
        let Some(ReviewStage::Done(review)) = self.coach.review() else {
            return "";
        };
        match review.moves.get(index).map(|reviewed| reviewed.quality) {
            Some(Quality::Inaccuracy) => "?!",
            Some(Quality::Mistake) => "?",
            Some(Quality::Blunder) => "??",
            Some(Quality::Best | Quality::Good) | None => "",
        }
    }
}

/// What a side's part of the bar is made of: its colour, or without colours its mark.
fn bar_look<M>(theme: Theme, picture: &Picture<M>, side: Side) -> (String, Style) {
    let [surface, _] = theme.surface(picture.colors[side.index()], false);
    if theme.colors == Colors::Without {
        let mark = theme.mark(picture.sides[side.index()]);
        let first = mark.chars().next().unwrap_or(' ');
        return (first.to_string(), Style::new());
    }
    (" ".to_owned(), Style::new().bg(surface))
}

/// Successive moves from a position, each in the notation of its position.
fn line_text<G: Notation>(position: &G, moves: &[G::Move]) -> String {
    let mut line = History::new(position.clone());
    for &m in moves.iter().take(MAX_LINE) {
        line.play_unchecked(m);
    }
    let mut text = line.move_texts().join(" ");
    if moves.len() > MAX_LINE {
        text += " …";
    }
    text
}
