use super::bits::Lots;
use crate::rules::{Outcome, Side};

/// A board on which lines are completed, with the places that complete one.
/// Places are numbers.
pub(super) trait Threats {
    /// Puts a piece of a side on a free place.
    fn put(&mut self, side: Side, place: usize);

    /// The free places on which a side completes a line, each once.
    fn of(&self, side: Side) -> impl Iterator<Item = usize>;
}

/// Plays on by lots, but for moves that win at once or stop the opponent's, until
/// somebody wins or no place is free. There may be `MOST` places.
pub(super) fn fill_decisively<const MOST: usize>(
    mut threats: impl Threats,
    free: impl Iterator<Item = usize>,
    mut mover: Side,
    draw: &mut impl FnMut() -> u64,
) -> Outcome {
    let mut lots = Lots::new(draw);
    let mut urn = Urn::<MOST>::of(free);
    while urn.count > 0 {
        if threats.of(mover).next().is_some() {
            return Outcome::Win(mover);
        }
        let mut forced = threats.of(!mover);
        let place = match (forced.next(), forced.next()) {
            (None, _) => urn.any(&mut lots),
            (Some(place), None) => place,
            // Nobody stops two threats with one piece.
            (Some(_), Some(_)) => return Outcome::Win(!mover),
        };
        drop(forced);
        urn.take(place);
        threats.put(mover, place);
        mover = !mover;
    }
    Outcome::Draw
}

/// The places that are free, to be taken by lot or by number.
struct Urn<const MOST: usize> {
    places: [u16; MOST],
    /// Where in the list each place stands.
    stands: [u16; MOST],
    count: usize,
}

impl<const MOST: usize> Urn<MOST> {
    fn of(free: impl Iterator<Item = usize>) -> Self {
        let mut urn = Self {
            places: [0; MOST],
            stands: [0; MOST],
            count: 0,
        };
        for place in free {
            urn.places[urn.count] = place as u16;
            urn.stands[place] = urn.count as u16;
            urn.count += 1;
        }
        urn
    }

    /// One of the places, each as likely as another; there is at least one.
    fn any(&self, lots: &mut Lots<impl FnMut() -> u64>) -> usize {
        self.places[lots.below(self.count as u64) as usize].into()
    }

    /// Takes a place out; the last one moves to where it stood.
    fn take(&mut self, place: usize) {
        self.count -= 1;
        let last = self.places[self.count];
        let stood = self.stands[place];
        self.places[usize::from(stood)] = last;
        self.stands[usize::from(last)] = stood;
    }
}
