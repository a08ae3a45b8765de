//! `cnnc probe pool-twins` on sixteen real digits.

use serde_json::Value as Json;

use super::run::Folder;

const CNN: &str = "net cnn {
    input image: f32[N, 1, 28, 28];
    image |> conv(4, kernel=3) |> relu |> conv(4, kernel=3) |> relu |> max_pool(2)
          |> flatten |> dense(10)
}
";

fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.write("cnn.net", CNN);
    folder
}

fn json(folder: &Folder, words: &str) -> Json {
    let words = format!("probe pool-twins {words} --json");
    serde_json::from_str(&folder.cnnc(&words).success()).unwrap()
}

/// 16 images of 4 channels of 14 x 14 windows. Every digit has a black 6 x 6
/// patch in a corner, so some windows tie; the structure explains every tie.
#[test]
fn real_digits_satisfy_the_clause() {
    let folder = folder();
    let found = json(&folder, "cnn.net --data data --each");
    let counts: Vec<u64> = found["windows"]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| count.as_u64().unwrap())
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 16 * 4 * 14 * 14);
    assert!(counts[1] > 0 && counts[2] > 0, "{found}");
    assert_eq!(counts[3], 0, "{found}");
    assert_eq!(found["images"], 16);
    assert_eq!(found["satisfied"], 16);
    assert_eq!(found["one_maximum_everywhere"], 0);
    assert_eq!(found["with_constant_patch"], 16);
    assert_eq!(found["windows"]["split"], 0, "{found}");
    assert!(found["windows"]["gap"].as_f64().unwrap() > 0.0);
    assert_eq!(found["pools"][0]["name"], "max_pool1");
    assert_eq!(found["pools"][0]["place"], "cnn.net:3:72");
    assert_eq!(found["pools"][0]["windows"], found["windows"]);
    let each = found["each"].as_array().unwrap();
    assert_eq!(each.len(), 16);
    // The first label of the fixture, byte 8 of its file.
    assert_eq!(each[0]["label"], 5);
    let sum: u64 = each
        .iter()
        .map(|image| image["counts"][2].as_u64().unwrap())
        .sum();
    assert_eq!(sum, counts[2]);
}

#[test]
fn the_table_says_the_same() {
    let folder = folder();
    let text = folder
        .cnnc("probe pool-twins cnn.net --data data --limit 3")
        .success();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "max_pool1 at cnn.net:3:72: 2352 windows");
    for (line, name) in lines[1..5].iter().zip([
        "dead",
        "one maximum",
        "tied between twins",
        "tied otherwise",
    ]) {
        assert!(line.trim_start().starts_with(name), "{line}");
    }
    assert!(text.contains("     3 images\n"), "{text}");
    assert!(
        text.contains(
            "     3 in which every window is dead, has one maximum or is tied between twins\n"
        ),
        "{text}"
    );
}

/// Each 2 x 2 patch of the 3 x 3 image has its one white pixel elsewhere, and all
/// weights are 1: four equal cells, four different functions.
#[test]
fn ties_of_different_functions_are_found() {
    let folder = Folder::new();
    folder.write(
        "tie.net",
        "net tie { input image: f32[N, 1, 3, 3];
          image |> conv(1, kernel=2, padding=valid, init=ones, bias=false) |> max_pool(2)
                |> flatten |> dense(2) }",
    );
    std::fs::create_dir(folder.path("data")).unwrap();
    let header = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 3];
    let pixels = [255, 0, 255, 0, 0, 0, 255, 0, 255];
    folder.write(
        "data/t10k-images-idx3-ubyte",
        [&header[..], &pixels].concat(),
    );
    folder.write("data/t10k-labels-idx1-ubyte", [0, 0, 8, 1, 0, 0, 0, 1, 1]);
    let found = json(&folder, "tie.net --data data");
    let expected = serde_json::json!([0, 0, 0, 1]);
    assert_eq!(found["windows"]["counts"], expected, "{found}");
    assert_eq!(found["satisfied"], 0);
    assert_eq!(found["otherwise"], serde_json::json!([0]));
    assert_eq!(found["exactly"][0]["tied"], 1, "{found}");
    let text = folder
        .cnnc("probe pool-twins tie.net --data data")
        .success();
    assert!(
        text.contains("image 0 in exact arithmetic: 1 windows tied otherwise, 0 undecided\n"),
        "{text}"
    );
}

#[test]
fn a_picture_is_svg() {
    let folder = folder();
    folder
        .cnnc("probe pool-twins cnn.net --data data --limit 1 --index 7 --picture out.svg")
        .success();
    let svg = folder.text("out.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("cnn, image 7 of the test half, labelled 3"));
    // One map per channel.
    assert_eq!(svg.matches("<g transform=").count(), 4);
}

#[test]
fn a_checkpoint_gives_the_parameters() {
    let folder = folder();
    let trained = "train cnn.net --data data --epochs 1 --out out --set train.batch=8";
    folder.cnnc(trained).success();
    let words = "cnn.net --data data --limit 2";
    let checkpoint = "--checkpoint out/checkpoint.safetensors";
    let trained = json(&folder, &format!("{words} {checkpoint}"));
    assert_ne!(
        trained["windows"]["counts"],
        json(&folder, words)["windows"]["counts"]
    );
    assert_eq!(trained["images"], 2);
}

#[test]
fn bad_input_is_one_error() {
    let folder = folder();
    let fails = |words: &str, code: i32| {
        let outcome = folder.cnnc(&format!("probe pool-twins {words}"));
        outcome.one_error(code)
    };
    let text = fails("linear.net --data data", 1);
    assert!(text.contains("the network has no max_pool"), "{text}");
    let text = fails("cnn.net --data data --picture out.png", 2);
    assert!(text.contains("`out.png`: pictures are SVG"), "{text}");
    let text = fails("cnn.net --data data --picture out.svg --index 16", 2);
    assert!(
        text.contains("there is no image 16: the data set has 16"),
        "{text}"
    );
    let text = fails("cnn.net --data data --picture out.svg --pool 1", 2);
    assert!(
        text.contains("there is no max_pool 1: the network has 1"),
        "{text}"
    );
    let text = fails("cnn.net --data nowhere", 1);
    assert!(text.contains("nowhere"), "{text}");
    folder.cnnc("probe").failure(2);
    assert!(!folder.names().contains(&"out.svg".to_owned()));
}
