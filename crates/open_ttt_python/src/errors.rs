use core::fmt::Display;

use open_ttt_lib::rules::Reason;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    open_ttt,
    IllegalMoveError,
    PyValueError,
    "A move that the rules don't allow in its position, which is unchanged."
);

/// An error of the library as a `ValueError` with the same sentence.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A move that isn't possible, by its text or its index.
pub(crate) fn illegal(m: impl Display, reason: Reason) -> PyErr {
    IllegalMoveError::new_err(format!("{m} is not possible: {reason}"))
}
