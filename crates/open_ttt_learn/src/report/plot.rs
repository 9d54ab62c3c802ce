//! Curves over the iterations of a run, as SVG, each with its last value in words.

use core::fmt;

use super::scale::Scale;
use super::words::{Text, count};

/// Curves with one axis each way.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) title: &'static str,
    /// What it shows, for somebody who does not see it or sees it first.
    pub(super) about: &'static str,
    pub(super) curves: Vec<Curve>,
    pub(super) kind: Kind,
    /// Numbers that are on the axis whatever the curves are.
    pub(super) always: Vec<f64>,
    /// The least distance of two numbers beside the axis.
    pub(super) least_step: f64,
    /// How a value is written.
    pub(super) words: fn(f64) -> String,
}

/// What is drawn of the curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line each.
    Lines,
    /// Areas, one on top of the other: the shares of a whole.
    Areas,
}

/// A number that changed.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    /// What the last value is told as, if not as the number it is.
    pub(super) last: Option<String>,
}

/// What it was once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Behind which iteration.
    pub(super) x: f64,
    /// The number. An infinite one stands at the edge, as an arrow.
    pub(super) y: f64,
    /// Between what it lies, if that is known.
    pub(super) band: Option<[f64; 2]>,
}

/// The units of the picture; it is shown at about their size.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 236.0;
/// Where the axes cross, and the far ends of them.
const LEFT: f64 = 50.0;
const RIGHT: f64 = 386.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 194.0;

/// More points than that are drawn as the means of their neighbours.
const MOST_POINTS: usize = 400;

/// So many points are marked, each by itself.
const MOST_MARKS: usize = 40;

impl Curve {
    /// A curve through these points, without those that are no numbers.
    pub(super) fn new(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (u32, f64)>,
    ) -> Self {
        let points = points.into_iter().map(|(x, y)| Point {
            x: f64::from(x),
            y,
            band: None,
        });
        Self {
            name: name.into(),
            points: points.filter(|point| !point.y.is_nan()).collect(),
            last: None,
        }
    }

    /// Its points, so few that they can be drawn.
    fn drawn(&self) -> Vec<Point> {
        let size = self.points.len().div_ceil(MOST_POINTS).max(1);
        self.points.chunks(size).map(mean).collect()
    }
}

fn mean(points: &[Point]) -> Point {
    let count = points.len() as f64;
    let of = |number: fn(&Point) -> f64| points.iter().map(number).sum::<f64>() / count;
    let bands = || points.iter().filter_map(|point| point.band);
    let low = bands().map(|[low, _]| low).fold(f64::INFINITY, f64::min);
    let high = bands()
        .map(|[_, high]| high)
        .fold(f64::NEG_INFINITY, f64::max);
    Point {
        x: of(|point| point.x),
        y: of(|point| point.y),
        band: (low <= high).then_some([low, high]),
    }
}

impl Plot {
    /// Writes it with what its colours mean; nothing if it has no points.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let curves: Vec<_> = self.curves.iter().map(Curve::drawn).collect();
        let points = || curves.iter().flatten();
        if points().next().is_none() {
            return Ok(());
        }
        let ys = points().flat_map(|point| {
            let [low, high] = point.band.unwrap_or([point.y; 2]);
            [point.y, low, high]
        });
        let ys = ys
            .chain(self.always.iter().copied())
            .filter(|y| y.is_finite());
        let y = Scale::round(ys, self.least_step, [BOTTOM, TOP]);
        let x = Scale::tight(points().map(|point| point.x), 1.0, [LEFT, RIGHT]);
        let title = Text(self.title);
        let about = Text(self.about);
        write!(
            f,
            "<figure>\n<figcaption><h3>{title}</h3><p>{about}</p></figcaption>\n\
             <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
             <title>{title}</title>\n<desc>{about}{}</desc>\n",
            Text(&self.in_words())
        )?;
        write_axes(f, &x, &y)?;
        let mut below = vec![(0.0, 0.0); 0];
        for (style, points) in curves.iter().enumerate() {
            match self.kind {
                Kind::Lines => write_line(f, style, points, &x, &y)?,
                Kind::Areas => {
                    below = write_area(f, style, points, &below, &x, &y)?;
                }
            }
        }
        f.write_str("</svg>\n")?;
        self.write_legend(f)?;
        f.write_str("</figure>\n")
    }

    fn last(&self, curve: &Curve) -> Option<String> {
        let told = || curve.points.last().map(|point| (self.words)(point.y));
        curve.last.clone().or_else(told)
    }

    fn in_words(&self) -> String {
        let lasts = self.curves.iter().filter_map(|curve| {
            let last = self.last(curve)?;
            Some(format!(" {}: {last}.", curve.name))
        });
        lasts.collect()
    }

    /// What each colour means, and what it came to.
    fn write_legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.curves.iter().flat_map(|curve| &curve.points);
        let last = all.map(|point| point.x).fold(0.0, f64::max);
        write!(
            f,
            "<table class=\"legend\">\n<thead><tr><th scope=\"col\">Line</th>\
             <th scope=\"col\">Iteration {}</th></tr></thead>\n<tbody>\n",
            count(last as u64)
        )?;
        for (style, curve) in self.curves.iter().enumerate() {
            let Some(value) = self.last(curve) else {
                continue;
            };
            let swatch = match self.kind {
                Kind::Lines => format!("<path class=\"line s{style}\" d=\"M1 7H31\"/>"),
                Kind::Areas => {
                    format!("<rect class=\"area s{style}\" x=\"6\" width=\"20\" height=\"14\"/>")
                }
            };
            writeln!(
                f,
                "<tr><th scope=\"row\"><svg class=\"swatch\" viewBox=\"0 0 32 14\" \
                 aria-hidden=\"true\">{swatch}</svg>{}</th><td>{}</td></tr>",
                Text(&curve.name),
                Text(&value)
            )?;
        }
        f.write_str("</tbody>\n</table>\n")
    }
}

