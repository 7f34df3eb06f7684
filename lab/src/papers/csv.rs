//! The report as CSV: a line a figure.

use crate::papers::view::{ExperimentView, PartView, Report, RowView, TableView, Value};

/// A line for each figure, the papers' and ours.
pub fn csv(report: &Report<'_>) -> String {
    let mut text = String::from("table,part,row,column,unit,whose,from,kernel,value,spread\n");
    for TableView { table, parts, .. } in &report.tables {
        for part in parts {
            let rows = part.rows.iter().flat_map(|row| of_row(part, row));
            for figure in rows.chain(part.experiments.iter().flat_map(of_experiment)) {
                text += &figure.line(&table.name, &part.part.title);
            }
        }
    }
    text
}

/// What a line says, but for its table and part.
struct Figure<'r> {
    row: &'r str,
    column: &'r str,
    unit: &'r str,
    whose: &'static str,
    from: &'r str,
    kernel: &'r str,
    value: f64,
    spread: Option<f64>,
}

impl Figure<'_> {
    fn line(&self, table: &str, part: &str) -> String {
        let &Figure { row, column, unit, whose, from, kernel, value, spread } = self;
        let value = value.to_string();
        let spread = spread.map_or(String::new(), |spread| spread.to_string());
        let fields = [table, part, row, column, unit, whose, from, kernel, &value, &spread];
        fields.map(escaped).join(",") + "\n"
    }
}

fn of_row<'r>(part: &'r PartView<'_>, view: &'r RowView<'_>) -> Vec<Figure<'r>> {
    let (row, unit) = (view.row.name.as_str(), part.part.unit.name());
    let mut figures = Vec::new();
    for printed in &view.row.printed {
        let values = part.columns.iter().zip(&printed.values);
        figures.extend(values.filter(|(_, value)| !value.is_nan()).map(|(column, &value)| {
            let (whose, from, kernel, spread) = ("theirs", printed.on.as_str(), "", None);
            Figure { row, column, unit, whose, from, kernel, value, spread }
        }));
    }
    let values = part.columns.iter().zip(&view.ours);
    let values = values.filter_map(|(column, value)| Some((column, value.as_ref()?)));
    figures.extend(values.map(|(column, &Value { value, spread })| {
        let (whose, from, kernel) = ("ours", view.origin.as_str(), view.kernel.as_str());
        Figure { row, column, unit, whose, from, kernel, value, spread: Some(spread) }
    }));
    figures
}

fn of_experiment<'r>(view: &'r ExperimentView<'_>) -> Vec<Figure<'r>> {
    let (row, column, unit, kernel) = (view.experiment.name.as_str(), "", view.unit.name(), "");
    let theirs = view.experiment.printed.iter().map(|&value| {
        let (whose, from, spread) = ("theirs", view.experiment.paper.as_str(), None);
        Figure { row, column, unit, whose, from, kernel, value, spread }
    });
    let ours = view.ours.iter().map(|&Value { value, spread }| {
        let (whose, from, spread) = ("ours", "", Some(spread));
        Figure { row, column, unit, whose, from, kernel, value, spread }
    });
    theirs.chain(ours).collect()
}

/// A field that can't end early.
fn escaped(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
