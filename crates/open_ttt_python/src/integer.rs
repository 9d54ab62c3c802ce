use core::ops::RangeInclusive;

use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::errors::value_error;

/// An integer of any size that Python passes. Where it is used it must be in a range, or the
/// error says so with its name.
#[derive(Debug)]
pub(crate) struct Integer {
    /// `None` if it doesn't fit.
    number: Option<u64>,
    text: String,
}

impl Integer {
    /// The number, if it is in this range.
    pub(crate) fn within(self, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
        let (least, most) = (*range.start(), *range.end());
        self.number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let text = &self.text;
                value_error(if most == u64::MAX {
                    format!("{name} is {text}; expected {least} or more, in 64 bits")
                } else {
                    format!("{name} is {text}; expected {least} to {most}")
                })
            })
    }

    /// A seed, if one was passed.
    pub(crate) fn seed(seed: Option<Self>) -> PyResult<Option<u64>> {
        seed.map(|seed| seed.within("seed", 0..=u64::MAX))
            .transpose()
    }

    /// An index, one that nothing has if it doesn't fit, and its text.
    pub(crate) fn index(self) -> (usize, String) {
        let index = self.number.and_then(|number| usize::try_from(number).ok());
        (index.unwrap_or(usize::MAX), self.text)
    }
}

impl From<u32> for Integer {
    fn from(number: u32) -> Self {
        Self {
            number: Some(number.into()),
            text: number.to_string(),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Integer {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // As Python itself does: whatever has an `__index__` is an integer.
        let operator = value.py().import("operator")?;
        let integer = operator.call_method1("index", (value,))?;
        let integer = integer.cast_into::<PyInt>()?;
        Ok(Self {
            number: integer.extract().ok(),
            text: integer.str()?.to_string(),
        })
    }
}
