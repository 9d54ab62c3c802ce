//! Books of the games: compiled in with their files, or read from files that are given while
//! the program runs.

/// A book that is compiled in.
#[cfg(not(open_ttt_small))]
pub(crate) struct BookFile<B: 'static>(Option<B>);

#[cfg(not(open_ttt_small))]
impl<B: Copy> BookFile<B> {
    /// # Panics
    ///
    /// If there is no book, because its file is damaged.
    pub(crate) const fn new(book: Option<B>) -> Self {
        assert!(book.is_some(), "the file of a book is damaged");
        Self(book)
    }

    pub(crate) const fn get(&self) -> Option<&B> {
        self.0.as_ref()
    }
}

/// A book whose file is [given](add_book) while the program runs.
#[cfg(open_ttt_small)]
pub(crate) struct BookFile<B: 'static> {
    read: fn(&'static [u8]) -> Option<B>,
    book: std::sync::OnceLock<B>,
}

#[cfg(open_ttt_small)]
impl<B> BookFile<B> {
    pub(crate) const fn new(read: fn(&'static [u8]) -> Option<B>) -> Self {
        Self {
            read,
            book: std::sync::OnceLock::new(),
        }
    }

    /// The book, once it has been given.
    pub(crate) fn get(&self) -> Option<&B> {
        self.book.get()
    }

    /// Reads the file, which stays in memory for ever, unless there is one already. Returns
    /// whether there is a book now.
    fn add(&self, bytes: &[u8]) -> bool {
        if self.book.get().is_some() {
            return true;
        }
        let bytes = alloc::vec::Vec::from(bytes).leak();
        (self.read)(bytes).is_some_and(|book| self.book.set(book).is_ok())
    }
}

/// The book that this function reads from a file beside the source.
macro_rules! book_file {
    ($file:literal, $read:path) => {{
        #[cfg(not(open_ttt_small))]
        let file = $crate::games::book_file::BookFile::new($read(include_bytes!($file)));
        #[cfg(open_ttt_small)]
        let file = $crate::games::book_file::BookFile::new($read);
        file
    }};
}
pub(crate) use book_file;

/// The files of the games' books, by the games' keys.
#[cfg(not(open_ttt_small))]
pub const BOOK_FILES: [(&str, &[u8]); 3] = [
    ("connect4", include_bytes!("connect_four/book.bin")),
    ("pegs", include_bytes!("pegs/book.bin")),
    ("qubic", include_bytes!("qubic/solution.bin")),
];

/// Gives the game with this key its book, one of the files that other builds of this library
/// have as `BOOK_FILES`. Returns false if the game has no book, or the file is damaged.
#[cfg(open_ttt_small)]
pub fn add_book(key: &str, bytes: &[u8]) -> bool {
    match key {
        "connect4" => super::connect_four::book::BOOK.add(bytes),
        "pegs" => super::pegs::book::BOOK.add(bytes),
        "qubic" => super::qubic::solution::BOOK.add(bytes),
        _ => false,
    }
}

/// Whether the game with this key plays from a book that it hasn't been [given](add_book).
#[cfg(open_ttt_small)]
pub fn lacks_book(key: &str) -> bool {
    match key {
        "connect4" => super::connect_four::book::BOOK.get().is_none(),
        "pegs" => super::pegs::book::BOOK.get().is_none(),
        "qubic" => super::qubic::solution::BOOK.get().is_none(),
        _ => false,
    }
}
