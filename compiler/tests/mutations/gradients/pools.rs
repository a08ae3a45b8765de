//! Faults of pools, and of groups, dilation and overlapping windows.

use super::*;

/// Each window's value in each of its cells: [.., n, ..] to [.., n k, ..].
fn spread(b: &mut Builder, x: Value, window: &Window) -> Result<Value> {
    let (mut split, mut kept, mut merged) = (Vec::new(), Vec::new(), Vec::new());
    for (&size, &cells) in b.shape(x).iter().zip(&window.size) {
        kept.push(split.len());
        split.extend([size, cells]);
        merged.push(size * cells);
    }
    let x = b.broadcast(x, &kept, &split)?;
    b.reshape(x, &merged)
}

/// The pool's operand, its cotangent, its window, and whether each cell is
/// maximal.
fn pool(b: &mut Builder, i: &Instruction) -> Result<([Value; 2], Window, Value)> {
    let Op::SelectAndScatter { window } = &i.op else {
        panic!("{} is no pool", i.op.name());
    };
    let (x, dy) = (i.operands[0], i.operands[1]);
    let largest = b.reduce_window(Reducer::Max, x, window.clone())?;
    let largest = spread(b, largest, window)?;
    let maximal = b.compare(Direction::Eq, x, largest)?;
    Ok(([x, dy], window.clone(), maximal))
}

pub fn pools() -> Vec<Fault> {
    faults! {
        "pool backward to the first cell" => |f| f.set(f.named("select_and_scatter", 0), |op| {
            if let Op::SelectAndScatter { window } = op {
                window.size = vec![1; 4];
            }
        });
        "pool backward to every cell" => |f| {
            let at = f.named("select_and_scatter", 0);
            f.insert(at, |b, i| {
                let ([_, dy], window, _) = pool(b, i)?;
                spread(b, dy, &window)
            });
        };
        "pool backward by tile, compare, select" => |f| {
            let at = f.named("select_and_scatter", 0);
            f.insert(at, |b, i| {
                let ([_, dy], window, maximal) = pool(b, i)?;
                let dy = spread(b, dy, &window)?;
                let zero = b.splat_like(0.0, dy)?;
                b.select(maximal, dy, zero)
            });
        };
        "pool backward shared among ties" => |f| {
            let at = f.named("select_and_scatter", 0);
            f.insert(at, |b, i| {
                let ([x, dy], window, maximal) = pool(b, i)?;
                let (one, zero) = (b.splat_like(1.0, x)?, b.splat_like(0.0, x)?);
                let ones = b.select(maximal, one, zero)?;
                let count = b.reduce_window(Reducer::Add, ones, window.clone())?;
                let share = b.divide(dy, count)?;
                let share = spread(b, share, &window)?;
                b.select(maximal, share, zero)
            });
        };
        "last maximum instead of the first" => |f| {
            let at = f.named("select_and_scatter", 0);
            f.insert(at, |b, i| {
                let ([x, dy], window, _) = pool(b, i)?;
                let (x, dy) = (b.reverse(x, &[2, 3])?, b.reverse(dy, &[2, 3])?);
                let dx = b.select_and_scatter(x, dy, window)?;
                b.reverse(dx, &[2, 3])
            });
        };
        "column-major first maximum" => |f| {
            let at = f.named("select_and_scatter", 0);
            f.insert(at, |b, i| {
                let ([x, dy], window, _) = pool(b, i)?;
                let turn = [0, 1, 3, 2];
                let (x, dy) = (b.transpose(x, &turn)?, b.transpose(dy, &turn)?);
                let dx = b.select_and_scatter(x, dy, window)?;
                b.transpose(dx, &turn)
            });
        };
    }
}

/// Faults of groups, dilation and overlapping windows.
pub fn grouped() -> Vec<Fault> {
    faults! {
        "features of the kernel's groups not transposed" => |f| {
            let at = f.find(0, |i| matches!(&i.op, Op::Transpose { permutation } if permutation.len() == 5));
            f.bypass(at, 0);
        };
        "groups of the kernel gradient in reverse order" => |f| {
            let at = f.find(0, |i| matches!(&i.op, Op::Convolution(conv) if conv.batch_group_count == 2));
            f.insert(at, |b, i| b.reverse(i.result, &[0]));
        };
        "dilation and stride exchanged in the kernel gradient" => |f| {
            let at = f.find(0, |i| matches!(&i.op, Op::Convolution(conv) if kernel_gradient(i) && conv.strides == [2, 2]));
            f.set_convolution(at, |conv| {
                conv.strides = vec![1, 1];
                conv.rhs_dilation = vec![2, 2];
                conv.padding = vec![[3, 3], [3, 3]];
            });
        };
        "dilation forgotten in the input gradient" => |f| {
            let at = f.find(0, |i| input_gradient(f, i));
            f.set_convolution(at, |conv| {
                conv.rhs_dilation = vec![1, 1];
                conv.padding = vec![[1, 1], [1, 1]];
            });
        };
        "overlapping windows moved by one" => |f| f.set(f.named("select_and_scatter", 0), |op| {
            if let Op::SelectAndScatter { window } = op {
                window.padding[2] = [0, 2];
            }
        });
        "window smaller backward" => |f| f.set(f.named("select_and_scatter", 0), |op| {
            if let Op::SelectAndScatter { window } = op {
                window.size[3] = 2;
                window.padding[3] = [1, 0];
            }
        });
        "even kernel padded on the wrong side" => |f| {
            let at = f.find(-1, kernel_gradient);
            f.set_convolution(at, |conv| {
                for pads in &mut conv.padding {
                    *pads = [pads[0] + 1, pads[1] - 1];
                }
            });
        };
    }
}
