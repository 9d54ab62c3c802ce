//! The safetensors file format: named tensors behind a header in JSON.
//!
//! ```text
//!  8 bytes    the length of the header, little-endian
//!  the header {"__metadata__":{"key":"text"},
//!              "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
//!  the rest   the numbers, little-endian
//! ```
//!
//! A file is accepted only if all of it is valid: the tensors have numbers of single or half
//! precision (`F32`, `F16`), follow each other without gap or overlap, and fill the file. No
//! memory is reserved on the header's word.

use core::error::Error;
use core::fmt;
use std::collections::HashSet;

use super::half;
use super::json::{Json, Text};

/// The limit of the header's length, in bytes.
const MAX_HEADER: usize = 1 << 20;
/// The limit of a tensor's dimensions.
const MAX_DIMENSIONS: usize = 8;

/// How exactly a file has its numbers, which are those of IEEE 754.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits: as they are in memory.
    #[default]
    Single,
    /// 16 bits: rounded to some three digits. Finite numbers beyond 65,504 become 65,504.
    Half,
}

impl Precision {
    /// The precision with this name in the format.
    fn of(kind: &str) -> Option<Self> {
        [Self::Single, Self::Half]
            .into_iter()
            .find(|precision| precision.kind() == kind)
    }

    /// Its name in the format.
    const fn kind(self) -> &'static str {
        match self {
            Self::Single => "F32",
            Self::Half => "F16",
        }
    }

    /// The bytes of a number.
    const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Half => 2,
        }
    }

    fn write(self, number: f32, bytes: &mut Vec<u8>) {
        match self {
            Self::Single => bytes.extend(number.to_le_bytes()),
            Self::Half => bytes.extend(half::nearest(number).to_le_bytes()),
        }
    }

    /// The numbers of a tensor.
    fn read(self, data: &[u8]) -> Vec<f32> {
        match self {
            Self::Single => {
                let (numbers, _) = data.as_chunks();
                numbers.iter().copied().map(f32::from_le_bytes).collect()
            }
            Self::Half => {
                let (numbers, _) = data.as_chunks();
                let bits = numbers.iter().copied().map(u16::from_le_bytes);
                bits.map(half::value).collect()
            }
        }
    }
}

/// A named tensor of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its length in each dimension.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub numbers: Vec<f32>,
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Keys and values, in the order of the file.
    pub metadata: Vec<(String, String)>,
    /// The tensors, in the order of their data.
    pub tensors: Vec<Tensor>,
}

impl Contents {
    /// The value of a key of the metadata.
    pub fn text(&self, key: &str) -> Option<&str> {
        let entry = self.metadata.iter().find(|(other, _)| other == key);
        entry.map(|(_, text)| text.as_str())
    }

