use open_ttt_lib::rules::Shape;

/// Whether a pixel belongs to a shape, in an area of `width` columns and `2 * height` rows of
/// pixels: a character has two pixels, one above the other, which are about square.
pub(super) fn has_pixel(shape: Shape, [width, height]: [u16; 2], [x, y]: [u16; 2]) -> bool {
    let radius = f32::from(height);
    let from_middle = |at: u16, length: u16| f32::from(at) - f32::from(length - 1) / 2.0;
    let (across, down) = (from_middle(x, width), from_middle(y, 2 * height));
    let distance = across.hypot(down);
    match shape {
        Shape::Cross => {
            let is_on_diagonal = (across.abs() - down.abs()).abs() <= 0.35 + radius / 8.0;
            is_on_diagonal && across.abs() <= radius
        }
        Shape::Ring => (0.55 * radius..=radius).contains(&distance),
        Shape::Figure {
            tall,
            square,
            hollow,
        } => {
            let top = if tall { -radius } else { -0.35 * radius };
            let middle = f32::midpoint(top, radius);
            let half = radius - middle;
            let is_inside = if square {
                across.abs() <= 0.75 * radius && down >= top
            } else {
                (across / (0.85 * radius)).hypot((down - middle) / half) <= 1.0
            };
            let is_hole =
                hollow && across.abs() <= 0.3 * radius && (down - middle).abs() < 0.3 * half;
            is_inside && !is_hole
        }
        _ => distance <= radius,
    }
}

/// A shape of three by three characters in ASCII; discs leave room for a mark.
pub(super) const fn ascii(shape: Shape) -> [&'static str; 3] {
    match shape {
        Shape::Cross => ["\\ /", " X ", "/ \\"],
        Shape::Ring => [".-.", "| |", "'-'"],
        Shape::King => ["vvv", "( )", "'-'"],
        _ => [".-.", "( )", "'-'"],
    }
}