fn write_axes(f: &mut fmt::Formatter<'_>, x: &Scale, y: &Scale) -> fmt::Result {
    f.write_str("<g class=\"axes\">\n")?;
    for (place, label) in y.ticks() {
        writeln!(
            f,
            "<path d=\"M{LEFT} {place:.1}H{RIGHT}\"/><text x=\"{:.0}\" y=\"{:.1}\" \
             text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            place + 4.5
        )?;
    }
    for (place, label) in x.ticks() {
        writeln!(
            f,
            "<path class=\"tick\" d=\"M{place:.1} {BOTTOM}v5\"/><text x=\"{place:.1}\" \
             y=\"{:.0}\" text-anchor=\"middle\">{label}</text>",
            BOTTOM + 20.0
        )?;
    }
    writeln!(
        f,
        "<path class=\"tick\" d=\"M{LEFT} {BOTTOM}H{RIGHT}\"/>\
         <text class=\"unit\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">iteration</text>\n</g>",
        f64::midpoint(LEFT, RIGHT),
        HEIGHT - 5.0
    )
}

fn write_line(
    f: &mut fmt::Formatter<'_>,
    style: usize,
    points: &[Point],
    x: &Scale,
    y: &Scale,
) -> fmt::Result {
    let place = |point: &Point, number: f64| (x.place(point.x), y.place(number));
    // A band is drawn from one point that has one to the next.
    for banded in points.chunk_by(|one, next| one.band.is_some() == next.band.is_some()) {
        let bands = || banded.iter().filter_map(|point| Some((point, point.band?)));
        let highs = bands().map(|(point, [_, high])| place(point, high));
        let lows = bands().rev().map(|(point, [low, _])| place(point, low));
        match &banded {
            [point] => {
                if let Some([low, high]) = point.band {
                    let ((x, low), (_, high)) = (place(point, low), place(point, high));
                    writeln!(
                        f,
                        "<path class=\"whisker s{style}\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>"
                    )?;
                }
            }
            _ if bands().next().is_some() => {
                write!(f, "<path class=\"band s{style}\" d=\"")?;
                write_path(f, highs.chain(lows))?;
                f.write_str("Z\"/>\n")?;
            }
            _ => {}
        }
    }
    for line in points.chunk_by(|one, next| one.y.is_finite() == next.y.is_finite()) {
        if line.len() > 1 && line[0].y.is_finite() {
            write!(f, "<path class=\"line s{style}\" d=\"")?;
            write_path(f, line.iter().map(|point| place(point, point.y)))?;
            f.write_str("\"/>\n")?;
        }
    }
    let arrows = points.iter().filter(|point| point.y.is_infinite());
    let dots = points.iter().filter(|point| point.y.is_finite());
    if points.len() <= MOST_MARKS {
        for point in dots {
            let (x, y) = place(point, point.y);
            writeln!(
                f,
                "<circle class=\"mark s{style}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
            )?;
        }
    }
    for point in arrows {
        let (x, y) = place(point, point.y);
        let tip = if point.y > 0.0 { -6.0 } else { 6.0 };
        // Arrows of several curves at one place stand beside each other.
        let x = x - 7.0 * style as f64;
        writeln!(
            f,
            "<path class=\"mark s{style}\" d=\"M{:.1} {y:.1}h8l-4 {tip}Z\"/>",
            x - 4.0
        )?;
    }
    Ok(())
}

/// Draws what a curve adds to those before it; returns the new upper edge.
fn write_area(
    f: &mut fmt::Formatter<'_>,
    style: usize,
    points: &[Point],
    below: &[(f64, f64)],
    x: &Scale,
    y: &Scale,
) -> Result<Vec<(f64, f64)>, fmt::Error> {
    let height_below = |index: usize| below.get(index).map_or(0.0, |&(_, height)| height);
    let mut above: Vec<_> = points
        .iter()
        .enumerate()
        .map(|(index, point)| (point.x, height_below(index) + point.y))
        .collect();
    if let [(only, height)] = above[..] {
        // One point alone is as wide as the plot.
        above.push((only + 1.0, height));
    }
    let edge = |&(at, height): &(f64, f64)| (x.place(at), y.place(height));
    let lower: Vec<_> = above
        .iter()
        .enumerate()
        .map(|(index, &(at, _))| (at, height_below(index)))
        .collect();
    write!(f, "<path class=\"area s{style}\" d=\"")?;
    write_path(
        f,
        above.iter().map(edge).chain(lower.iter().rev().map(edge)),
    )?;
    f.write_str("Z\"/>\n")?;
    Ok(above)
}

fn write_path(f: &mut fmt::Formatter<'_>, places: impl Iterator<Item = (f64, f64)>) -> fmt::Result {
    for (index, (x, y)) in places.enumerate() {
        let verb = if index == 0 { 'M' } else { 'L' };
        write!(f, "{verb}{x:.1} {y:.1}")?;
    }
    Ok(())
}
