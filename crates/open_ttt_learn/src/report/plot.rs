//! Plots over the iterations of a run, as SVG, with a table of the last values.

use core::fmt;

use super::format::{Text, count, number, write_table};
use super::scale::Scale;

/// Curves with common axes.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) title: &'static str,
    /// A description, for screen readers too.
    pub(super) about: &'static str,
    pub(super) curves: Vec<Curve>,
    pub(super) kind: Kind,
    /// Numbers that the y axis always includes.
    pub(super) always: Vec<f64>,
    /// The least distance of two labels of the y axis.
    pub(super) least_step: f64,
    /// Formats a value.
    pub(super) format: fn(f64) -> String,
}

/// How curves are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As lines.
    Lines,
    /// As stacked areas: the shares of a whole.
    Areas,
}

/// A series of values.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    /// The text of the last value, if not the formatted number.
    pub(super) last: Option<String>,
}

/// A value after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The iteration.
    pub(super) x: f64,
    /// The value; an infinite one is drawn as an arrow at the edge.
    pub(super) y: f64,
    /// The confidence interval, if known.
    pub(super) interval: Option<[f64; 2]>,
}

/// The size of the picture.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 236.0;
/// The area between the axes.
const LEFT: f64 = 50.0;
const RIGHT: f64 = 386.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 194.0;

/// The number of points drawn; more are merged into means of neighbours.
const MAX_POINTS: usize = 400;

/// The largest number of points with marks of their own.
const MAX_MARKS: usize = 40;

impl Kind {
    /// The sign of a curve in a legend.
    pub(super) fn swatch(self, style: usize) -> String {
        let shape = match self {
            Self::Lines => format!("<path class=\"line s{style}\" d=\"M1 7H31\"/>"),
            Self::Areas => {
                format!("<rect class=\"area s{style}\" x=\"6\" width=\"20\" height=\"14\"/>")
            }
        };
        format!("<svg class=\"swatch\" viewBox=\"0 0 32 14\" aria-hidden=\"true\">{shape}</svg>")
    }
}

impl Curve {
    /// A curve through these points, NaNs excluded.
    pub(super) fn new(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (u32, f64)>,
    ) -> Self {
        let points = points.into_iter().map(|(x, y)| Point {
            x: f64::from(x),
            y,
            interval: None,
        });
        Self {
            name: name.into(),
            points: points.filter(|point| !point.y.is_nan()).collect(),
            last: None,
        }
    }

    /// At most [`MAX_POINTS`] points.
    fn drawn(&self) -> Vec<Point> {
        let size = self.points.len().div_ceil(MAX_POINTS).max(1);
        self.points.chunks(size).map(mean).collect()
    }
}

fn mean(points: &[Point]) -> Point {
    let count = points.len() as f64;
    let of = |number: fn(&Point) -> f64| points.iter().map(number).sum::<f64>() / count;
    let bands = || points.iter().filter_map(|point| point.interval);
    let low = bands().map(|[low, _]| low).fold(f64::INFINITY, f64::min);
    let high = bands()
        .map(|[_, high]| high)
        .fold(f64::NEG_INFINITY, f64::max);
    Point {
        x: of(|point| point.x),
        y: of(|point| point.y),
        interval: (low <= high).then_some([low, high]),
    }
}

impl Plot {
    /// A plot of lines above 0.
    pub(super) fn lines(title: &'static str, about: &'static str, curves: Vec<Curve>) -> Self {
        Self {
            title,
            about,
            curves,
            kind: Kind::Lines,
            always: vec![0.0],
            least_step: 0.0,
            format: number,
        }
    }

