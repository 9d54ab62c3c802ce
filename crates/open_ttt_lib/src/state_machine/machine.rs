use core::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A state that others hold copies of, and that changes by transitions.
///
/// # Laws
///
/// - [`apply`](Self::apply) is deterministic: what it returns depends on the
///   state and the transition alone, not on a clock, chance, the machine it
///   runs on or the order of a hash map.
/// - It does not panic, whatever the transition: what is impossible is a
///   conflict. The state is untouched in either case.
/// - A state that is written and read again takes the same transitions to
///   states that are written the same. Transitions and conflicts come back
///   equal.
/// - Reading accepts no state that transitions cannot lead to.
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
pub trait StateMachine: Clone + Serialize + DeserializeOwned + Debug + 'static {
    /// What changes a state.
    type Transition: Debug + Serialize + DeserializeOwned + Clone + PartialEq;

    /// Why a transition is refused.
    type Conflict: Debug + Serialize + DeserializeOwned + Clone + PartialEq;

    /// The state after a transition.
    ///
    /// # Errors
    ///
    /// A conflict, if the transition is not possible in this state.
    fn apply(&self, transition: &Self::Transition) -> Result<Self, Self::Conflict>;
}
