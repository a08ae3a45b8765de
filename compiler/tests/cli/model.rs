//! `cnnc eval` and `cnnc predict` on parameters whose answers are known.

use super::run::{Folder, fixture};

/// A safetensors file with weights 0 and bias ln(class + 1): whatever the
/// image, class k has the probability (k + 1) / 55.
fn known_checkpoint() -> Vec<u8> {
    let header = r#"{"dense1.bias":{"dtype":"F32","shape":[10],"data_offsets":[0,40]},"dense1.weight":{"dtype":"F32","shape":[784,10],"data_offsets":[40,31400]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    for class in 0..10 {
        bytes.extend((class as f32 + 1.0).ln().to_le_bytes());
    }
    bytes.resize(bytes.len() + 784 * 10 * 4, 0);
    bytes
}

fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.write("known.safetensors", known_checkpoint());
    folder
}

fn labels() -> Vec<u8> {
    std::fs::read(fixture("mnist16-labels.idx1-ubyte")).unwrap()[8..].to_vec()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn loss_and_accuracy_of_known_parameters() {
    let folder = folder();
    let labels = labels();
    assert_eq!(labels.len(), 16);
    let nines = labels.iter().filter(|&&label| label == 9).count();
    let loss = |&label: &u8| -((f64::from(label) + 1.0) / 55.0).ln();
    let mean = labels.iter().map(loss).sum::<f64>() / 16.0;
    let words = "eval linear.net --checkpoint known.safetensors --data data";
    // Batches of 12: the second one has four images and eight rows of padding.
    let value = json(&folder.cnnc(&format!("{words} --json")).success());
    assert_eq!(
        (&value["examples"], &value["correct"]),
        (&16.into(), &nines.into())
    );
    assert!(
        (value["loss"].as_f64().unwrap() - mean).abs() < 1e-6,
        "{value} {mean}"
    );
    let percent = nines as f64 * 100.0 / 16.0;
    let expected = format!("accuracy: {percent:.2} % ({nines} of 16), loss {mean:.4}\n");
    assert_eq!(folder.cnnc(words).success(), expected);
    assert_eq!(
        folder.cnnc(&format!("{words} --split train")).success(),
        expected
    );
}

#[test]
fn probabilities_of_known_parameters() {
    let folder = folder();
    let words = "predict linear.net --checkpoint known.safetensors --data data --index 2";
    let value = json(&folder.cnnc(&format!("{words} --json")).success());
    assert_eq!(value["class"], 9);
    assert_eq!(value["label"], labels()[2]);
    for (class, found) in value["probabilities"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        let expected = (class as f64 + 1.0) / 55.0;
        assert!(
            (found.as_f64().unwrap() - expected).abs() < 1e-6,
            "{class}: {found}"
        );
    }
    let table = folder.cnnc(words).success();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "class  probability");
    assert_eq!(lines[1].trim_start().split("  ").next(), Some("9"));
    assert!(
        lines[1].contains("0.181818") && lines[10].contains("0.018182"),
        "{table}"
    );
    assert_eq!(table.matches("label").count(), 1);
}

#[test]
fn an_image_file_is_classified() {
    let folder = folder();
    let mut image = b"P5 14 14 255\n".to_vec();
    image.resize(image.len() + 14 * 14, 200);
    folder.write("grey.pgm", image);
    let words = "predict linear.net grey.pgm --checkpoint known.safetensors --json";
    for more in ["", " --invert"] {
        let value = json(&folder.cnnc(&format!("{words}{more}")).success());
        assert_eq!(value["class"], 9);
        assert_eq!(value["label"], serde_json::Value::Null);
    }
}

/// The weight of the first pixel decides: 1 for class 3, where the pixel is white.
#[test]
fn inverting_turns_black_to_white() {
    let folder = Folder::with_data();
    let mut bytes = known_checkpoint();
    let data = bytes.len() - 31_400;
    bytes[data..].fill(0);
    // dense1.weight[0][3], after ten biases.
    let place = data + 40 + 3 * 4;
    bytes[place..place + 4].copy_from_slice(&100f32.to_le_bytes());
    folder.write("known.safetensors", bytes);
    let mut image = b"P5 28 28 255\n".to_vec();
    image.resize(image.len() + 784, 0);
    folder.write("black.pgm", image);
    let words = "predict linear.net black.pgm --checkpoint known.safetensors --json";
    let probability = |more: &str| {
        let value = json(&folder.cnnc(&format!("{words}{more}")).success());
        value["probabilities"][3].as_f64().unwrap()
    };
    assert!((probability("") - 0.1).abs() < 1e-6);
    assert!(probability(" --invert") > 0.999_999);
}