    /// The contents as a file, in single precision: the same bytes for equal contents.
    ///
    /// ```
    /// use open_ttt_nn::safetensors::{Contents, Tensor};
    ///
    /// let contents = Contents {
    ///     metadata: vec![("about".into(), "a row".into())],
    ///     tensors: vec![Tensor { name: "row".into(), shape: vec![2], numbers: vec![1.0, -0.5] }],
    /// };
    /// assert_eq!(Contents::from_bytes(&contents.to_bytes())?, contents);
    /// # Ok::<(), open_ttt_nn::safetensors::FormatError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_in(Precision::Single)
    }

    /// The contents as a file in this precision.
    pub fn to_bytes_in(&self, precision: Precision) -> Vec<u8> {
        let mut entries = Vec::new();
        if !self.metadata.is_empty() {
            let texts = self.metadata.iter();
            let texts: Vec<_> = texts
                .map(|(key, text)| format!("{}:{}", Text(key), Text(text)))
                .collect();
            entries.push(format!("\"__metadata__\":{{{}}}", texts.join(",")));
        }
        let mut end = 0;
        for tensor in &self.tensors {
            let begin = end;
            end += precision.bytes() * tensor.numbers.len();
            let shape: Vec<_> = tensor.shape.iter().map(ToString::to_string).collect();
            entries.push(format!(
                "{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{begin},{end}]}}",
                Text(&tensor.name),
                precision.kind(),
                shape.join(",")
            ));
        }
        let mut header = format!("{{{}}}", entries.join(","));
        // The data starts at a multiple of eight bytes.
        header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        for &number in self.tensors.iter().flat_map(|tensor| &tensor.numbers) {
            precision.write(number, &mut bytes);
        }
        bytes
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`FormatError`] unless all of it is valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let (length, rest) = bytes.split_first_chunk().ok_or(FormatError::TooShort)?;
        let length = u64::from_le_bytes(*length);
        let length = usize::try_from(length).map_err(|_| FormatError::TooShort)?;
        if length > rest.len() {
            return Err(FormatError::TooShort);
        }
        if length > MAX_HEADER {
            return Err(FormatError::Header);
        }
        let (header, data) = rest.split_at(length);
        let header = core::str::from_utf8(header).map_err(|_| FormatError::Header)?;
        let (metadata, entries) = read_header(header).ok_or(FormatError::Header)?;
        let mut tensors = Vec::new();
        let mut end = 0;
        for entry in entries {
            let Some(precision) = Precision::of(&entry.kind) else {
                return Err(FormatError::ElementType { kind: entry.kind });
            };
            let lengths = entry.shape.iter();
            let size = lengths
                .map(|&length| usize::try_from(length).ok())
                .try_fold(precision.bytes(), |size, length| size.checked_mul(length?));
            let [begins, ends] = entry.offsets;
            let fits = begins == end as u64 && ends <= data.len() as u64;
            let size = size.filter(|&size| fits && ends.checked_sub(begins) == Some(size as u64));
            let size = size.ok_or(FormatError::Offsets)?;
            tensors.push(Tensor {
                name: entry.name,
                shape: entry.shape.iter().map(|&length| length as usize).collect(),
                numbers: precision.read(&data[end..end + size]),
            });
            end += size;
        }
        if end != data.len() {
            return Err(FormatError::Offsets);
        }
        Ok(Self { metadata, tensors })
    }
}

/// The header's description of a tensor.
struct TensorEntry {
    name: String,
    kind: String,
    shape: Vec<u64>,
    offsets: [u64; 2],
}

type Header = (Vec<(String, String)>, Vec<TensorEntry>);

/// The metadata, and the tensors in the order of their data.
fn read_header(header: &str) -> Option<Header> {
    let mut json = Json::new(header);
    let mut metadata = Vec::new();
    let mut entries: Vec<TensorEntry> = Vec::new();
    let mut has_metadata = false;
    json.object(|json, key| {
        if key == "__metadata__" && !has_metadata {
            has_metadata = true;
            json.object(|json, key| {
                let text = json.string()?;
                metadata.push((key, text));
                Some(())
            })
        } else {
            entries.push(read_entry(json, key)?);
            Some(())
        }
    })?;
    json.end()?;
    let names: HashSet<_> = entries.iter().map(|entry| &entry.name).collect();
    let keys: HashSet<_> = metadata.iter().map(|(key, _)| key).collect();
    if names.len() < entries.len() || keys.len() < metadata.len() {
        return None;
    }
    entries.sort_by_key(|entry| entry.offsets);
    Some((metadata, entries))
}

fn read_entry(json: &mut Json<'_>, name: String) -> Option<TensorEntry> {
    let (mut kind, mut shape, mut offsets) = (None, None, None);
    json.object(|json, key| {
        match key.as_str() {
            "dtype" if kind.is_none() => kind = Some(json.string()?),
            "shape" if shape.is_none() => shape = Some(json.numbers(MAX_DIMENSIONS)?),
            "data_offsets" if offsets.is_none() => offsets = json.numbers(2)?.try_into().ok(),
            _ => return None,
        }
        Some(())
    })?;
    Some(TensorEntry {
        name,
        kind: kind?,
        shape: shape?,
        offsets: offsets?,
    })
}

/// Why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// It ends before its header does.
    TooShort,
    /// The header is malformed or too long.
    Header,
    /// The numbers of a tensor are neither of single nor of half precision.
    ElementType {
        /// Its element type.
        kind: String,
    },
    /// The tensors do not fill the file, one after the other.
    Offsets,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => f.write_str("the file ends before its header does"),
            Self::Header => f.write_str("this is not a safetensors file: its header is malformed"),
            Self::ElementType { kind } => {
                let kind = open_ttt_lib::rules::quoted(kind);
                write!(
                    f,
                    "the file's tensors are {kind}; F32 and F16 are supported"
                )
            }
            Self::Offsets => {
                f.write_str("the file is truncated or damaged: its tensors do not fill it")
            }
        }
    }
}

impl Error for FormatError {}
