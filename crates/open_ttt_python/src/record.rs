/// Makes a frozen class of plain values a record, which is made of its fields in their order, and
/// so can be copied and pickled.
macro_rules! record {
    ($class:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        #[pyo3::pymethods]
        impl $class {
            #[new]
            #[expect(
                clippy::allow_attributes,
                reason = "few classes have that many fields"
            )]
            #[allow(clippy::too_many_arguments, reason = "one for each field")]
            fn of_fields($($field: $kind),*) -> Self {
                Self { $($field),* }
            }

            fn __getnewargs__(&self) -> ($($kind,)*) {
                ($(self.$field.clone(),)*)
            }
        }
    };
}

pub(crate) use record;
