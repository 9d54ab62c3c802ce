//! The pictures of how searches work: what real searches did, as SVG.

mod charts;
mod svg;
mod threats;
mod trees;
mod watched;

/// A picture and the name of its file.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// The name of the file, without its extension.
    pub name: &'static str,
    /// Runs the search and draws what it did: a file in SVG.
    pub draw: fn() -> String,
}

/// All pictures, in the order of the page.
pub const PICTURES: [Picture; 8] = [
    Picture {
        name: "minimax",
        draw: trees::minimax,
    },
    Picture {
        name: "alpha-beta",
        draw: trees::alpha_beta,
    },
    Picture {
        name: "deepening",
        draw: charts::deepening,
    },
    Picture {
        name: "prover",
        draw: charts::prover,
    },
    Picture {
        name: "layers",
        draw: charts::layers,
    },
    Picture {
        name: "threats",
        draw: threats::forced_win,
    },
    Picture {
        name: "tree-search",
        draw: charts::tree_search,
    },
    Picture {
        name: "gumbel",
        draw: charts::gumbel,
    },
];
