//! The results as a chart: for each game and opponent, the percentages of wins, draws
//! and losses by the probability of a mistake.

use std::fmt::{Display, Write};

use open_ttt_players::MatchScore;

use crate::measure::Opponent;
use crate::page::title;
use crate::results::Results;

/// The size of a panel and its margins, in pixels.
const WIDTH: f64 = 210.0;
const HEIGHT: f64 = 140.0;
const GAP: f64 = 26.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 44.0;
const BETWEEN_ROWS: f64 = 40.0;

const TITLE: &str = "Wins, draws and losses of the perfect player by its mistakes";

/// The minimum height of an area for a label, in pixels.
const ROOM: f64 = 22.0;

/// Colours distinguishable on white and black, also with colour blindness: lightness
/// decreases from wins to losses.
const STYLE: &str = "\
text { font-family: system-ui, sans-serif; font-size: 12px; fill: #333 }
.title { font-size: 14px; font-weight: 600 }
.inside { font-weight: 600; fill: #fff; text-anchor: middle }
.middle { text-anchor: middle }
.end { text-anchor: end }
.faint { fill: #777 }
.wins { fill: #1b7f79 }
.draws { fill: #8a93a3 }
.losses { fill: #c8553d }
.tick { stroke: #777; stroke-width: 1 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd }
  .inside { fill: #fff }
  .faint { fill: #999 }
  .tick { stroke: #999 }
}
";

/// The chart as SVG.
pub(crate) fn picture(results: &Results) -> String {
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = draw(&mut svg, results);
    svg
}

fn draw(svg: &mut String, results: &Results) -> std::fmt::Result {
    let games: Vec<_> = results.games().collect();
    let columns = games.len() as f64;
    let width = LEFT + columns * (WIDTH + GAP);
    let height = TOP + 2.0 * HEIGHT + BETWEEN_ROWS + BOTTOM;
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">"#
    )?;
    writeln!(svg, "<title>{TITLE}</title>\n<style>\n{STYLE}</style>")?;
    for (column, game) in games.iter().enumerate() {
        let x = LEFT + column as f64 * (WIDTH + GAP);
        let middle = x + WIDTH / 2.0;
        writeln!(svg, "{}", text("title middle", middle, 18.0, &title(game)))?;
        for (row, opponent) in Opponent::BOTH.into_iter().enumerate() {
            let y = TOP + row as f64 * (HEIGHT + BETWEEN_ROWS);
            let name = format!("against {}", opponent.name());
            writeln!(svg, "{}", text("faint", x, y - 8.0, &name))?;
            if let Some(curve) = results.curve(game, opponent) {
                panel(svg, &curve, x, y)?;
            }
            if column == 0 {
                percents(svg, y)?;
            }
        }
        mistakes(svg, x, TOP + 2.0 * HEIGHT + BETWEEN_ROWS)?;
    }
    let middle = LEFT + (columns * (WIDTH + GAP) - GAP) / 2.0;
    let label = text("middle", middle, height - 6.0, "mistakes");
    writeln!(svg, "{label}\n</svg>")
}

fn text(class: &str, x: impl Display, y: impl Display, text: &str) -> String {
    format!(r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#)
}

/// The three percentages as stacked areas.
fn panel(svg: &mut String, curve: &[MatchScore], left: f64, top: f64) -> std::fmt::Result {
    let steps = (curve.len() - 1) as f64;
    let at = |index: usize| left + WIDTH * index as f64 / steps;
    let height = |share: f64| top + HEIGHT * (1.0 - share);
    let mut below = vec![0.0; curve.len()];
    for (area, name) in ["wins", "draws", "losses"].into_iter().enumerate() {
        let share = |score: &MatchScore| {
            let counts = [score.wins, score.draws, score.losses];
            f64::from(counts[area]) / f64::from(score.games())
        };
        let shares: Vec<_> = curve.iter().map(share).collect();
        let above: Vec<_> = below.iter().zip(&shares).map(|(b, s)| b + s).collect();
        let upper = above.iter().enumerate();
        let lower = below.iter().enumerate().rev();
        let point = |(index, &share): (_, &f64)| format!("{:.1},{:.1}", at(index), height(share));
        let points = upper.chain(lower).map(point).collect::<Vec<_>>().join(" ");
        writeln!(svg, r#"<polygon class="{name}" points="{points}"/>"#)?;
        // The name stands where the area has most room from one point to the
        // next but one, which is as far as a name goes, and not at the edge.
        let rooms = (1..curve.len() - 1).map(|index| {
            let around = index - 1..=index + 1;
            let low = below[around.clone()].iter().copied().fold(0.0, f64::max);
            let high = above[around].iter().copied().fold(1.0, f64::min);
            (high - low, f64::midpoint(low, high), index)
        });
        if let Some((room, middle, index)) = rooms.max_by(|one, other| one.0.total_cmp(&other.0))
            && room * HEIGHT >= ROOM
        {
            let x = at(index).clamp(left + 28.0, left + WIDTH - 28.0);
            let [x, y] = [x, height(middle) + 4.0].map(|number| format!("{number:.1}"));
            writeln!(svg, "{}", text("inside", x, y, name))?;
        }
        below = above;
    }
    Ok(())
}

fn percents(svg: &mut String, top: f64) -> std::fmt::Result {
    for percent in [0, 50, 100] {
        let y = top + HEIGHT * (1.0 - f64::from(percent) / 100.0);
        let (x, x2) = (LEFT - 6.0, LEFT - 2.0);
        let label = text("end", LEFT - 10.0, y + 4.0, &format!("{percent} %"));
        writeln!(svg, r#"<path class="tick" d="M{x} {y}H{x2}"/>{label}"#)?;
    }
    Ok(())
}

fn mistakes(svg: &mut String, left: f64, bottom: f64) -> std::fmt::Result {
    for (part, label) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        let x = left + WIDTH * part;
        let (y, y2) = (bottom + 2.0, bottom + 6.0);
        let label = text("middle", x, bottom + 19.0, label);
        writeln!(svg, r#"<path class="tick" d="M{x} {y}V{y2}"/>{label}"#)?;
    }
    Ok(())
}
