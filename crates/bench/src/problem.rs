//! [`Problem`]: a formula with its data and room for its results, ready to be run over and over.

use crate::data::Number;
use crate::npy::{self, Entry};
use keops::{Error, Level};
use ndarray::{Array, Array2, Dimension};
use std::io;
use std::path::Path;

/// What can be run and saved, whatever its number type.
pub trait Run {
    /// Computes the results once more, over the old ones.
    ///
    /// # Errors
    /// Those of the call.
    fn run(&mut self, level: Level) -> Result<(), Error>;

    /// Saves the inputs as `DIRECTORY/NAME.npy`.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn save_inputs(&self, directory: &Path) -> io::Result<()>;

    /// Saves the results.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn save_output(&self, file: &Path) -> io::Result<()>;
}

/// A call with these inputs, into that output.
pub type Call<T, A, I, const V: usize> = fn(&[Array2<T>; V], &mut Array<A, I>, Level) -> Result<(), Error>;

/// A formula with its data and room for its results.
pub struct Problem<T, A, I, const V: usize> {
    /// What the inputs are called.
    pub names: [&'static str; V],
    /// The inputs, in the order of the formula's variables.
    pub inputs: [Array2<T>; V],
    /// Where the results go.
    pub output: Array<A, I>,
    /// The call.
    pub run: Call<T, A, I, V>,
}

impl<T: Number, A: Entry, I: Dimension, const V: usize> Run for Problem<T, A, I, V> {
    fn run(&mut self, level: Level) -> Result<(), Error> {
        (self.run)(&self.inputs, &mut self.output, level)
    }

    fn save_inputs(&self, directory: &Path) -> io::Result<()> {
        self.names
            .iter()
            .zip(&self.inputs)
            .try_for_each(|(name, table)| npy::write(&directory.join(format!("{name}.npy")), table))
    }

    fn save_output(&self, file: &Path) -> io::Result<()> {
        npy::write(file, &self.output)
    }
}
