//! Whether two programs can share parameters and state.

use super::Manifest;

impl Manifest {
    /// The first difference that keeps two programs from sharing parameters and state, or `None`.
    ///
    /// Batch sizes may differ; names, shapes, types, order and layouts may not.
    pub fn difference(&self, other: &Manifest) -> Option<String> {
        if self.net != other.net {
            return Some(format!("net `{}` against `{}`", self.net, other.net));
        }
        if self.image_shape() != other.image_shape() {
            return Some(format!(
                "image {:?} against {:?}",
                self.image_shape(),
                other.image_shape()
            ));
        }
        if self.classes != other.classes {
            return Some(format!(
                "{} classes against {}",
                self.classes, other.classes
            ));
        }
        if self.label_shape() != other.label_shape() {
            return Some(format!(
                "labels {:?} against {:?}",
                self.label_shape(),
                other.label_shape()
            ));
        }
        let sides = [
            (&self.parameters, &other.parameters, "parameters"),
            (&self.state, &other.state, "state tensors"),
        ];
        for (ours, theirs, what) in sides {
            if ours.len() != theirs.len() {
                return Some(format!("{} {what} against {}", ours.len(), theirs.len()));
            }
            for (one, two) in ours.iter().zip(theirs) {
                let same = one.name == two.name
                    && one.shape == two.shape
                    && one.dtype == two.dtype
                    && one.stored == two.stored;
                if !same {
                    return Some(format!(
                        "`{}` {}{:?} kept as {:?} against `{}` {}{:?} kept as {:?}",
                        one.name,
                        one.dtype,
                        one.shape,
                        one.stored_shape(),
                        two.name,
                        two.dtype,
                        two.shape,
                        two.stored_shape()
                    ));
                }
            }
        }
        None
    }
}
