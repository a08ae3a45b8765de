//! `cnnc train` with the settings of the `train` section, from the command line.

use super::run::Folder;

const CHECKPOINT: &str = "checkpoint.safetensors";

/// Adam with everything that changes from step to step.
const LIVELY: &str = "--set train.optimizer=adam(0.01) --set train.schedule=cosine(warmup=1) \
                      --set train.augment=[pad_crop(2),flip] --set train.clip_norm=1 \
                      --set train.ema=0.5 --set train.accumulate=2 --seed 5 --batch 3";

fn train(folder: &Folder, out: &str, more: &str) -> String {
    let words = format!("train linear.net --data data --out {out} {more}");
    folder.cnnc(&words).success()
}

fn tensors(folder: &Folder, out: &str) -> Vec<u8> {
    let bytes = folder.read(&format!("{out}/{CHECKPOINT}"));
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    bytes[8 + header..].to_vec()
}

fn events(folder: &Folder, out: &str) -> Vec<serde_json::Value> {
    let text = folder.text(&format!("{out}/metrics.jsonl"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// BUG-58: two processes, the second of which goes on with the state of the first.
#[test]
fn bug_58_a_training_in_two_processes() {
    let folder = Folder::with_data();
    train(&folder, "whole", &format!("{LIVELY} --epochs 4"));
    train(
        &folder,
        "parts",
        &format!("{LIVELY} --epochs 4 --stop-after 2"),
    );
    assert_ne!(tensors(&folder, "whole"), tensors(&folder, "parts"));
    let resume = format!("{LIVELY} --epochs 4 --resume parts/{CHECKPOINT}");
    let told = train(&folder, "parts", &resume);
    assert_eq!(tensors(&folder, "whole"), tensors(&folder, "parts"));
    let losses = |out: &str| -> Vec<f64> {
        let events = events(&folder, out);
        let losses = events.iter().map(|event| event["loss"].as_f64());
        losses.flatten().collect()
    };
    assert_eq!(losses("whole").len(), 4);
    assert_eq!(losses("whole"), losses("parts"));
    // `eval` uses the averages, as the training's own test does.
    let words = format!("eval linear.net --set train.ema=0.5 --checkpoint parts/{CHECKPOINT}");
    let evaluated = folder.cnnc(&format!("{words} --data data")).success();
    assert_eq!(evaluated.lines().next(), told.lines().next());
    let words = format!("eval linear.net --checkpoint parts/{CHECKPOINT} --data data --json");
    let raw: serde_json::Value = serde_json::from_str(&folder.cnnc(&words).success()).unwrap();
    let averaged = events(&folder, "parts").last().unwrap()["test"]["loss"].clone();
    assert_ne!(raw["loss"], averaged);
}

#[test]
fn another_number_of_epochs_is_another_schedule() {
    let folder = Folder::with_data();
    let settings = "--set train.schedule=cosine --set train.schedule.min=0.001";
    train(&folder, "out", &format!("{settings} --epochs 1"));
    let words = format!(
        "train linear.net --data data --out out {settings} --epochs 2 --resume out/{CHECKPOINT}"
    );
    let outcome = folder.cnnc(&words);
    let warning = "warning: the learning rate went towards the end of 1 epochs and now goes towards \
                   that of 2";
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
    outcome.success();
}

/// Two steps in an epoch: 0.5, then half of that after each epoch.
#[test]
fn steps_tell_their_learning_rate() {
    let folder = Folder::with_data();
    let settings = "--set train.optimizer.lr=0.5 --set train.schedule=step(1,0.5) --log-steps";
    train(&folder, "out", settings);
    let events = events(&folder, "out");
    let rates: Vec<f64> = events
        .iter()
        .filter(|event| event["event"] == "step")
        .map(|event| event["lr"].as_f64().unwrap())
        .collect();
    assert_eq!(rates, [0.5, 0.5, 0.25, 0.25]);
    assert_eq!(events[0]["schedule"]["name"], "step");
}

#[test]
fn a_warm_up_that_never_ends() {
    let folder = Folder::with_data();
    let settings = "--set train.schedule=cosine(warmup=5) --epochs 3";
    let words = format!("train linear.net --data data --out out {settings}");
    let error = folder.cnnc(&words).failure(1);
    let message = "a warm-up of 5 epochs leaves nothing of a training of 3";
    assert!(error.contains(message), "{error}");
    assert!(error.contains("--set train.schedule.warmup=0"), "{error}");
}

/// Pixels of 1e25 have a finite loss, but squares of gradients that f32 does
/// not hold.
#[test]
fn bug_54_a_norm_that_is_not_finite_ends_the_training() {
    let folder = Folder::with_data();
    let settings = "--set train.clip_norm=1 --set train.normalize=(0,1e-25)";
    let words = format!("train linear.net --data data --out out {settings}");
    let error = folder.cnnc(&words).failure(1);
    let message = "the norm of the gradients is inf at epoch 1, step 1 (learning rate 0.1)";
    assert!(error.contains(message), "{error}");
    assert!(!folder.path(&format!("out/{CHECKPOINT}")).exists());
}

/// Six records: five of training, in five files, and one of testing.
fn cifar(folder: &Folder) {
    std::fs::create_dir(folder.path("cifar")).unwrap();
    let record = |label: u8| -> Vec<u8> {
        let pixels = (0..3072usize).map(|i| ((i * (usize::from(label) + 3)) % 256) as u8);
        std::iter::once(label).chain(pixels).collect()
    };
    for label in 1..=5 {
        folder.write(&format!("cifar/data_batch_{label}.bin"), record(label));
    }
    folder.write("cifar/test_batch.bin", record(7));
}

#[test]
fn cifar_10_trains() {
    let folder = Folder::new();
    cifar(&folder);
    folder.write(
        "color.net",
        "net color { input image: f32[N, 3, 32, 32]; image |> flatten |> dense(10) }
         train { batch = 2; epochs = 1; augment = [pad_crop(4), flip];
                 normalize = ((0.5, 0.4, 0.3), (0.2, 0.3, 0.4)); }",
    );
    let words = "train color.net --data cifar --out out --json";
    let result: serde_json::Value = serde_json::from_str(&folder.cnnc(words).success()).unwrap();
    assert_eq!(
        (&result["steps"], &result["test"]["examples"]),
        (&3.into(), &1.into())
    );
    let run = &events(&folder, "out")[0];
    assert_eq!(run["augment"], serde_json::json!([{"pad_crop": 4}, "flip"]));
    assert_eq!(run["pixels"]["mean"].as_array().map(Vec::len), Some(3));
    // A network for grey images cannot take them.
    folder.write("linear.net", super::run::LINEAR);
    let words = "train linear.net --data cifar --out out";
    let error = folder.cnnc(words).one_error(1);
    assert!(error.contains("images of [3, 32, 32]"), "{error}");
}

/// A net that labels each pixel needs labels of pixels, and has them.
#[test]
fn labels_of_pixels() {
    let folder = Folder::with_data();
    let net = "net pixels { input image: f32[N, 1, 28, 28]; image |> conv(10, kernel=1) }
               train { batch = 12; epochs = 1; }";
    folder.write("pixels.net", net);
    let error = folder
        .cnnc("train pixels.net --data data --out out")
        .one_error(1);
    let message = "one label per image, the network takes a label for each of 28 x 28 pixels";
    assert!(error.contains(message), "{error}");
    // Each pixel's label is whether it is bright.
    for half in ["train", "t10k"] {
        let mut maps = folder.read(&format!("data/{half}-images-idx3-ubyte"));
        maps[16..]
            .iter_mut()
            .for_each(|byte| *byte = u8::from(*byte > 127));
        folder.write(&format!("data/{half}-labels-idx3-ubyte"), maps);
    }
    let words = "train pixels.net --data data --out out --set train.optimizer.lr=5 --epochs 20";
    let told = folder.cnnc(words).success();
    assert!(told.starts_with("accuracy: "), "{told}");
    assert!(told.contains(&format!(" of {})", 16 * 784)), "{told}");
    let percent: f64 = told[10..].split(' ').next().unwrap().parse().unwrap();
    assert!(percent > 95.0, "{told}");
}
