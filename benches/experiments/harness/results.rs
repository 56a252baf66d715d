//! The results of a machine, as a file.

use super::Failure;
use super::outcome::Outcome;
use crate::support::report::write_json;
use serde_json::{Map, Value, json};
use std::path::Path;

/// All that was found on a machine.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Its name, that of the file.
    pub name: String,
    /// Processor, device, versions, as pairs of a name and a value.
    pub about: Vec<(String, String)>,
    /// By experiment.
    pub outcomes: Vec<(String, Outcome)>,
}

impl Machine {
    /// Reads a file; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Machine>, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", path.display()).into()),
        };
        let value: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let about = value["about"].as_array().into_iter().flatten();
        let outcomes = value["experiments"].as_object().into_iter().flatten();
        Ok(Some(Machine {
            name: text(&value["machine"]),
            about: about.map(|pair| (text(&pair[0]), text(&pair[1]))).collect(),
            outcomes: outcomes.map(|(name, outcome)| (name.clone(), Outcome::from_json(outcome))).collect(),
        }))
    }

    /// Puts in the outcome of an experiment, in the place of an earlier one.
    pub fn put(&mut self, name: &str, about: Vec<(String, String)>, experiment: &str, outcome: Outcome) {
        self.name = name.into();
        self.about = about;
        self.outcomes.retain(|(known, _)| known != experiment);
        self.outcomes.push((experiment.into(), outcome));
    }

    /// The outcome of an experiment, if it ran.
    pub fn outcome(&self, experiment: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|(name, _)| name == experiment).map(|(_, outcome)| outcome)
    }

    /// Writes the file, creating its folder if necessary.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let outcomes: Map<String, Value> =
            self.outcomes.iter().map(|(name, outcome)| (name.clone(), outcome.to_json())).collect();
        let about: Vec<Value> = self.about.iter().map(|(what, is)| json!([what, is])).collect();
        write_json(path, &json!({ "machine": self.name, "about": about, "experiments": outcomes }))?;
        Ok(())
    }
}
