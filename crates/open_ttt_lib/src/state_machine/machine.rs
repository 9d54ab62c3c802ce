use core::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A replicated state that changes by transitions.
///
/// # Laws
///
/// - [`apply`](Self::apply) is deterministic: its result depends only on the state
///   and the transition, not on a clock, random numbers, the platform or the
///   order of a hash map.
/// - It doesn't panic: an impossible transition is a conflict. The state itself
///   doesn't change.
/// - [`advance`](Self::advance) leads to the same states and conflicts.
/// - A state that is serialized and read again behaves as before: the same
///   transitions lead to equally serialized states. Transitions and conflicts are
///   preserved by equality.
/// - Reading rejects states that no transitions lead to.
///
/// Most states are read by `DeserializeOwned`. The trait doesn't ask for it,
/// because some can't be read from their JSON alone: that of a game chosen at run
/// time is [restored](super::GameMachine::restore) with a catalog in hand.
///
/// ```
/// use open_ttt_lib::state_machine::StateMachine;
/// use serde::{Deserialize, Serialize};
///
/// /// A lamp that can be switched on once.
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// enum Lamp {
///     Off,
///     On,
/// }
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Switch;
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct AlreadyOn;
///
/// impl StateMachine for Lamp {
///     type Transition = Switch;
///     type Conflict = AlreadyOn;
///
///     fn apply(&self, _: &Switch) -> Result<Self, AlreadyOn> {
///         match self {
///             Self::Off => Ok(Self::On),
///             Self::On => Err(AlreadyOn),
///         }
///     }
/// }
///
/// assert_eq!(Lamp::Off.apply(&Switch), Ok(Lamp::On));
/// assert_eq!(Lamp::On.apply(&Switch), Err(AlreadyOn));
/// ```
pub trait StateMachine: Clone + Serialize + Debug + 'static {
    /// A change of the state.
    type Transition: Debug + Serialize + DeserializeOwned + Clone + PartialEq;

    /// Why a transition is rejected.
    type Conflict: Debug + Serialize + DeserializeOwned + Clone + PartialEq;

    /// The state after a transition.
    ///
    /// # Errors
    ///
    /// A conflict if the transition isn't possible in this state.
    fn apply(&self, transition: &Self::Transition) -> Result<Self, Self::Conflict>;

    /// Goes on to the state after a transition: as [`apply`](Self::apply), for those
    /// who don't need the state before it. Machines with large states spare the copy.
    ///
    /// # Errors
    ///
    /// A conflict if the transition isn't possible in this state. Nothing has changed
    /// then.
    fn advance(&mut self, transition: &Self::Transition) -> Result<(), Self::Conflict> {
        *self = self.apply(transition)?;
        Ok(())
    }
}
