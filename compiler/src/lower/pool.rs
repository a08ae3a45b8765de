//! Pools.

use crate::network::Window as Pool;
use crate::stablehlo::{Builder, Reducer, Result, Value, Window};

/// Maximum over windows of NCHW; padding is -inf.
pub(super) fn max_pool(b: &mut Builder, pool: &Pool, x: Value) -> Result<Value> {
    b.reduce_window(Reducer::Max, x, nchw(pool))
}

fn nchw(pool: &Pool) -> Window {
    let mut window = Window::unit(4);
    for axis in 0..2 {
        window.size[2 + axis] = pool.size[axis];
        window.strides[2 + axis] = pool.stride[axis];
        window.padding[2 + axis] = pool.padding[axis];
    }
    window
}
