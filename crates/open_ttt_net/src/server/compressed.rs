use std::io::{Read, Write};
use std::sync::OnceLock;

use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, VARY};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Marks an answer whose bytes are in memory anyway, shared by all answers alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedBytes;

/// An answer that is sent often: as it is, and compressed once.
#[derive(Clone, Debug)]
pub(super) struct Compressed {
    /// Empty until somebody asks for what was compressed in advance.
    plain: OnceLock<Bytes>,
    gzip: Bytes,
    brotli: Option<Bytes>,
}

impl Compressed {
    pub(super) fn new(plain: Bytes) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let written = encoder.write_all(&plain).and_then(|()| encoder.finish());
        // Writing to memory can't fail; an answer as it is would be right, too.
        let gzip = written.map_or_else(|_| plain.clone(), Bytes::from);
        Self {
            plain: plain.into(),
            gzip,
            brotli: None,
        }
    }

    /// What is compressed already. Hardly anybody asks for it as it is, so it is unpacked when
    /// somebody does: once, because that takes the time of many answers.
    pub(super) fn in_advance(gzip: Bytes) -> Self {
        Self {
            plain: OnceLock::new(),
            gzip,
            brotli: None,
        }
    }

    /// The same, also compressed in a way that fewer take and that is smaller.
    pub(super) fn with_brotli(self, brotli: Bytes) -> Self {
        Self {
            brotli: Some(brotli),
            ..self
        }
    }

    /// The answer in the encoding that a request asks for, of [`SharedBytes`].
    pub(super) fn answer(&self, request: &HeaderMap) -> Response {
        let mut answer = self.encoded(request);
        answer.extensions_mut().insert(SharedBytes);
        answer
    }

    fn encoded(&self, request: &HeaderMap) -> Response {
        let vary = (VARY, HeaderValue::from_name(ACCEPT_ENCODING));
        let is_smaller = |plain: &Bytes| self.gzip.len() < plain.len();
        let (coding, bytes) = match &self.brotli {
            Some(brotli) if accepts(request, "br") => ("br", brotli),
            _ if accepts(request, "gzip") && self.plain.get().is_none_or(is_smaller) => {
                ("gzip", &self.gzip)
            }
            _ => return ([vary], self.plain()).into_response(),
        };
        let encoding: (HeaderName, _) = (CONTENT_ENCODING, HeaderValue::from_static(coding));
        ([vary, encoding], bytes.clone()).into_response()
    }

    fn plain(&self) -> Bytes {
        let unpack = || {
            let mut plain = Vec::new();
            // What ships is whole: a test reads it.
            let _ = GzDecoder::new(&*self.gzip).read_to_end(&mut plain);
            plain.into()
        };
        self.plain.get_or_init(unpack).clone()
    }
}

/// Whether a client takes an encoding (RFC 9110, section 12.5.3). What names none gets none.
fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    let values = request.get_all(ACCEPT_ENCODING).iter();
    let listed = values.filter_map(|value| value.to_str().ok());
    listed.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_named = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let quality = parts.find_map(|part| part.strip_prefix("q="));
        is_named
            && quality.is_none_or(|quality| quality.parse().is_ok_and(|quality: f32| quality > 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_only_to_those_who_take_it() {
        // Examples of RFC 9110, section 12.5.3, and what is out of order.
        let cases = [
            ("compress, gzip", true),
            ("gzip;q=1.0, identity; q=0.5, *;q=0", true),
            ("deflate, GZIP ; q=0.1", true),
            ("", false),
            ("*", false),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("gzip;q=much", false),
            ("gzipped, x-gzip", false),
            ("br", false),
        ];
        for (text, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(accepts(&headers, "gzip"), expected, "{text:?}");
        }
        assert!(!accepts(&HeaderMap::new(), "gzip"));
    }

    #[test]
    fn brotli_is_sent_where_it_is_there_and_taken() {
        let sent = Compressed::in_advance(Bytes::from_static(b"gz"))
            .with_brotli(Bytes::from_static(b"br"));
        for (text, expected) in [
            ("gzip, br", "br"),
            ("gzip, br;q=0", "gzip"),
            ("gzip", "gzip"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            let answer = sent.answer(&headers);
            assert_eq!(answer.headers()[CONTENT_ENCODING], expected, "{text}");
        }
    }

    #[test]
    fn what_is_compressed_in_advance_is_unpacked_once() {
        let text = Bytes::from(vec![b'a'; 500]);
        let gzip = Compressed::new(text.clone()).gzip;
        let sent = Compressed::in_advance(gzip);
        let (first, second) = (sent.plain(), sent.plain());
        assert_eq!(first, text);
        assert_eq!(first.as_ptr(), second.as_ptr(), "the same memory");
    }

    #[test]
    fn what_compression_makes_longer_is_sent_as_it_is() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let encoding = |text: &'static [u8]| {
            let answer = Compressed::new(Bytes::from_static(text)).answer(&headers);
            answer.headers().get(CONTENT_ENCODING).cloned()
        };
        assert_eq!(encoding(b"short"), None);
        assert_eq!(
            encoding(&[b'a'; 500]),
            Some(HeaderValue::from_static("gzip"))
        );
    }
}
