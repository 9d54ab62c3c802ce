/// A store in memory.
#[derive(Debug, Default)]
pub struct MemoryLog {}
