//! Axes: from values to coordinates, with round labels.

/// An axis: its range, and the coordinates of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    coordinates: [f64; 2],
    /// The distance of two labels.
    step: f64,
}

/// The approximate number of steps between labels.
const STEPS: f64 = 4.0;

/// The limit of values, so that labels differ.
const LARGEST: f64 = 1e15;

impl Scale {
    /// The range of these finite numbers, extended to round ones. `least_step` keeps counts
    /// whole.
    pub(super) fn round(
        numbers: impl Iterator<Item = f64>,
        least_step: f64,
        coordinates: [f64; 2],
    ) -> Self {
        let scale = Self::tight(numbers, least_step, coordinates);
        Self {
            from: (scale.from / scale.step + 1e-9).floor() * scale.step,
            to: (scale.to / scale.step - 1e-9).ceil() * scale.step,
            ..scale
        }
    }

    /// The range of these finite numbers.
    pub(super) fn tight(
        numbers: impl Iterator<Item = f64>,
        least_step: f64,
        coordinates: [f64; 2],
    ) -> Self {
        let numbers = numbers.map(|number| number.clamp(-LARGEST, LARGEST));
        let (from, to) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), number| {
            (number.min(from), number.max(to))
        });
        let (from, mut to) = if from <= to { (from, to) } else { (0.0, 1.0) };
        // Widens an empty range.
        if to - from <= 1e-9 * to.abs() {
            to = from + least_step.max(0.1 * from.abs()).max(1e-6);
        }
        let step = round_step((to - from) / STEPS).max(least_step);
        Self {
            from,
            to,
            coordinates,
            step,
        }
    }

    /// The coordinate of a number, clamped to the ends.
    pub(super) fn coordinate(&self, number: f64) -> f64 {
        let share = ((number - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        self.coordinates[0] + share * (self.coordinates[1] - self.coordinates[0])
    }

    /// The coordinates of the labels, and the labels.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let first = (self.from / self.step - 1e-9).ceil();
        let last = (self.to / self.step + 1e-9).floor();
        let count = (last - first).clamp(0.0, 4.0 * STEPS) as u32;
        let largest = self.from.abs().max(self.to.abs());
        (0..=count).map(move |index| {
            let number = (first + f64::from(index)) * self.step;
            (self.coordinate(number), label(number, self.step, largest))
        })
    }
}

/// The least of .., 0.5, 1, 2, 5, 10, .. that is at least this.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= least * 0.999);
    factor.unwrap_or(10.0) * power
}

/// Formats a label with the digits of the step, in a unit suited to the axis.
fn label(number: f64, step: f64, largest: f64) -> String {
    let is_zero = number.abs() < step / 2.0;
    let (unit, name) = match largest {
        _ if is_zero => (1.0, ""),
        ..0.01 | 1e9.. => return format!("{number:.0e}"),
        ..1e4 => (1.0, ""),
        ..1e6 => (1e3, "k"),
        _ => (1e6, "M"),
    };
    let digits = (-(step / unit).log10() - 1e-9).ceil().clamp(0.0, 6.0) as usize;
    let sign = if number < 0.0 && !is_zero {
        "\u{2212}"
    } else {
        ""
    };
    format!("{sign}{:.digits$}{name}", number.abs() / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[f64], least_step: f64, expected: &[&str]) {
        let scale = Scale::round(numbers.iter().copied(), least_step, [0.0, 100.0]);
        let ticks: Vec<_> = scale.ticks().collect();
        let labels: Vec<_> = ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, expected);
        assert!(ticks.iter().all(|(at, _)| (0.0..=100.0).contains(at)));
    }

    #[test]
    fn labels_are_round() {
        check(&[0.0, 1.0], 0.0, &["0.0", "0.5", "1.0"]);
        check(&[0.0, 0.93], 0.0, &["0.0", "0.5", "1.0"]);
        check(&[0.0, 0.8], 0.0, &["0.0", "0.2", "0.4", "0.6", "0.8"]);
        check(
            &[-130.0, 420.0],
            0.0,
            &["\u{2212}200", "0", "200", "400", "600"],
        );
        check(&[0.0, 31_000.0], 0.0, &["0", "10k", "20k", "30k", "40k"]);
        check(&[0.0, 10_400.0], 0.0, &["0", "5k", "10k", "15k"]);
        check(&[0.0, 0.0006], 0.0, &["0.0000", "2e-4", "4e-4", "6e-4"]);
        check(&[0.0, 3.0], 1.0, &["0", "1", "2", "3"]);
        check(&[0.0, 0.0], 1.0, &["0", "1"]);
    }

    #[test]
    fn coordinates_are_proportional() {
        let scale = Scale::round([0.0, 200.0].into_iter(), 0.0, [300.0, 100.0]);
        let coordinates =
            [-5.0, 0.0, 50.0, 200.0, f64::INFINITY].map(|number| scale.coordinate(number));
        assert_eq!(
            coordinates.map(|at| format!("{at}")),
            ["300", "300", "250", "100", "100"]
        );
    }

    #[test]
    fn empty_and_huge_ranges_have_an_axis() {
        for numbers in [
            &[][..],
            &[f64::MAX, f64::MIN],
            &[1e300],
            &[1e-300],
            &[-7.0, -7.0],
        ] {
            let scale = Scale::round(numbers.iter().copied(), 0.0, [0.0, 1.0]);
            let ticks: Vec<_> = scale.ticks().collect();
            assert!((1..=20).contains(&ticks.len()), "{numbers:?}: {ticks:?}");
            assert!(ticks.iter().all(|(at, _)| at.is_finite()), "{numbers:?}");
        }
    }
}
