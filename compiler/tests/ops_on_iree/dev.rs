use super::common::ops::named;
#[test]
fn dev() {
    let case = named("sum_pool_uncovered");
    let module = cnnc::stablehlo::Module {
        functions: super::goldens::functions(&case),
        ..Default::default()
    };
    let tuned = cnnc::tune::tune(&module, cnnc::iree::Target::Cpu).unwrap();
    let iree = cnnc::iree::Iree::find().unwrap();
    println!(
        "{}",
        iree.pretty(&cnnc::stablehlo::mlir::print(&tuned).unwrap(), "")
            .unwrap()
    );
}
