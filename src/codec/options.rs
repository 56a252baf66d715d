//! Options of codecs: what a caller may choose when a list is encoded, by name.
//!
//! A codec lists its options in `OPTIONS`. Those that are not given have their default, or are chosen by the codec for
//! each list. A list remembers the options of its encoding in words of its own (format version 2), one per option; none
//! of them is needed to decode it.

use crate::base::error::{Error, Result};

/// The most options that a codec has.
const MOST: usize = 3;

/// An option of a codec.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionOf {
    /// Its name, as the literature has it.
    pub name: &'static str,
    /// The smallest and the largest value.
    pub range: (f64, f64),
    /// Whether it is a whole number.
    pub is_whole: bool,
    /// What a whole number must be a multiple of.
    pub unit: u32,
    /// Its value if it is not given; `None` if the codec then chooses one for each list.
    pub default: Option<f64>,
}

impl OptionOf {
    /// An option that is a whole number.
    pub const fn whole(name: &'static str, least: u32, most: u32, default: Option<u32>) -> OptionOf {
        let default = match default {
            Some(default) => Some(default as f64),
            None => None,
        };
        OptionOf { name, range: (least as f64, most as f64), is_whole: true, unit: 1, default }
    }

    /// An option that is a number with a fraction. Lists remember its nearest `f32`.
    pub const fn fraction(name: &'static str, least: f64, most: f64, default: f64) -> OptionOf {
        OptionOf { name, range: (least, most), is_whole: false, unit: 1, default: Some(default) }
    }

    /// The same option, of which only multiples of `unit` are values.
    pub const fn multiple_of(mut self, unit: u32) -> OptionOf {
        self.unit = unit;
        self
    }

    fn accepts(&self, value: f64) -> bool {
        // Written so that NaN is refused.
        let in_range = self.range.0 <= value && value <= self.range.1;
        in_range && (!self.is_whole || value % f64::from(self.unit) == 0.0)
    }

    fn describe(&self) -> String {
        let kind = match (self.is_whole, self.unit) {
            (false, _) => "a number".into(),
            (true, 1) => "a whole number".into(),
            (true, unit) => format!("a multiple of {unit}"),
        };
        format!("{kind} from {} to {}", self.range.0, self.range.1)
    }
}

/// A value for each option of a codec, in the order of its `OPTIONS`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    values: [Option<f64>; MOST],
}

impl Options {
    /// The defaults of these options.
    pub fn defaults(options: &[OptionOf]) -> Options {
        assert!(options.len() <= MOST);
        Options { values: std::array::from_fn(|at| options.get(at).and_then(|option| option.default)) }
    }

    /// The defaults of these options of `codec`, but with the values that are given by name.
    ///
    /// # Errors
    /// [`Error::Argument`] for an option that the codec does not have, and for a value out of range.
    pub fn named(codec: &str, options: &[OptionOf], given: &[(&str, f64)]) -> Result<Options> {
        let mut all = Options::defaults(options);
        for &(name, value) in given {
            let Some(at) = options.iter().position(|option| option.name == name) else {
                let known: Vec<&str> = options.iter().map(|option| option.name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Error::Argument(format!("{codec} has no option '{name}' (it has: {known})")));
            };
            if !options[at].accepts(value) {
                let wanted = options[at].describe();
                return Err(Error::Argument(format!("{codec}: option '{name}' must be {wanted}, {value} given")));
            }
            all.values[at] = Some(value);
        }
        Ok(all)
    }

    /// The value of the option at that index, `None` if the codec is to choose it.
    pub fn get(&self, at: usize) -> Option<f64> {
        self.values[at]
    }

    /// [`get`](Self::get) for a whole number.
    pub fn whole(&self, at: usize) -> Option<u32> {
        self.values[at].map(|value| value as u32)
    }

    /// Sets the option at that index, if it is still open.
    pub fn settle(&mut self, at: usize, value: u32) {
        self.values[at].get_or_insert(f64::from(value));
    }

    /// The words in which a list remembers its options.
    pub(crate) fn to_words(self, options: &[OptionOf]) -> Vec<u32> {
        let word = |(option, value): (&OptionOf, Option<f64>)| match value {
            Some(value) if option.is_whole => value as u32,
            Some(value) => (value as f32).to_bits(),
            None => u32::MAX,
        };
        options.iter().zip(self.values).map(word).collect()
    }

    /// Reads what [`to_words`](Self::to_words) wrote; the index of the first word that is no value of its option if
    /// there is one. There are as many words as options.
    pub(crate) fn from_words(options: &[OptionOf], words: &[u32]) -> std::result::Result<Options, usize> {
        let mut all = Options { values: [None; MOST] };
        for (at, (option, &word)) in options.iter().zip(words).enumerate() {
            if word == u32::MAX && option.default.is_none() {
                continue;
            }
            let value = if option.is_whole { f64::from(word) } else { f64::from(f32::from_bits(word)) };
            // The nearest f32 may lie just outside of the range.
            let nearest = |bound: f64| f64::from(bound as f32);
            let in_range =
                option.accepts(value) || value == nearest(option.range.0) || value == nearest(option.range.1);
            if !in_range {
                return Err(at);
            }
            all.values[at] = Some(value);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[OptionOf] = &[OptionOf::whole("b", 0, 31, None), OptionOf::fraction("exceptions", 0.0, 0.6, 0.1)];

    #[test]
    fn defaults_and_names() {
        let options = Options::named("x", OPTIONS, &[("exceptions", 0.25)]).unwrap();
        assert_eq!((options.whole(0), options.get(1)), (None, Some(0.25)));
        assert_eq!(Options::named("x", OPTIONS, &[]).unwrap(), Options::defaults(OPTIONS));
        for (name, value) in [("c", 1.0), ("b", 32.0), ("b", 0.5), ("b", -1.0), ("exceptions", f64::NAN)] {
            let error = Options::named("x", OPTIONS, &[(name, value)]).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn multiples() {
        let options = [OptionOf::whole("segment", 64, 128, Some(64)).multiple_of(32)];
        assert_eq!(Options::named("x", &options, &[("segment", 96.0)]).unwrap().whole(0), Some(96));
        let error = Options::named("x", &options, &[("segment", 65.0)]).unwrap_err().to_string();
        assert!(error.contains("a multiple of 32 from 64 to 128"), "{error}");
        assert_eq!(Options::from_words(&options, &[65]), Err(0));
    }

    #[test]
    fn words_come_back() {
        for given in [&[][..], &[("b", 7.0)], &[("exceptions", 0.6)], &[("b", 0.0), ("exceptions", 0.0)]] {
            let options = Options::named("x", OPTIONS, given).unwrap();
            let words = options.to_words(OPTIONS);
            let again = Options::from_words(OPTIONS, &words).unwrap();
            assert_eq!(again.to_words(OPTIONS), words);
            assert_eq!(again.whole(0), options.whole(0));
        }
        assert_eq!(Options::from_words(OPTIONS, &[32, 0]), Err(0));
        assert_eq!(Options::from_words(OPTIONS, &[0, f32::NAN.to_bits()]), Err(1));
        assert_eq!(Options::from_words(OPTIONS, &[0, 0.7f32.to_bits()]), Err(1));
    }
}
