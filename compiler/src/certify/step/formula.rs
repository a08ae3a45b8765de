//! The optimizers' formulas over any kind of number, written from their
//! papers' side and not from the compiler's.
//!
//! Constants are those that an f32 program can hold: 1 - beta is rounded once,
//! and so is ln beta, in which beta^t is e^(t ln beta).

use std::collections::BTreeMap;

use crate::reference::Number;
use crate::stablehlo::mlir::attribute::Attribute;

/// What the manifest says of the optimizer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule<'a>(pub &'a Attribute);

/// A parameter, or what is remembered of it.
pub(super) type Numbers<T> = Vec<T>;

/// What one update of one parameter reads.
pub(super) struct Before<'a, T> {
    pub weight: &'a [T],
    pub gradient: &'a [T],
    /// What is remembered, by role.
    pub slots: &'a BTreeMap<String, Numbers<T>>,
    pub lr: T,
    /// Number of the update, counted from 1.
    pub update: T,
    /// Whether weight decay acts on it.
    pub decays: bool,
}

/// What it makes.
pub(super) struct After<T> {
    pub weight: Numbers<T>,
    pub slots: BTreeMap<String, Numbers<T>>,
}

impl<'a> Rule<'a> {
    /// Name of the optimizer.
    pub fn name(self) -> &'a str {
        self.text("name").unwrap_or_default()
    }

    pub fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key)?.as_str()
    }

    /// A number; one that is not said is 0.
    pub fn number(self, key: &str) -> f64 {
        self.maybe(key).unwrap_or(0.0)
    }

    pub fn maybe(self, key: &str) -> Option<f64> {
        match *self.0.get(key)? {
            Attribute::Float(value) => Some(value),
            Attribute::Int(value) => Some(value as f64),
            _ => None,
        }
    }

    fn is(self, key: &str) -> bool {
        matches!(self.0.get(key), Some(Attribute::Bool(true)))
    }

    fn betas(self) -> Option<[f64; 2]> {
        let number = |item: &Attribute| match *item {
            Attribute::Float(value) => Some(value),
            Attribute::Int(value) => Some(value as f64),
            _ => None,
        };
        match self.0.get("betas")? {
            Attribute::Array(items) => match items.as_slice() {
                [first, second] => Some([number(first)?, number(second)?]),
                _ => None,
            },
            Attribute::Ints(items) => match items.as_slice() {
                &[first, second] => Some([first as f64, second as f64]),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether parameters are all that an update changes, by w - lr g.
    pub fn is_plain(self) -> bool {
        let more = ["momentum", "weight_decay", "clip_norm", "ema", "accumulate"];
        self.name() == "sgd" && more.iter().all(|key| self.maybe(key).is_none())
    }

    /// One update, or None for an optimizer that is not known here.
    pub fn update<T: Number>(self, before: &Before<'_, T>) -> Option<After<T>> {
        match self.name() {
            "sgd" => Some(self.sgd(before)),
            "adam" | "adamw" | "lamb" => self.adam(before),
            "rmsprop" => Some(self.rmsprop(before)),
            _ => None,
        }
    }

    fn sgd<T: Number>(self, before: &Before<'_, T>) -> After<T> {
        let gradient = self.decayed(before);
        let mut slots = BTreeMap::new();
        let mut step = gradient.clone();
        if self.maybe("momentum").is_some() {
            let mu = held::<T>(self.number("momentum"));
            let old = before.slot("momentum");
            let velocity = zip(&old, &gradient, |v, g| mu * v + g);
            step = match self.is("nesterov") {
                true => zip(&velocity, &gradient, |v, g| g + mu * v),
                false => velocity.clone(),
            };
            slots.insert("momentum".to_owned(), velocity);
        }
        After {
            weight: zip(before.weight, &step, |w, s| w - before.lr * s),
            slots,
        }
    }

    fn adam<T: Number>(self, before: &Before<'_, T>) -> Option<After<T>> {
        let [first, second] = self.betas()?;
        let name = self.name();
        let decay = held::<T>(self.number("weight_decay"));
        let decays = before.decays && self.maybe("weight_decay").is_some();
        let gradient = match name {
            "adam" => self.decayed(before),
            _ => before.gradient.to_vec(),
        };
        let m = mean(first, &before.slot("m"), &gradient);
        let v = mean(second, &before.slot("v"), &squares(&gradient));
        let weight_of = |beta: f64| {
            let grown = (before.update * held::<T>(beta.ln())).exponential();
            T::from_f64(1.0) - grown
        };
        let corrected = |x: T, beta: f64| match beta == 0.0 {
            true => x,
            false => x / weight_of(beta),
        };
        let eps = held::<T>(self.number("eps"));
        let mut step = zip(&m, &v, |m, v| {
            corrected(m, first) / (corrected(v, second).sqrt() + eps)
        });
        let mut weight = before.weight.to_vec();
        if name == "adamw" && decays {
            let kept = T::from_f64(1.0) - before.lr * decay;
            weight = weight.into_iter().map(|w| w * kept).collect();
        }
        if name == "lamb" {
            if decays {
                step = zip(&step, before.weight, |s, w| s + decay * w);
            }
            let ratio = ratio(norm(before.weight), norm(&step));
            step = step.into_iter().map(|s| ratio * s).collect();
        }
        Some(After {
            weight: zip(&weight, &step, |w, s| w - before.lr * s),
            slots: BTreeMap::from([("m".to_owned(), m), ("v".to_owned(), v)]),
        })
    }

    fn rmsprop<T: Number>(self, before: &Before<'_, T>) -> After<T> {
        let gradient = self.decayed(before);
        let alpha = self.number("alpha");
        let square = mean(alpha, &before.slot("square"), &squares(&gradient));
        let mut slots = BTreeMap::new();
        let mut variance = square.clone();
        if self.is("centered") {
            let average = mean(alpha, &before.slot("mean"), &gradient);
            let zero = T::from_f64(0.0);
            variance = zip(&square, &average, |s, a| (s - a * a).maximum(zero));
            slots.insert("mean".to_owned(), average);
        }
        slots.insert("square".to_owned(), square);
        let eps = held::<T>(self.number("eps"));
        let mut step = zip(&gradient, &variance, |g, v| g / (v.sqrt() + eps));
        if self.maybe("momentum").is_some() {
            let mu = held::<T>(self.number("momentum"));
            step = zip(&before.slot("momentum"), &step, |v, s| mu * v + s);
            slots.insert("momentum".to_owned(), step.clone());
        }
        After {
            weight: zip(before.weight, &step, |w, s| w - before.lr * s),
            slots,
        }
    }

    /// The gradient with what decay adds to it.
    fn decayed<T: Number>(self, before: &Before<'_, T>) -> Numbers<T> {
        if !before.decays || self.maybe("weight_decay").is_none() {
            return before.gradient.to_vec();
        }
        let decay = held::<T>(self.number("weight_decay"));
        zip(before.gradient, before.weight, |g, w| g + decay * w)
    }

    /// All gradients, clipped together, and their norm.
    pub fn clipped<T: Number>(self, gradients: Vec<Numbers<T>>) -> (Vec<Numbers<T>>, Option<T>) {
        let Some(most) = self.maybe("clip_norm") else {
            return (gradients, None);
        };
        let norm = norm(&gradients.concat());
        let most = held::<T>(most);
        if norm.shadow() > most.shadow() && norm.shadow().is_finite() {
            let scale = most / norm;
            let scaled = |g: Numbers<T>| g.into_iter().map(|g| scale * g).collect();
            return (gradients.into_iter().map(scaled).collect(), Some(norm));
        }
        (gradients, Some(norm))
    }

    /// The running average after `new`.
    pub fn average<T: Number>(self, old: &[T], new: &[T]) -> Numbers<T> {
        let part = held::<T>(1.0 - self.number("ema"));
        zip(old, new, |old, new| old + part * (new - old))
    }
}

impl<T: Number> Before<'_, T> {
    fn slot(&self, role: &str) -> Numbers<T> {
        self.slots.get(role).cloned().unwrap_or_default()
    }
}

/// A constant as an f32 program holds it.
fn held<T: Number>(value: f64) -> T {
    T::from_f64(f64::from(value as f32))
}

fn zip<T: Number>(a: &[T], b: &[T], f: impl Fn(T, T) -> T) -> Numbers<T> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn squares<T: Number>(x: &[T]) -> Numbers<T> {
    x.iter().map(|&x| x * x).collect()
}

fn mean<T: Number>(beta: f64, old: &[T], new: &[T]) -> Numbers<T> {
    let (keep, take) = (held::<T>(beta), held::<T>(1.0 - beta));
    zip(old, new, |old, new| keep * old + take * new)
}

fn norm<T: Number>(x: &[T]) -> T {
    let zero = T::from_f64(0.0);
    x.iter().fold(zero, |sum, &x| sum + x * x).sqrt()
}

/// LAMB's: 1 where either length is 0.
fn ratio<T: Number>(weight: T, step: T) -> T {
    match weight.shadow() > 0.0 && step.shadow() > 0.0 {
        true => weight / step,
        false => T::from_f64(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formulas themselves against hand calculation.
    #[test]
    fn first_steps() {
        let float = |value: f64| Attribute::Float(value);
        let text = |name: &str| ("name", Attribute::String(name.to_owned()));
        let betas = || {
            let items = [0.9, 0.999].map(Attribute::Float);
            ("betas", Attribute::Array(items.to_vec()))
        };
        let move_of = |entries: Vec<(&str, Attribute)>, weight: f64, gradient: f64| {
            let entries = entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value));
            let attribute = Attribute::Dict(entries.collect());
            let zero = vec![0.0];
            let roles = ["momentum", "m", "v", "square", "mean"];
            let slots = roles.map(|role| (role.to_owned(), zero.clone()));
            let after = Rule(&attribute).update(&Before {
                weight: &[weight],
                gradient: &[gradient],
                slots: &BTreeMap::from(slots),
                lr: 0.1,
                update: 1.0,
                decays: true,
            });
            after.expect("known").weight[0]
        };
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-7, "{found}, not {expected}");
        };
        let nesterov = vec![
            text("sgd"),
            ("momentum", float(0.9)),
            ("nesterov", Attribute::Bool(true)),
        ];
        near(move_of(nesterov, 0.0, 1.0), -0.19);
        let decay = ("weight_decay", float(0.5));
        near(move_of(vec![text("sgd"), decay.clone()], 1.0, 0.0), 0.95);
        let eps = ("eps", float(1e-8));
        let adam = |name| vec![text(name), betas(), eps.clone(), decay.clone()];
        near(move_of(adam("adam"), 1.0, 0.0), 0.9);
        near(move_of(adam("adamw"), 1.0, 1.0), 0.85);
        near(move_of(adam("adamw"), 1.0, 0.0), 0.95);
        // |w| = 1, |u| = 1 + 0.5: the move is lr times the length of w.
        near(move_of(adam("lamb"), 1.0, 1.0), 0.9);
        // g / sqrt(g^2 / 100) = 10.
        let alpha = vec![text("rmsprop"), ("alpha", float(0.99)), eps];
        near(move_of(alpha, 0.0, 2.0), -1.0);
    }
}
