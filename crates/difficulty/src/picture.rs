//! The results as a chart: for each game and opponent, the percentages of wins, draws
//! and losses by the probability of a mistake.

use std::fmt::Write;

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
    writeln!(
        svg,
        "<title>Wins, draws and losses of the perfect player by its mistakes</title>"
    )?;
    writeln!(svg, "<style>\n{STYLE}</style>")?;
    for (column, game) in games.iter().enumerate() {
        let x = LEFT + column as f64 * (WIDTH + GAP);
        let (middle, title) = (x + WIDTH / 2.0, title(game));
        writeln!(
            svg,
            r#"<text class="title middle" x="{middle}" y="18">{title}</text>"#
        )?;
        for (row, opponent) in Opponent::BOTH.into_iter().enumerate() {
            let y = TOP + row as f64 * (HEIGHT + BETWEEN_ROWS);
            let name = opponent.name();
            writeln!(
                svg,
                r#"<text class="faint" x="{x}" y="{}">against {name}</text>"#,
                y - 8.0
            )?;
            if let Some(curve) = results.curve(game, opponent) {
                panel(svg, &curve, x, y)?;
            }
            if column == 0 {
                percents(svg, y)?;
            }
        }
        mistakes(svg, x, TOP + 2.0 * HEIGHT + BETWEEN_ROWS)?;
    }
    writeln!(
        svg,
        r#"<text class="middle" x="{}" y="{}">mistakes</text>"#,
        LEFT + (columns * (WIDTH + GAP) - GAP) / 2.0,
        height - 6.0
    )?;
    writeln!(svg, "</svg>")
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
        let points: Vec<_> = upper
            .chain(lower)
            .map(|(index, &share)| format!("{:.1},{:.1}", at(index), height(share)))
            .collect();
        writeln!(
            svg,
            r#"<polygon class="{name}" points="{}"/>"#,
            points.join(" ")
        )?;
        // The name stands where the area has most room from one point to the
        // next but one, which is as far as a name goes, and not at the edge.
        let room = |index: usize| {
            let around = index - 1..=index + 1;
            let low = below[around.clone()].iter().copied().fold(0.0, f64::max);
            let high = above[around].iter().copied().fold(1.0, f64::min);
            (low, high)
        };
        let inside = (1..curve.len() - 1).map(|index| (index, room(index)));
        let widest = inside.max_by(|(_, one), (_, other)| {
            let [one, other] = [one, other].map(|(low, high)| high - low);
            one.total_cmp(&other)
        });
        if let Some((index, (low, high))) = widest
            && (high - low) * HEIGHT >= ROOM
        {
            let x = at(index).clamp(left + 28.0, left + WIDTH - 28.0);
            let y = height(f64::midpoint(low, high)) + 4.0;
            writeln!(
                svg,
                r#"<text class="inside" x="{x:.1}" y="{y:.1}">{name}</text>"#
            )?;
        }
        below = above;
    }
    Ok(())
}

fn percents(svg: &mut String, top: f64) -> std::fmt::Result {
    for percent in [0, 50, 100] {
        let y = top + HEIGHT * (1.0 - f64::from(percent) / 100.0);
        let (x, x2, baseline) = (LEFT - 6.0, LEFT - 2.0, y + 4.0);
        writeln!(
            svg,
            r#"<path class="tick" d="M{x} {y}H{x2}"/><text class="end" x="{}" y="{baseline}">{percent} %</text>"#,
            LEFT - 10.0
        )?;
    }
    Ok(())
}

fn mistakes(svg: &mut String, left: f64, bottom: f64) -> std::fmt::Result {
    for (part, label) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        let x = left + WIDTH * part;
        let (y, y2, baseline) = (bottom + 2.0, bottom + 6.0, bottom + 19.0);
        writeln!(
            svg,
            r#"<path class="tick" d="M{x} {y}V{y2}"/><text class="middle" x="{x}" y="{baseline}">{label}</text>"#
        )?;
    }
    Ok(())
}
