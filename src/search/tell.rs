//! An index tells the [`Statistics`] of some queries: their plans are made, and what these ask for is noted.

use super::Index;
use super::asked::Asked;
use super::options::Options;
use super::plan::QueryPlan;
use super::statistics::{Statistics, Whole};
use crate::base::error::Result;
use std::cell::RefCell;

impl Index {
    /// What searches for these queries with these options need to know of the documents of this index. With
    /// [statistics](Options::statistics), those of a sum for instance, also of all that searches by these ask for: a second
    /// round. What a term costs is looking it up; prefixes and fuzzy words cost what searching for them does.
    ///
    /// # Errors
    /// As [`Index::search`]; [`Error::Expired`](crate::Error::Expired).
    pub fn statistics<'q, Q: Copy + Into<Asked<'q>>>(&self, queries: &[Q], options: &Options) -> Result<Statistics> {
        self.check_files()?;
        let own = RefCell::new(Statistics::of(self));
        let whole = Whole::gathering(self, options, &own)?;
        let clock = options.end().clock();
        for &query in queries {
            // Scores of terms with weights depend on nothing else.
            let words = Asked { text: query.into().text, ..Asked::default() };
            QueryPlan::with(self, &whole, words, options, &clock)?;
        }
        Ok(own.into_inner())
    }
}
