use std::fmt::{Display, Write as _};

/// A drawing in pixels on a light ground, so that it is the same in every theme.
pub(crate) struct Svg {
    width: u32,
    height: u32,
    body: String,
}

/// Colours of what is drawn.
pub(crate) mod ink {
    pub(crate) const TEXT: &str = "#1f2933";
    pub(crate) const QUIET: &str = "#7b8794";
    pub(crate) const PALE: &str = "#d3dae2";
    pub(crate) const GROUND: &str = "#fbfcfd";
    pub(crate) const FIRST: &str = "#c2410c";
    pub(crate) const SECOND: &str = "#0f766e";
    pub(crate) const DRAW: &str = "#64748b";
    pub(crate) const BAR: &str = "#2563eb";
}

/// Where a text begins.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            body: String::new(),
        }
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\" \
             stroke-width=\"{width}\" stroke-linecap=\"round\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    pub(crate) fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), fill: &str, edge: &str) {
        self.push(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"2\" \
             fill=\"{fill}\" stroke=\"{edge}\"/>",
            at.0, at.1, size.0, size.1
        ));
    }

    pub(crate) fn circle(&mut self, at: (f64, f64), radius: f64, fill: &str, edge: &str) {
        self.push(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" \
             stroke=\"{edge}\" stroke-width=\"1.6\"/>",
            at.0, at.1
        ));
    }

    /// A text, on its base line.
    pub(crate) fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: u32,
        color: &str,
        text: impl Display,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.to_string().replace('&', "&amp;").replace('<', "&lt;");
        self.push(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
             fill=\"{color}\">{text}</text>",
            at.0, at.1
        ));
    }

    /// The file, with a title for those who can't see it.
    pub(crate) fn finish(self, title: &str) -> String {
        let Self {
            width,
            height,
            body,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\">\n<title>{title}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>\n{body}</svg>\n",
            ink::GROUND
        )
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.body, "{element}");
    }
}
