use std::io::{Read, Write};
use std::sync::OnceLock;

use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, VARY};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use brotli_decompressor::BrotliDecompress;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Marks an answer whose bytes are in memory anyway, shared by all answers alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedBytes;

/// An answer that is sent often, in each form that somebody asks for.
///
/// What was compressed in advance gets its other forms when they are asked for: once, because
/// that takes the time of many answers.
#[derive(Clone, Debug)]
pub(super) struct Compressed {
    plain: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
    brotli: Option<Bytes>,
}

impl Compressed {
    pub(super) fn new(plain: Bytes) -> Self {
        Self {
            gzip: gzip(&plain).into(),
            plain: plain.into(),
            brotli: None,
        }
    }

    /// What is compressed with gzip already. Hardly anybody asks for it as it is.
    pub(super) fn of_gzip(gzip: Bytes) -> Self {
        Self {
            plain: OnceLock::new(),
            gzip: gzip.into(),
            brotli: None,
        }
    }

    /// What is compressed with Brotli already, which is smaller; browsers take it over TLS only.
    pub(super) fn of_brotli(brotli: Bytes) -> Self {
        Self {
            plain: OnceLock::new(),
            gzip: OnceLock::new(),
            brotli: Some(brotli),
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
        let (coding, bytes) = match &self.brotli {
            Some(brotli) if accepts(request, "br") => ("br", brotli),
            _ if accepts(request, "gzip") && self.is_smaller_with_gzip() => ("gzip", self.gzip()),
            _ => return ([vary], self.plain().clone()).into_response(),
        };
        let encoding: (HeaderName, _) = (CONTENT_ENCODING, HeaderValue::from_static(coding));
        ([vary, encoding], bytes.clone()).into_response()
    }

    /// What was compressed in advance was so to become smaller.
    fn is_smaller_with_gzip(&self) -> bool {
        let forms = self.plain.get().zip(self.gzip.get());
        forms.is_none_or(|(plain, gzip)| gzip.len() < plain.len())
    }

    fn gzip(&self) -> &Bytes {
        self.gzip.get_or_init(|| gzip(self.plain()))
    }

    fn plain(&self) -> &Bytes {
        self.plain.get_or_init(|| {
            let mut plain = Vec::new();
            // What ships is whole: tests read it.
            let _ = match (&self.brotli, self.gzip.get()) {
                (Some(brotli), _) => BrotliDecompress(&mut &**brotli, &mut plain),
                (None, gzip) => GzDecoder::new(gzip.map_or(&[][..], |gzip| gzip))
                    .read_to_end(&mut plain)
                    .map(drop),
            };
            plain.into()
        })
    }
}

fn gzip(plain: &Bytes) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    // Writing to memory can't fail; an answer as it is would be right, too.
    written.map_or_else(|_| plain.clone(), Bytes::from)
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
        let sent = Compressed::of_brotli(Bytes::from_static(BROTLI));
        for (text, expected) in [
            ("gzip, br", Some("br")),
            ("gzip, br;q=0", Some("gzip")),
            ("gzip", Some("gzip")),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            let answer = sent.answer(&headers);
            let coding = answer.headers().get(CONTENT_ENCODING);
            let coding = coding.map(|coding| coding.to_str().expect("a name"));
            assert_eq!(coding, expected, "{text}");
        }
    }

    /// 500 times the letter a, as Node.js compresses it.
    const BROTLI: &[u8] = &[
        0x1b, 0xf3, 0x01, 0xf8, 0x25, 0xc2, 0x82, 0xb1, 0x40, 0xa0, 0x15,
    ];

    #[test]
    fn what_is_compressed_in_advance_is_unpacked_once() {
        let text = Bytes::from(vec![b'a'; 500]);
        let gzip = Compressed::new(text.clone()).gzip().clone();
        for sent in [
            Compressed::of_gzip(gzip),
            Compressed::of_brotli(Bytes::from_static(BROTLI)),
        ] {
            let packed = sent.gzip().clone();
            assert_eq!(packed.as_ptr(), sent.gzip().as_ptr(), "the same memory");
            let mut unpacked = Vec::new();
            let read = GzDecoder::new(&*packed).read_to_end(&mut unpacked);
            assert_eq!((read.ok(), &*unpacked), (Some(500), &*text));
            let (first, second) = (sent.plain(), sent.plain());
            assert_eq!(*first, text);
            assert_eq!(first.as_ptr(), second.as_ptr(), "the same memory");
        }
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
