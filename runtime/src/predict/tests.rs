use super::*;
use crate::fixture;
use image::{GrayImage, Luma, Rgb, RgbImage, Rgba, RgbaImage};

struct Picture {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Picture {
    fn new(name: &str, image: impl Into<DynamicImage>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        image.into().save(&path).expect("saved");
        Self {
            _folder: folder,
            path,
        }
    }

    fn grey(&self, size: [usize; 2]) -> Vec<u8> {
        load_image(&self.path, [1, size[0], size[1]], ImageOptions::default()).expect("an image")
    }
}

#[test]
fn grey_pixels_are_kept() {
    let image = GrayImage::from_fn(3, 2, |x, y| Luma([(10 * y + x) as u8]));
    for name in ["a.png", "a.pgm"] {
        let picture = Picture::new(name, image.clone());
        assert_eq!(picture.grey([2, 3]), [0, 1, 2, 10, 11, 12]);
    }
}

#[test]
fn inversion_only_when_asked_for() {
    let picture = Picture::new("a.png", GrayImage::from_pixel(1, 1, Luma([55])));
    assert_eq!(picture.grey([1, 1]), [55]);
    let inverted = load_image(&picture.path, [1, 1, 1], ImageOptions { invert: true });
    assert_eq!(inverted.expect("an image"), [200]);
}

#[test]
fn colours() {
    let image = RgbImage::from_fn(2, 1, |x, _| {
        if x == 0 {
            Rgb([255, 255, 255])
        } else {
            Rgb([1, 2, 3])
        }
    });
    let picture = Picture::new("a.png", image);
    assert_eq!(picture.grey([1, 2])[0], 255);
    let planes = load_image(&picture.path, [3, 1, 2], ImageOptions::default());
    assert_eq!(planes.expect("an image"), [255, 1, 255, 2, 255, 3]);
    let error = load_image(&picture.path, [2, 1, 2], ImageOptions::default()).expect_err("two");
    assert!(
        error.to_string().contains("images of 2 channels"),
        "{error}"
    );
}

/// White with an alpha of 51 = 255 / 5 over black is 51.
#[test]
fn transparency_is_laid_over_black() {
    let image = RgbaImage::from_fn(2, 1, |x, _| {
        if x == 0 {
            Rgba([255, 255, 255, 0])
        } else {
            Rgba([255, 255, 255, 51])
        }
    });
    assert_eq!(Picture::new("a.png", image).grey([1, 2]), [0, 51]);
}

#[test]
fn other_sizes_are_stretched() {
    // A constant stays constant, and the left half stays darker than the right one.
    let picture = Picture::new("a.png", GrayImage::from_pixel(9, 5, Luma([77])));
    assert_eq!(picture.grey([4, 4]), [77; 16]);
    let image = GrayImage::from_fn(8, 8, |x, _| Luma([if x < 4 { 0 } else { 255 }]));
    assert_eq!(Picture::new("a.png", image).grey([1, 4])[0], 0);
}

#[test]
fn files_that_are_no_images() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.png");
    let fault = |path: &Path| {
        let error = load_image(path, [1, 1, 1], ImageOptions::default()).expect_err("no image");
        error.to_string()
    };
    assert!(fault(&path).ends_with("a.png: No such file or directory (os error 2)"));
    for bytes in [
        &b""[..],
        b"<!DOCTYPE html>",
        b"\x89PNG\r\n\x1a\n",
        b"P5\n9 9\n255\n1",
    ] {
        std::fs::write(&path, bytes).expect("written");
        let message = fault(&path);
        assert!(
            message.starts_with(path.to_str().expect("UTF-8")),
            "{message}"
        );
    }
}

/// PyTorch, `softmax(image @ weight)` of the fixture's second example at seed 7.
#[test]
fn probabilities() {
    let program = fixture::program(&fixture::runtime(), 4);
    let state = program.init(7).expect("drawn");
    let (data, pixels) = (fixture::examples(2), Pixels::default());
    let result = predict_example(&program, &state, &data, 1, &pixels).expect("classified");
    assert_eq!(result.class, 2);
    let expected = [0.326_637_404, 0.333_288_194, 0.340_074_403];
    for (found, expected) in result.probabilities.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-7,
            "{found} against {expected}"
        );
    }
    let error = predict_example(&program, &state, &data, 2, &pixels).expect_err("two only");
    let text = error.to_string();
    assert!(
        text.starts_with("example 2: ") && text.ends_with("holds 2, counted from 0"),
        "{text}"
    );
    let error = predict(&program, &state, &[0; 3], &pixels).expect_err("three bytes");
    assert_eq!(
        error.to_string(),
        "`image` has 3 values, the program takes 4"
    );
}

/// Huge logits overflow neither up nor down, and the first of two equal classes wins.
#[test]
fn softmax_at_the_extremes() {
    let result = prediction(&[1e30, -1e30, 1e30], None).expect("finite");
    assert_eq!(
        (result.class, result.probabilities),
        (0, vec![0.5, 0.0, 0.5])
    );
    let error = prediction(&[0.0, f32::NAN], None).expect_err("NaN");
    let message = "the network's output for class 1 is NaN";
    assert_eq!(error.to_string(), message);
}

/// ln 3 is three to one.
#[test]
fn a_single_output_says_both_probabilities() {
    let of = |output: f32, loss| {
        let found = prediction(&[output], Some(loss)).expect("finite");
        (found.class, found.probabilities[0], found.probabilities[1])
    };
    let (class, no, yes) = of(3f32.ln(), "binary_cross_entropy");
    assert_eq!(class, 1);
    assert!((no - 0.25).abs() < 1e-7 && (yes - 0.75).abs() < 1e-7);
    // In the middle it is the first class, as training counts it.
    assert_eq!(of(0.0, "binary_cross_entropy"), (0, 0.5, 0.5));
    assert_eq!(of(-1e30, "binary_cross_entropy"), (0, 1.0, 0.0));
    assert_eq!(of(0.75, "mean_squared_error"), (1, 0.25, 0.75));
}

#[test]
fn several_outputs_of_other_losses_stand_for_themselves() {
    let outputs = [0.0, 3f32.ln(), -100.0];
    let found = prediction(&outputs, Some("binary_cross_entropy")).expect("finite");
    let expected = [0.5, 0.75, 0.0];
    for (found, expected) in found.probabilities.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-7, "{found}");
    }
    assert_eq!(found.class, 1);
    let found = prediction(&[0.25, 0.5], Some("mean_squared_error")).expect("finite");
    assert_eq!((found.class, found.probabilities), (1, vec![0.25, 0.5]));
}
