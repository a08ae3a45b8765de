//! What was measured.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::form::Form;

/// Times of forms, by the key of what they are forms of, and flags for IREE,
/// by the fingerprint of a training step.
///
/// Those of one kind of machine: the caller keeps them apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    /// Nanoseconds.
    times: BTreeMap<String, BTreeMap<String, u64>>,
    flags: BTreeMap<String, Vec<String>>,
}

impl Costs {
    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty() && self.flags.is_empty()
    }

    /// How many choices are known.
    pub fn choices(&self) -> usize {
        self.times.len()
    }

    /// Of `forms` the fastest. The first, which would be taken unmeasured, gives
    /// way only to one that is faster by a twentieth: less is noise.
    pub(in crate::tune) fn fastest(&self, key: &str, forms: &[Form]) -> Option<Form> {
        let first = forms.first().copied()?;
        let Some(times) = self.times.get(key) else {
            return Some(first);
        };
        let time = |form: Form| times.get(form.name()).copied();
        let known = forms.iter().filter_map(|&form| Some((time(form)?, form)));
        let Some((least, best)) = known.min_by_key(|&(time, _)| time) else {
            return Some(first);
        };
        let much = |first: u64| least.saturating_mul(20) < first.saturating_mul(19);
        Some(if time(first).is_none_or(much) {
            best
        } else {
            first
        })
    }

    /// Keeps the nanoseconds of each form of `key`, instead of what was known.
    pub fn insert(&mut self, key: &str, times: impl IntoIterator<Item = (Form, u64)>) {
        let times = times
            .into_iter()
            .map(|(form, time)| (form.name().to_owned(), time));
        self.times.insert(key.to_owned(), times.collect());
    }

    /// Forgets what was measured for `key`. Whether anything was known.
    pub fn remove(&mut self, key: &str) -> bool {
        self.times.remove(key).is_some()
    }

    /// Whether flags help any training step.
    pub fn has_flags(&self) -> bool {
        !self.flags.is_empty()
    }

    /// Flags for IREE that make the training step of this fingerprint faster.
    pub fn flags(&self, fingerprint: &str) -> &[String] {
        self.flags.get(fingerprint).map_or(&[], Vec::as_slice)
    }

    /// Keeps such flags, or that none help. Whether any were known.
    pub fn set_flags(&mut self, fingerprint: &str, flags: Vec<String>) -> bool {
        let known = match flags.is_empty() {
            true => self.flags.remove(fingerprint),
            false => self.flags.insert(fingerprint.to_owned(), flags),
        };
        known.is_some()
    }

    /// As JSON: `times`, nanoseconds by key and form, and `flags`, by fingerprint.
    pub fn to_json(&self) -> Json {
        json!({"times": self.times, "flags": self.flags})
    }

    /// What [`Costs::to_json`] gave; `None` for anything else.
    pub fn from_json(json: &Json) -> Option<Self> {
        let entries = |key: &str| json.get(key).and_then(Json::as_object);
        let mut costs = Costs::default();
        for (key, times) in entries("times")? {
            let times: Option<BTreeMap<String, u64>> = times
                .as_object()?
                .iter()
                .map(|(form, time)| Some((form.clone(), time.as_u64()?)))
                .collect();
            costs.times.insert(key.clone(), times?);
        }
        for (key, flags) in entries("flags").unwrap_or(&Map::new()) {
            let flags = flags.as_array()?.iter();
            let flags: Option<Vec<String>> =
                flags.map(|flag| Some(flag.as_str()?.to_owned())).collect();
            costs.flags.insert(key.clone(), flags?);
        }
        Some(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 3] = [Form::Flattened, Form::Strided, Form::FewPixels];

    fn chosen(times: &[(Form, u64)]) -> Form {
        let mut costs = Costs::default();
        costs.insert("k", times.iter().copied());
        costs.fastest("k", &FORMS).unwrap()
    }

    #[test]
    fn the_fastest_is_chosen() {
        use Form::{Direct, FewPixels, Flattened, Strided};
        assert_eq!(
            chosen(&[(Flattened, 100), (Strided, 50), (FewPixels, 60)]),
            Strided
        );
        // What is not measured is not known to be faster, what is not offered does not count.
        assert_eq!(chosen(&[(FewPixels, 60)]), FewPixels);
        assert_eq!(chosen(&[(Direct, 1)]), Flattened);
        assert_eq!(chosen(&[]), Flattened);
        assert_eq!(Costs::default().fastest("k", &FORMS), Some(Flattened));
        assert_eq!(Costs::default().fastest("k", &[]), None);
    }

    #[test]
    fn noise_changes_nothing() {
        let with = |time| chosen(&[(Form::Flattened, 1000), (Form::Strided, time)]);
        assert_eq!(with(950), Form::Flattened);
        assert_eq!(with(949), Form::Strided);
    }

    #[test]
    fn json_is_read_back() {
        let mut costs = Costs::default();
        costs.insert("a", [(Form::Direct, 7), (Form::Products, 9)]);
        assert!(!costs.set_flags("f", vec!["--x".to_owned()]));
        assert!(!costs.set_flags("g", Vec::new()));
        assert_eq!(Costs::from_json(&costs.to_json()), Some(costs.clone()));
        assert_eq!(
            (costs.flags("f"), costs.flags("g")),
            (&["--x".to_owned()][..], &[][..])
        );
        let mut less = costs.clone();
        assert!(less.remove("a") && !less.remove("a") && less.set_flags("f", Vec::new()));
        assert!(less.is_empty());
        for wrong in [
            "[]",
            "{}",
            r#"{"times": {"a": 1}}"#,
            r#"{"times": {"a": {"b": -1}}}"#,
        ] {
            assert_eq!(
                Costs::from_json(&serde_json::from_str(wrong).unwrap()),
                None
            );
        }
    }
}
