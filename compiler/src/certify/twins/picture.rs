//! A picture of the windows of a max-pool.

use std::fmt::Write;

use super::pool::Pool;
use super::window::{Kind, Reading};

/// What a picture shows besides the windows.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'s> {
    /// The first line.
    pub title: &'s str,
    /// Channels, height and width of the image.
    pub shape: [usize; 3],
    /// Its bytes: 255 is drawn black where there is one channel.
    pub image: &'s [u8],
}

/// Width of the whole picture.
const WIDTH: usize = 976;
/// Space around and between.
const GAP: usize = 16;
/// Side of the two large panels.
const PANEL: usize = 336;
/// Channels in a row of small maps.
const MAPS: usize = 16;
/// Width of a small map.
const MAP: usize = (WIDTH - 2 * GAP) / MAPS - 4;
/// The most small maps.
const MOST_MAPS: usize = 128;
/// Where the panels begin.
const TOP: usize = 72;

fn colour(kind: Kind) -> &'static str {
    match kind {
        Kind::Dead => "#dfe3e8",
        Kind::OneMaximum => "#2f6fb0",
        Kind::Twins => "#f2a12b",
        Kind::Otherwise => "#c8102e",
    }
}

/// An SVG document: the image, over each window the share of its kinds among
/// the channels, and each channel on its own.
pub fn picture(pool: &Pool, reading: &Reading, scene: &Scene<'_>) -> String {
    let [rows, columns] = pool.windows();
    let maps = pool.input[0].min(MOST_MAPS);
    let map_height = MAP * rows / columns.max(1);
    let maps_top = TOP + PANEL + 3 * GAP;
    let height = maps_top + maps.div_ceil(MAPS) * (map_height + 4) + GAP;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#1c2128\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    text(
        &mut svg,
        GAP,
        30,
        "font-size=\"18\" font-weight=\"bold\"",
        scene.title,
    );
    text(&mut svg, GAP, TOP - 10, "", "the image and the windows");
    image(&mut svg, scene);
    grid(&mut svg, pool);
    let channels = pool.input[0];
    let shares = format!("share of the {channels} channels");
    text(&mut svg, 2 * GAP + PANEL, TOP - 10, "", &shares);
    share(&mut svg, pool, reading);
    legend(&mut svg, reading);
    let caption = match channels > maps {
        true => format!("the first {maps} of {channels} channels"),
        false => "each channel".to_owned(),
    };
    text(&mut svg, GAP, maps_top - 8, "", &caption);
    let windows = (rows * columns).max(1);
    for (channel, kinds) in reading.kinds.chunks_exact(windows).take(maps).enumerate() {
        let x = GAP + channel % MAPS * (MAP + 4);
        let y = maps_top + channel / MAPS * (map_height + 4);
        let scale = MAP as f64 / columns.max(1) as f64;
        map(&mut svg, kinds, columns, [x as f64, y as f64], scale);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Writing into a `String` cannot fail.
macro_rules! put {
    ($svg:expr, $($text:tt)*) => {
        let _ = writeln!($svg, $($text)*);
    };
}

fn text(svg: &mut String, x: usize, y: usize, style: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    put!(svg, "<text x=\"{x}\" y=\"{y}\" {style}>{text}</text>");
}

/// Pixels per cell of a panel.
fn cell(height: usize, width: usize) -> f64 {
    PANEL as f64 / height.max(width).max(1) as f64
}

fn image(svg: &mut String, scene: &Scene<'_>) {
    let [channels, height, width] = scene.shape;
    let side = cell(height, width);
    put!(svg, "<g shape-rendering=\"crispEdges\">");
    let value = |channel: usize, at: usize| {
        let at = channel * height * width + at;
        scene.image.get(at).copied().unwrap_or(0)
    };
    for at in 0..height * width {
        let [red, green, blue] = match channels {
            3 => [0, 1, 2].map(|channel| value(channel, at)),
            _ => [255 - value(0, at); 3],
        };
        if (red, green, blue) == (255, 255, 255) {
            continue;
        }
        let x = GAP as f64 + (at % width) as f64 * side;
        let y = TOP as f64 + (at / width) as f64 * side;
        put!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" \
             fill=\"#{red:02x}{green:02x}{blue:02x}\"/>"
        );
    }
    put!(svg, "</g>");
}

