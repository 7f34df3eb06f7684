//! What is shown of a report, in words.

use super::{ExperimentView, Report, RowView, Value};
use crate::memory::READ;
use crate::papers::unit::{in_words, range, short};

impl Report<'_> {
    /// The machine in a line, and what the marks mean.
    pub fn head(&self) -> String {
        let machine = &self.machine;
        let clock = self.clock.map_or("its clock is not known".to_owned(), |ghz| {
            format!("{ghz:.2} GHz in the middle")
        });
        let effort = if machine.quick { " A quick run: one short pass." } else { "" };
        format!(
            "Ours: {} ({}), {clock}; program {}.{effort} A figure with ~ had a spread above 10 %: the machine was \
             busy with something else.",
            machine.cpu, machine.features, machine.build
        )
    }
}

impl Value {
    /// What stands before a figure that can't be trusted.
    fn mark(&self) -> &'static str {
        if self.is_unquiet() { "~" } else { "" }
    }
}

impl RowView<'_> {
    /// Where our row comes from, as the tables say it.
    pub fn whose(&self) -> String {
        match (&self.absent, self.kernel.as_str()) {
            (Some(absent), _) => format!("absent: {absent}"),
            (None, "") => "not measured".to_owned(),
            (None, kernel) if self.row.engine() == READ => kernel.to_owned(),
            (None, "auto") => self.origin.clone(),
            (None, kernel) => format!("{}, {kernel}", self.origin),
        }
    }

    /// Our figures as text.
    pub fn ours_as_text(&self) -> impl Iterator<Item = String> {
        self.ours.iter().map(|value| {
            value.map_or("-".to_owned(), |value| value.mark().to_owned() + &short(value.value))
        })
    }
}

impl ExperimentView<'_> {
    /// Our figure with its unit.
    pub fn ours_in_words(&self) -> String {
        self.ours.map_or("-".to_owned(), |value| {
            value.mark().to_owned() + &in_words(self.unit, value.value)
        })
    }

    /// The paper's figure or range with its unit.
    pub fn theirs_in_words(&self) -> String {
        range(self.unit, &self.experiment.printed)
    }
}
