use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser, Tag, TagEnd};

/// A page in Markdown.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    links: Vec<Link>,
    headings: BTreeSet<String>,
}

/// A link or a picture on a page.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) destination: String,
    /// Where it is in the page, and where its text is.
    place: Range<usize>,
    text: Option<Range<usize>>,
}

impl Link {
    /// The part before the name of a heading.
    pub(super) fn path(&self) -> &str {
        let path = self.destination.split('#').next();
        path.unwrap_or_default()
    }

    /// The name of the heading to which it leads.
    pub(super) fn heading(&self) -> Option<&str> {
        self.destination.split_once('#').map(|(_, heading)| heading)
    }

    /// Whether it leads out of the repository.
    pub(super) fn leads_away(&self) -> bool {
        self.destination.contains("://") || self.destination.starts_with("mailto:")
    }

    /// Whether it is a path of Rust: rustdoc follows those, and nobody else.
    fn is_of_rustdoc(&self) -> bool {
        self.destination.contains("::") || self.destination == RUSTDOC
    }
}

/// What stands for the destination of a link that has none, as in ``[`Vec`]``.
const RUSTDOC: &str = "rustdoc::";

impl Page {
    pub(super) fn parse(text: &str) -> Self {
        let for_rustdoc = |_: BrokenLink<'_>| Some((CowStr::from(RUSTDOC), CowStr::from("")));
        let options = Options::ENABLE_TABLES;
        let parser = Parser::new_with_broken_link_callback(text, options, Some(for_rustdoc));
        let mut links: Vec<Link> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut headings = BTreeSet::new();
        let mut heading: Option<String> = None;
        for (event, place) in parser.into_offset_iter() {
            for &link in &open {
                // From its first event to its last.
                if !matches!(event, Event::End(TagEnd::Link | TagEnd::Image)) {
                    let text = links[link].text.get_or_insert(place.clone());
                    text.end = place.end;
                }
            }
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    open.push(links.len());
                    links.push(Link {
                        destination: dest_url.into_string(),
                        text: None,
                        place,
                    });
                }
                Event::End(TagEnd::Link | TagEnd::Image) => {
                    open.pop();
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    headings.extend(heading.take().map(|heading| name(&heading)));
                }
                Event::Text(words) | Event::Code(words) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&words);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => links.extend(picture(&html, place)),
                _ => {}
            }
        }
        Self {
            text: text.to_owned(),
            links,
            headings,
        }
    }

    /// What it links to, or shows; without links that only rustdoc follows.
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| !link.is_of_rustdoc())
    }

    pub(super) fn has_heading(&self, name: &str) -> bool {
        self.headings.contains(name)
    }

    /// The page with the text alone of those links that only rustdoc follows.
    pub(super) fn text_for_book(&self) -> String {
        let mut text = self.text.clone();
        for link in self.links.iter().rev().filter(|link| link.is_of_rustdoc()) {
            let words = link.text.clone().map_or("", |place| &self.text[place]);
            text.replace_range(link.place.clone(), words);
        }
        text
    }
}

/// The source of a picture in HTML.
fn picture(html: &str, place: Range<usize>) -> Option<Link> {
    let (_, source) = html.split_once("<img src=\"")?;
    let (source, _) = source.split_once('"')?;
    Some(Link {
        destination: source.to_owned(),
        text: None,
        place,
    })
}

/// The name by which links lead to a heading, as GitHub and mdBook make it.
fn name(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter => letter
            .is_alphanumeric()
            .then(|| letter.to_ascii_lowercase()),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations(page: &str) -> Vec<String> {
        let page = Page::parse(page);
        let links = page.links().map(|link| link.destination.clone());
        links.collect()
    }

    #[test]
    fn links_and_pictures_are_found_but_not_in_code() {
        let page = "[a](x.md#y) ![b](c.svg)\n\n<img src=\"d.png\" width=\"4\">\n\n`[e](f)`\n";
        assert_eq!(destinations(page), ["x.md#y", "c.svg", "d.png"]);
        let page = Page::parse(page);
        let link = page.links().next().expect("one");
        assert_eq!((link.path(), link.heading()), ("x.md", Some("y")));
    }

    #[test]
    fn links_for_rustdoc_become_text() {
        let page = "A [`Vec`] of [bytes](core::u8), [*not*](x.md).\n";
        let page = Page::parse(page);
        assert_eq!(page.links().count(), 1);
        assert_eq!(page.text_for_book(), "A `Vec` of bytes, [*not*](x.md).\n");
    }

    #[test]
    fn headings_have_the_names_that_links_use() {
        let page = Page::parse("# Whose turn *is* it?\n\n## `play` and `undo_move`\n");
        assert!(page.has_heading("whose-turn-is-it"));
        assert!(page.has_heading("play-and-undo_move"));
        assert!(!page.has_heading("whose-turn"));
    }
}