/// Lines where windows begin.
fn grid(svg: &mut String, pool: &Pool) {
    let [rows, columns] = pool.windows();
    let side = cell(rows, columns);
    let (right, bottom) = (columns as f64 * side, rows as f64 * side);
    let mut path = String::new();
    for row in 0..=rows {
        let _ = write!(path, "M0 {:.1}h{right:.1}", row as f64 * side);
    }
    for column in 0..=columns {
        let _ = write!(path, "M{:.1} 0v{bottom:.1}", column as f64 * side);
    }
    put!(
        svg,
        "<path transform=\"translate({GAP} {TOP})\" d=\"{path}\" stroke=\"#9aa4b0\" \
         stroke-width=\"0.6\" fill=\"none\"/>"
    );
}

/// Each window as a bar of its kinds over the channels.
fn share(svg: &mut String, pool: &Pool, reading: &Reading) {
    let [rows, columns] = pool.windows();
    let windows = rows * columns;
    let side = cell(rows, columns);
    let left = (2 * GAP + PANEL) as f64;
    put!(svg, "<g shape-rendering=\"crispEdges\">");
    for window in 0..windows {
        let kinds = reading.kinds.iter().skip(window).step_by(windows.max(1));
        let mut counts = [0usize; 4];
        for &kind in kinds {
            counts[kind as usize] += 1;
        }
        let all = counts.iter().sum::<usize>().max(1) as f64;
        let inner = side - 1.0;
        let mut x = left + (window % columns) as f64 * side;
        let y = TOP as f64 + (window / columns) as f64 * side;
        for kind in Kind::ALL {
            let wide = inner * counts[kind as usize] as f64 / all;
            if wide > 0.0 {
                put!(
                    svg,
                    "<rect x=\"{x:.2}\" y=\"{y:.1}\" width=\"{wide:.2}\" height=\"{inner:.1}\" \
                     fill=\"{}\"/>",
                    colour(kind)
                );
            }
            x += wide;
        }
    }
    put!(svg, "</g>");
}

fn legend(svg: &mut String, reading: &Reading) {
    let x = 3 * GAP + 2 * PANEL;
    let all = reading.tally.windows().max(1) as f64;
    for (line, kind) in Kind::ALL.into_iter().enumerate() {
        let y = TOP + line * 44;
        let count = reading.tally.count(kind);
        put!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"{}\"/>",
            colour(kind)
        );
        text(svg, x + 22, y + 12, "", kind.name());
        let share = format!("{count} windows, {:.1} %", count as f64 / all * 100.0);
        text(svg, x + 22, y + 29, "fill=\"#5b6470\"", &share);
    }
    let verdict = match reading.tally.satisfied() {
        true => "No tie does harm.",
        false => "Some ties do harm.",
    };
    text(svg, x, TOP + 4 * 44 + 14, "font-weight=\"bold\"", verdict);
    if let Some(gap) = reading.tally.gap {
        text(
            svg,
            x,
            TOP + 4 * 44 + 38,
            "",
            "closest maximum and next cell:",
        );
        text(
            svg,
            x,
            TOP + 4 * 44 + 55,
            "fill=\"#5b6470\"",
            &format!("{gap:.2e} apart"),
        );
    }
}

/// One channel: a path of runs for each kind.
fn map(svg: &mut String, kinds: &[Kind], columns: usize, [x, y]: [f64; 2], scale: f64) {
    put!(
        svg,
        "<g transform=\"translate({x} {y}) scale({scale:.4})\" shape-rendering=\"crispEdges\">"
    );
    for kind in Kind::ALL {
        let mut path = String::new();
        for (row, line) in kinds.chunks(columns.max(1)).enumerate() {
            let mut column = 0;
            for run in line.chunk_by(|a, b| a == b) {
                let length = run.len();
                if run.first() == Some(&kind) {
                    let _ = write!(path, "M{column} {row}h{length}v1h-{length}z");
                }
                column += length;
            }
        }
        if !path.is_empty() {
            put!(svg, "<path d=\"{path}\" fill=\"{}\"/>", colour(kind));
        }
    }
    put!(svg, "</g>");
}
