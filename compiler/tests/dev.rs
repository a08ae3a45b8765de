use cnnc::network::*;
use cnnc::{iree::Iree, lower::Source, program, stablehlo::mlir};
use cnnc_grammar::Span;

fn net() -> Network {
    let mut n = Network { name: "mnist_cnn".into(), inputs: vec![], parameters: vec![], tensors: vec![], layers: vec![], output: TensorId(0), train: TrainConfig::default() };
    let span = Span::new(0, 1);
    let t = |n: &mut Network, shape: Vec<i64>| { n.tensors.push(Tensor { name: format!("t{}", n.tensors.len()), shape, span }); TensorId(n.tensors.len() - 1) };
    let p = |n: &mut Network, name: &str, shape: Vec<i64>, role, init, fan_in: i64| { n.parameters.push(Parameter { name: name.into(), shape, role, init, fan_in, fan_out: 1, span }); ParameterId(n.parameters.len() - 1) };
    let x = t(&mut n, vec![1, 28, 28]);
    n.inputs.push(Input { name: "image".into(), tensor: x });
    let mut cur = x;
    let add = |n: &mut Network, name: &str, op, cur: &mut TensorId, shape: Vec<i64>, ps| { let o = t(n, shape); n.layers.push(Layer { name: name.into(), op, inputs: vec![*cur], output: o, parameters: ps, span, multiply_adds: 0 }); *cur = o; };
    let conv = || LayerOp::Conv(Conv { kernel: [3, 3], stride: [1, 1], padding: [[1, 1]; 2], dilation: [1, 1], groups: 1, out_channels: 32, bias: true });
    for (i, c) in [(1, 1i64), (2, 32)] {
        let ps = vec![p(&mut n, &format!("conv{i}.weight"), vec![32, c, 3, 3], Role::Weight, Initializer::HeNormal, c * 9), p(&mut n, &format!("conv{i}.bias"), vec![32], Role::Bias, Initializer::Zeros, c * 9)];
        add(&mut n, "conv", conv(), &mut cur, vec![32, 28, 28], ps);
        add(&mut n, "relu", LayerOp::Relu, &mut cur, vec![32, 28, 28], vec![]);
    }
    add(&mut n, "pool", LayerOp::MaxPool(Window { size: [2, 2], stride: [2, 2], padding: [[0, 0]; 2] }), &mut cur, vec![32, 14, 14], vec![]);
    add(&mut n, "flat", LayerOp::Flatten, &mut cur, vec![6272], vec![]);
    for (i, a, b) in [(1, 6272i64, 512i64), (2, 512, 512), (3, 512, 10)] {
        let ps = vec![p(&mut n, &format!("dense{i}.weight"), vec![a, b], Role::Weight, Initializer::HeNormal, a), p(&mut n, &format!("dense{i}.bias"), vec![b], Role::Bias, Initializer::Zeros, a)];
        add(&mut n, "dense", LayerOp::Dense, &mut cur, vec![b], ps);
        if i < 3 { add(&mut n, "relu", LayerOp::Relu, &mut cur, vec![b], vec![]); }
    }
    n.output = cur;
    n
}

#[test]
fn dev() {
    let t = std::time::Instant::now();
    let m = program::portable(&net(), 128, &[], &Source::new("x.net", "abc")).unwrap();
    println!("portable {:?}", t.elapsed());
    let text = mlir::print(&m).unwrap();
    println!("print {:?}", t.elapsed());
    std::fs::write("/tmp/step.generic.mlir", &text).unwrap();
    let back = mlir::parse(&text).unwrap();
    println!("parse {:?}", t.elapsed());
    assert_eq!(back.functions.len(), m.functions.len());
    let iree = Iree::find().unwrap();
    println!("load {:?}", t.elapsed());
    let p = iree.pretty(&text, "");
    println!("pretty {:?}", t.elapsed());
    match p { Ok(p) => { std::fs::write("/tmp/step.mlir", &p).unwrap(); 
      let g = iree.generic(&p).unwrap(); println!("generic {:?}", t.elapsed());
      let again = mlir::parse(&g).unwrap();
      assert_eq!(again.functions.len(), m.functions.len()); }
      Err(e) => panic!("{e:?}") }
}

#[test]
fn tuned() {
    let m = program::portable(&net(), 128, &[], &Source::new("x.net", "abc")).unwrap();
    let t = std::time::Instant::now();
    let m = cnnc::tune::tune(&m, cnnc::tune::Target::Cpu).unwrap();
    println!("tune {:?}", t.elapsed());
    let text = mlir::print(&m).unwrap();
    let iree = Iree::find().unwrap();
    let p = iree.pretty(&text, "").unwrap();
    std::fs::write("/tmp/tuned.mlir", &p).unwrap();
    let t = std::time::Instant::now();
    let v = iree.compile(&text, &cnnc::iree::Flags::default());
    match v { Ok(v) => std::fs::write("/tmp/step.vmfb", v).unwrap(), Err(e) => panic!("{e}") }
    println!("compile {:?}", t.elapsed());
}
