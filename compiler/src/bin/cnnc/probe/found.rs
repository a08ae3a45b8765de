//! What a probe of the pools has found.

use cnnc::certify::twins::{Image, Kind, Pool, Reading, Survey, Tally};
use cnnc_runtime::data::Dataset;
use serde_json::{Value as Json, json};

use super::recheck::Exactly;

/// What was found so far.
pub struct Found {
    survey: Survey,
    pools: Vec<Tally>,
    images: Vec<Image>,
    otherwise: Vec<usize>,
    /// What exact arithmetic says of images with ties of the last kind.
    pub rechecked: Vec<Exactly>,
}

impl Found {
    pub fn new(pools: &[Pool]) -> Self {
        Found {
            survey: Survey::default(),
            pools: vec![Tally::default(); pools.len()],
            images: Vec::new(),
            otherwise: Vec::new(),
            rechecked: Vec::new(),
        }
    }

    /// Counts an image; keeps it where each is to be shown.
    pub fn add(&mut self, dataset: &Dataset, index: usize, readings: &[Reading], keep: bool) {
        let mut image = Image {
            index,
            label: dataset.label(index).unwrap_or(0),
            tally: Tally::default(),
        };
        for (sum, reading) in self.pools.iter_mut().zip(readings) {
            sum.add(&reading.tally);
            image.tally.add(&reading.tally);
        }
        self.survey.add(&image);
        if !image.tally.satisfied() {
            self.otherwise.push(index);
        }
        if keep {
            self.images.push(image);
        }
    }

    /// Images with ties that are not between twins.
    pub fn otherwise(&self) -> impl Iterator<Item = usize> {
        self.otherwise.iter().copied()
    }

    /// As JSON.
    pub fn json(&self, pools: &[Pool], places: &[String]) -> Json {
        let each = pools.iter().zip(places).zip(&self.pools);
        let each: Vec<Json> = each
            .map(|((pool, place), tally)| {
                json!({"name": pool.name, "place": place, "windows": tally})
            })
            .collect();
        let mut whole = json!(self.survey);
        if let Some(entries) = whole.as_object_mut() {
            entries.insert("pools".to_owned(), each.into());
            entries.insert("otherwise".to_owned(), json!(self.otherwise));
            entries.insert("exactly".to_owned(), json!(self.rechecked));
            if !self.images.is_empty() {
                entries.insert("each".to_owned(), json!(self.images));
            }
        }
        whole
    }

    /// In words.
    pub fn text(&self, pools: &[Pool], places: &[String]) -> String {
        let mut text = String::new();
        for ((pool, place), tally) in pools.iter().zip(places).zip(&self.pools) {
            text.push_str(&format!(
                "{} at {place}: {} windows\n",
                pool.name,
                tally.windows()
            ));
            for kind in Kind::ALL {
                let count = tally.count(kind);
                let percent = count as f64 / tally.windows().max(1) as f64 * 100.0;
                text.push_str(&format!(
                    "  {:<18} {count:>12} {percent:>7.2} %\n",
                    kind.name()
                ));
            }
        }
        let survey = &self.survey;
        let mut line = |count: usize, what: &str| {
            text.push_str(&format!("{count:>6} {what}\n"));
        };
        line(survey.images, "images");
        line(
            survey.satisfied,
            "in which every window is dead, has one maximum or is tied between twins",
        );
        line(
            survey.one_maximum_everywhere,
            "in which every window has one maximal cell",
        );
        line(
            survey.with_constant_patch,
            "with a window over a constant patch",
        );
        line(survey.with_twins, "with a window tied between twins");
        text.push_str(&self.in_exact_arithmetic());
        if let (Some(gap), Some(image)) = (survey.windows.gap, survey.closest) {
            text.push_str(&format!(
                "closest maximum and next cell: {gap:e} apart, in image {image}\n"
            ));
        }
        if survey.windows.split > 0 {
            text.push_str(&format!(
                "{} windows have twins of their maximum that rounding sets apart\n",
                survey.windows.split
            ));
        }
        text
    }

    /// What became of the ties that are not between twins.
    fn in_exact_arithmetic(&self) -> String {
        let rounded = self.rechecked.iter().filter(|exactly| exactly.rounded());
        let rounded = rounded.count();
        let mut text = String::new();
        if rounded > 0 {
            text.push_str(&format!(
                "{rounded:>6} in which rounding to f32 makes the ties: exact values are apart\n"
            ));
        }
        let others = self.rechecked.iter().filter(|exactly| !exactly.rounded());
        for exactly in others {
            text.push_str(&format!(
                "image {} in exact arithmetic: {} windows tied otherwise, {} undecided\n",
                exactly.index, exactly.tied, exactly.undecided
            ));
        }
        let more = self.otherwise.len() - self.rechecked.len();
        if more > 0 {
            text.push_str(&format!("{more:>6} with ties were not looked at again\n"));
        }
        text
    }
}