    /// Writes the plot and its legend; nothing without points.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let curves: Vec<_> = self.curves.iter().map(Curve::drawn).collect();
        let points = || curves.iter().flatten();
        if points().next().is_none() {
            return Ok(());
        }
        let ys = points().flat_map(|point| {
            let [low, high] = point.interval.unwrap_or([point.y; 2]);
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
            Text(&self.last_values())
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
        let formatted = || curve.points.last().map(|point| (self.format)(point.y));
        curve.last.clone().or_else(formatted)
    }

    fn last_values(&self) -> String {
        let lasts = self.curves.iter().filter_map(|curve| {
            let last = self.last(curve)?;
            Some(format!(" {}: {last}.", curve.name))
        });
        lasts.collect()
    }

    /// Writes each curve's colour and last value.
    fn write_legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.curves.iter().flat_map(|curve| &curve.points);
        let last = all.map(|point| point.x).fold(0.0, f64::max);
        let iteration = format!("Iteration {}", count(last as u64));
        let rows = self.curves.iter().enumerate().filter_map(|(style, curve)| {
            let value = Text(&self.last(curve)?).to_string();
            let heading = self.kind.swatch(style) + &Text(&curve.name).to_string();
            Some([heading, value])
        });
        f.write_str("<table class=\"legend\">\n")?;
        write_table(f, ["Line", &iteration], rows)?;
        f.write_str("\n")
    }
}

fn write_axes(f: &mut fmt::Formatter<'_>, x: &Scale, y: &Scale) -> fmt::Result {
    f.write_str("<g class=\"axes\">\n")?;
    for (at, label) in y.ticks() {
        writeln!(
            f,
            "<path d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text x=\"{:.0}\" y=\"{:.1}\" \
             text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            at + 4.5
        )?;
    }
    for (at, label) in x.ticks() {
        writeln!(
            f,
            "<path class=\"tick\" d=\"M{at:.1} {BOTTOM}v5\"/><text x=\"{at:.1}\" \
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
    let at = |point: &Point, number: f64| (x.coordinate(point.x), y.coordinate(number));
    // Bands connect consecutive points with intervals.
    for banded in points.chunk_by(|one, next| one.interval.is_some() == next.interval.is_some()) {
        let edge = |end: usize| {
            let of = move |point: &Point| Some(at(point, point.interval?[end]));
            banded.iter().filter_map(of)
        };
        if banded.len() > 1 && banded[0].interval.is_some() {
            let outline = edge(1).chain(edge(0).rev());
            write_path(f, &format!("band s{style}"), outline, "Z")?;
        } else {
            for ((x, low), (_, high)) in edge(0).zip(edge(1)) {
                writeln!(
                    f,
                    "<path class=\"whisker s{style}\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>"
                )?;
            }
        }
    }
    for line in points.chunk_by(|one, next| one.y.is_finite() == next.y.is_finite()) {
        if line.len() > 1 && line[0].y.is_finite() {
            let line = line.iter().map(|point| at(point, point.y));
            write_path(f, &format!("line s{style}"), line, "")?;
        }
    }
    let arrows = points.iter().filter(|point| point.y.is_infinite());
    let dots = points.iter().filter(|point| point.y.is_finite());
    if points.len() <= MAX_MARKS {
        for point in dots {
            let (x, y) = at(point, point.y);
            writeln!(
                f,
                "<circle class=\"mark s{style}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
            )?;
        }
    }
    for point in arrows {
        let (x, y) = at(point, point.y);
        let tip = if point.y > 0.0 { -6.0 } else { 6.0 };
        // Shifts the arrows of several curves at one point apart.
        let x = x - 7.0 * style as f64;
        writeln!(
            f,
            "<path class=\"mark s{style}\" d=\"M{:.1} {y:.1}h8l-4 {tip}Z\"/>",
            x - 4.0
        )?;
    }
    Ok(())
}

/// Draws a curve's area on top of those below; returns the new upper edge.
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
        // A single point fills the width of the plot.
        above.push((only + 1.0, height));
    }
    let edge = |&(at, height): &(f64, f64)| (x.coordinate(at), y.coordinate(height));
    let lower = |(index, &(at, _)): (usize, &(f64, f64))| edge(&(at, height_below(index)));
    let lower = above.iter().enumerate().rev().map(lower);
    let points = above.iter().map(edge).chain(lower);
    write_path(f, &format!("area s{style}"), points, "Z")?;
    Ok(above)
}

fn write_path(
    f: &mut fmt::Formatter<'_>,
    class: &str,
    points: impl Iterator<Item = (f64, f64)>,
    end: &str,
) -> fmt::Result {
    write!(f, "<path class=\"{class}\" d=\"")?;
    for (index, (x, y)) in points.enumerate() {
        let verb = if index == 0 { 'M' } else { 'L' };
        write!(f, "{verb}{x:.1} {y:.1}")?;
    }
    writeln!(f, "{end}\"/>")
}
