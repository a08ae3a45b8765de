//! The nets of `examples/`: each is what its first line says, and comes back from
//! its printed form.

use super::printing::check_network;
use crate::network::{Files, Options, build};
use cnnc_grammar::diagnostics::render_in;
use std::path::Path;

#[test]
fn every_net_has_its_parameters_and_survives_printing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let mut nets = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let name = entry.expect("a file").file_name();
        let name = name.to_string_lossy();
        let text = read(&name).expect("a text");
        let resolve = |path: &str| read(path).map_err(|error| error.to_string());
        let files = Files::load(&name, &text, &resolve).expect("parses");
        // `# vgg11.net: 132,863,336 parameters`, or `..., 19,430 parameters; ...`
        let first = text.lines().next().unwrap_or_default();
        let Some((before, _)) = first.split_once(" parameters") else {
            continue;
        };
        let count = before
            .rsplit(' ')
            .next()
            .expect("a number")
            .replace(',', "");
        let network = build(&files, &Options::default()).unwrap_or_else(|errors| {
            panic!("{}", render_in(&errors, &files.sources, false));
        });
        assert_eq!(network.parameter_count().to_string(), count, "{name}");
        check_network(&network, &name);
        nets += 1;
    }
    assert!(nets >= 3, "{nets}");
}
