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
    is_book: fn(&[u8]) -> bool,
    book: std::sync::OnceLock<B>,
}

#[cfg(open_ttt_small)]
impl<B> BookFile<B> {
    pub(crate) const fn new(
        read: fn(&'static [u8]) -> Option<B>,
        is_book: fn(&[u8]) -> bool,
    ) -> Self {
        Self {
            read,
            is_book,
            book: std::sync::OnceLock::new(),
        }
    }

    /// The book, once it has been given.
    pub(crate) fn get(&self) -> Option<&B> {
        self.book.get()
    }
}

/// A [`BookFile`] of any book.
#[cfg(open_ttt_small)]
trait AnyBook: Sync {
    /// Reads the file, which stays in memory for ever, unless there is one already. Returns
    /// whether there is a book now.
    fn add(&self, bytes: &[u8]) -> bool;
    fn is_missing(&self) -> bool;
}

#[cfg(open_ttt_small)]
impl<B: Send + Sync> AnyBook for BookFile<B> {
    fn add(&self, bytes: &[u8]) -> bool {
        if self.is_missing() && (self.is_book)(bytes) {
            let bytes = alloc::vec::Vec::from(bytes).leak();
            self.book.get_or_init(|| {
                (self.read)(bytes).unwrap_or_else(|| unreachable!("it has been read before"))
            });
        }
        !self.is_missing()
    }

    fn is_missing(&self) -> bool {
        self.book.get().is_none()
    }
}

/// The book that this function reads from a file beside the source.
macro_rules! book_file {
    ($file:literal, $read:path) => {{
        #[cfg(not(open_ttt_small))]
        let file = $crate::games::book_file::BookFile::new($read(include_bytes!($file)));
        #[cfg(open_ttt_small)]
        let file = $crate::games::book_file::BookFile::new($read, |bytes| $read(bytes).is_some());
        file
    }};
}
pub(crate) use book_file;

/// The games with a book, by their keys.
macro_rules! books {
    ($($key:literal: $file:literal, $book:path;)*) => {
        /// The files of the games' books, by the games' keys.
        #[cfg(not(open_ttt_small))]
        pub const BOOK_FILES: &[(&str, &[u8])] = &[$(($key, include_bytes!($file))),*];

        #[cfg(open_ttt_small)]
        static BOOKS: &[(&str, &dyn AnyBook)] = &[$(($key, &$book)),*];
    };
}

books! {
    "connect4": "connect_four/book.bin", super::connect_four::book::BOOK;
    "pegs": "pegs/book.bin", super::pegs::book::BOOK;
    "qubic": "qubic/solution.bin", super::qubic::solution::BOOK;
}

/// Gives the game with this key its book, one of the files that other builds of this library
/// have as `BOOK_FILES`. Returns false if the game has no book, or the file is damaged.
#[cfg(open_ttt_small)]
pub fn add_book(key: &str, bytes: &[u8]) -> bool {
    let book = BOOKS.iter().find(|&&(game, _)| game == key);
    book.is_some_and(|(_, book)| book.add(bytes))
}

/// The keys of the games that play from a book and haven't been [given](add_book) it.
#[cfg(open_ttt_small)]
pub fn missing_books() -> impl Iterator<Item = &'static str> {
    let missing = BOOKS.iter().filter(|(_, book)| book.is_missing());
    missing.map(|&(key, _)| key)
}
