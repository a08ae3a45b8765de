use super::{Kind, Pool, Reader, Reading, Scene, Tally, Twins, observe, picture};
use crate::driver::{self, Unit};
use crate::network::Options;
use crate::stablehlo::TensorType;

fn unit(text: &str) -> Unit {
    driver::read("t.net", text, &Options::default()).unwrap()
}

/// Cells see one pixel each: twins are cells over equal pixels.
const ONE_PIXEL: &str = "net t { input image: f32[N, 1, 2, 4];
    image |> conv(1, kernel=1) |> relu |> max_pool(2) |> flatten |> dense(2) }";

fn read(cells: [f32; 8]) -> Reading {
    let unit = unit(ONE_PIXEL);
    let pool = &Pool::all(&unit.network)[0];
    // Window 0 lies over 1, 1, 1, 2 and window 1 over 2, 0, 2, 0.
    let image = [1.0, 1.0, 2.0, 0.0, 1.0, 2.0, 2.0, 0.0];
    let classes = Twins::new(&unit.network).classes(&image);
    Reader::new(pool).read(classes[0].as_ref().unwrap(), &cells)
}

#[test]
fn kinds_of_windows() {
    let cases = [
        (
            [0.5, 0.5, 0.75, 0.0, 0.5, 0.25, 0.75, 0.0],
            [Kind::Twins, Kind::Twins],
        ),
        // The cell over 2 in window 0, and one over 0 in window 1.
        (
            [0.5, 0.5, 0.75, 0.75, 0.5, 0.5, 0.75, 0.75],
            [Kind::Otherwise, Kind::Otherwise],
        ),
        (
            [0.5, 0.5, 0.0, 0.0, 0.5, 0.75, 0.0, 0.0],
            [Kind::OneMaximum, Kind::Dead],
        ),
    ];
    for (cells, kinds) in cases {
        assert_eq!(read(cells).kinds, kinds, "{cells:?}");
    }
    let tally = read(cases[2].0).tally;
    assert_eq!((tally.counts, tally.gap), ([1, 1, 0, 0], Some(0.25)));
    assert!(tally.satisfied() && !tally.one_maximum_everywhere());
    assert!(!read(cases[1].0).tally.satisfied());
    // No window has four cells of one function.
    assert_eq!(tally.constant, 0);
}

#[test]
fn twins_that_rounding_sets_apart_are_counted() {
    let tally = read([0.5, 0.499, 0.0, 0.0, 0.5, 0.25, 0.0, 0.0]).tally;
    assert_eq!((tally.split, tally.counts), (1, [1, 0, 1, 0]));
    let tally = read([0.5, 0.499, 0.0, 0.0, 0.25, 0.25, 0.0, 0.0]).tally;
    assert_eq!((tally.split, tally.gap), (1, None));
}

#[test]
fn tallies_add_up() {
    let mut sum = Tally::default();
    for gap in [None, Some(0.5), Some(0.25), None] {
        sum.add(&Tally {
            counts: [1, 2, 3, 4],
            gap,
            ..Tally::default()
        });
    }
    assert_eq!((sum.windows(), sum.count(Kind::Twins)), (40, 12));
    assert_eq!(sum.gap, Some(0.25));
}

/// 3 x 3 windows of stride 2 and padding 1 over 5 x 5 cells: 4, 6 or 9 cells.
#[test]
fn padding_has_no_cells() {
    let unit = unit(
        "net t { input image: f32[N, 1, 5, 5];
        image |> max_pool(3, stride=2, padding=1) |> flatten |> dense(2) }",
    );
    let pool = &Pool::all(&unit.network)[0];
    assert_eq!((pool.windows(), pool.rectified), ([3, 3], false));
    let under = pool.cells_under();
    let counts: Vec<usize> = under.iter().map(Vec::len).collect();
    assert_eq!(counts, [4, 6, 4, 6, 9, 6, 4, 6, 4]);
    assert_eq!(under[0], [0, 1, 5, 6]);
    assert_eq!(under[8], [18, 19, 23, 24]);
}

#[test]
fn every_pool_is_observed() {
    let unit = unit(
        "net t { input image: f32[N, 1, 8, 8];
        image |> conv(3, kernel=3) |> relu |> max_pool(2) |> conv(5, kernel=3) |> max_pool(2)
          |> flatten |> dense(2) }",
    );
    let module = unit.portable(2, &["forward"]).unwrap();
    let observed = observe(module.function("forward").unwrap())
        .unwrap()
        .unwrap();
    let function = &observed.function;
    let shown = function.ty(function.outputs[0].value);
    assert_eq!(*shown, TensorType::f32([2, 3 * 8 * 8 + 5 * 4 * 4]));
    let places: Vec<String> = observed.locations.iter().map(ToString::to_string).collect();
    assert_eq!(places, ["t.net:2:47", "t.net:2:83"]);
    let pools = Pool::all(&unit.network);
    assert_eq!([pools[0].cells(), pools[1].cells()], [192, 80]);
}

#[test]
fn a_network_without_pools_shows_nothing() {
    let unit = unit("net t { input image: f32[N, 1, 2, 2]; image |> flatten |> dense(2) }");
    let module = unit.portable(1, &["forward"]).unwrap();
    assert_eq!(observe(module.function("forward").unwrap()).unwrap(), None);
    assert!(Twins::new(&unit.network).classes(&[0.0; 4]).is_empty());
}

#[test]
fn a_picture_shows_every_window_and_count() {
    let unit = unit(ONE_PIXEL);
    let reading = read([0.5, 0.5, 0.0, 0.0, 0.5, 0.25, 0.0, 0.0]);
    let scene = Scene {
        title: "a & b",
        shape: [1, 2, 4],
        image: &[0, 255, 0, 0, 0, 0, 0, 0],
    };
    let svg = picture(&Pool::all(&unit.network)[0], &reading, &scene);
    for part in [
        "a &amp; b",
        // One black pixel, 336 / 4 wide; white ones are the background.
        "<rect x=\"100.0\" y=\"72.0\" width=\"84.0\" height=\"84.0\" fill=\"#000000\"/>",
        // The only channel: a window tied between twins, then a dead one.
        "<path d=\"M0 0h1v1h-1z\" fill=\"#f2a12b\"/>",
        "<path d=\"M1 0h1v1h-1z\" fill=\"#dfe3e8\"/>",
        "1 windows, 50.0 %",
        "No tie does harm.",
    ] {
        assert_eq!(svg.matches(part).count().min(1), 1, "{part} in {svg}");
    }
    assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
}
