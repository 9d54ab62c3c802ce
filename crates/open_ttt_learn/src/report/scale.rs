//! From numbers to places on paper, and the numbers beside them.

/// An axis: what of it is shown, and where on paper its ends are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    paper: [f64; 2],
    /// From one labelled number to the next.
    step: f64,
}

/// About so many numbers are written beside an axis.
const STEPS: f64 = 4.0;

/// Beyond this, an axis would not tell its numbers apart.
const LARGEST: f64 = 1e15;

impl Scale {
    /// From the least to the greatest of these numbers, and to the next round
    /// ones beyond; the numbers are finite. `least_step` keeps counts whole.
    pub(super) fn round(
        numbers: impl Iterator<Item = f64>,
        least_step: f64,
        paper: [f64; 2],
    ) -> Self {
        let scale = Self::tight(numbers, least_step, paper);
        Self {
            from: (scale.from / scale.step + 1e-9).floor() * scale.step,
            to: (scale.to / scale.step - 1e-9).ceil() * scale.step,
            ..scale
        }
    }

    /// From the least to the greatest of these numbers.
    pub(super) fn tight(
        numbers: impl Iterator<Item = f64>,
        least_step: f64,
        paper: [f64; 2],
    ) -> Self {
        let numbers = numbers.map(|number| number.clamp(-LARGEST, LARGEST));
        let (from, to) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), number| {
            (number.min(from), number.max(to))
        });
        let (from, mut to) = if from <= to { (from, to) } else { (0.0, 1.0) };
        // What lies on one point is given room that can be seen beside it.
        if to - from <= 1e-9 * to.abs() {
            to = from + least_step.max(0.1 * from.abs()).max(1e-6);
        }
        let step = round_step((to - from) / STEPS).max(least_step);
        Self {
            from,
            to,
            paper,
            step,
        }
    }

    /// Where a number stands; what is beyond an end stands at that end.
    pub(super) fn place(&self, number: f64) -> f64 {
        let share = ((number - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        self.paper[0] + share * (self.paper[1] - self.paper[0])
    }

    /// The round numbers to write beside it, as text, and where they stand.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let first = (self.from / self.step - 1e-9).ceil();
        let last = (self.to / self.step + 1e-9).floor();
        let count = (last - first).clamp(0.0, 4.0 * STEPS) as u32;
        let largest = self.from.abs().max(self.to.abs());
        (0..=count).map(move |index| {
            let number = (first + f64::from(index)) * self.step;
            (self.place(number), label(number, self.step, largest))
        })
    }
}

/// The least of 1, 2, 5, 10, 20, .. and their tenths that is not below this.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= least * 0.999);
    factor.unwrap_or(10.0) * power
}

/// A number with as many digits as tell it from the next, in a unit that suits the
/// largest of its axis.
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
        assert!(ticks.iter().all(|(place, _)| (0.0..=100.0).contains(place)));
    }

    #[test]
    fn round_numbers_stand_beside_an_axis() {
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
    fn numbers_stand_in_proportion() {
        let scale = Scale::round([0.0, 200.0].into_iter(), 0.0, [300.0, 100.0]);
        let places = [-5.0, 0.0, 50.0, 200.0, f64::INFINITY].map(|number| scale.place(number));
        assert_eq!(
            places.map(|place| format!("{place}")),
            ["300", "300", "250", "100", "100"]
        );
    }

    #[test]
    fn no_numbers_and_huge_ones_have_an_axis() {
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
            assert!(
                ticks.iter().all(|(place, _)| place.is_finite()),
                "{numbers:?}"
            );
        }
    }
}
