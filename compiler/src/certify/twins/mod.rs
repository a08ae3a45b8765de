//! Twins: cells of a max-pool that are the same function of the parameters.
//!
//! Where the maximal cells of a window are twins, whichever of them receives
//! the gradient, the gradients of all parameters are the same: the tie does no
//! harm to the derivative. On images with a constant background such ties are
//! everywhere.
//!
//! [`Twins`] finds them by structure, without looking at any parameter;
//! [`Reader`] sorts the windows of an image with values at hand; [`observe()`]
//! makes the function that gives the values, and [`picture()`] shows them. The audit of
//! [`audit`](super::audit) decides the same over the field.

mod intern;
mod observe;
mod pairing;
mod picture;
mod pool;
mod structure;
mod survey;
#[cfg(test)]
mod tests;
mod window;

pub use observe::{Observed, observe};
pub use picture::{Scene, picture};
pub use pool::Pool;
pub use structure::{Classes, Structure, Twins};
pub use survey::{Image, Survey};
pub use window::{Kind, Reader, Reading, Tally};
