//! [`Condition`] and [`Filter`]: what hits must meet besides the query.

use crate::base::earth::Origin;
use crate::base::earth::area::Area;
use crate::base::error::{Error, Result};
use crate::index::segment::{Allowed, Segment};
use crate::index::{Id, Kind, Schema};
use crate::list::PostingList;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What a document is to be. Fields are named by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of them hold; of none, every document.
    All(Vec<Condition>),
    /// At least one of them holds; of none, no document.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// A keyword field has one of these values.
    Keywords(usize, Vec<Vec<u8>>),
    /// A numeric field has a number of at least the first and at most the second; infinite ones are no bounds.
    Range(usize, f64, f64),
    /// A numeric field has one of these numbers.
    Numbers(usize, Vec<f64>),
    /// A geo field has a point in this area.
    Within(usize, Area),
    /// A keyword, numeric or geo field has a value, a text field a word.
    Exists(usize),
    /// The document has one of these ids.
    Ids(Vec<Id>),
    /// The document has one of these docIDs, of the snapshot that is searched.
    DocIds(DocIds),
}

/// What any number is in.
pub(super) const EVERYTHING: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Condition {
    /// From where to where documents that it holds for have a number of the field, as far as that is told by its ranges.
    pub(super) fn range_of(&self, field: usize) -> (f64, f64) {
        match self {
            Condition::Range(other, low, high) if *other == field => (*low, *high),
            Condition::All(of) => of
                .iter()
                .map(|of| of.range_of(field))
                .fold(EVERYTHING, |(low, high), other| (low.max(other.0), high.min(other.1))),
            _ => EVERYTHING,
        }
    }

    /// Whether it has docIDs, or a condition in it has.
    pub(super) fn names_doc_ids(&self) -> bool {
        match self {
            Condition::All(of) | Condition::Any(of) => of.iter().any(Condition::names_doc_ids),
            Condition::Not(of) => of.names_doc_ids(),
            other => matches!(other, Condition::DocIds(_)),
        }
    }

    /// Appends bytes that tell it from all others, and returns whether there are such: ids and docIDs are seldom the same again.
    fn write_key(&self, key: &mut Vec<u8>) -> bool {
        let (tag, field, count) = match self {
            Condition::All(of) => (0, 0, of.len()),
            Condition::Any(of) => (1, 0, of.len()),
            Condition::Not(_) => (2, 0, 1),
            Condition::Keywords(field, values) => (3, *field, values.len()),
            Condition::Range(field, ..) => (4, *field, 2),
            Condition::Numbers(field, numbers) => (5, *field, numbers.len()),
            Condition::Within(field, _) => (6, *field, 1),
            Condition::Exists(field) => (7, *field, 0),
            Condition::Ids(_) | Condition::DocIds(_) => return false,
        };
        key.push(tag);
        key.extend([field, count].into_iter().flat_map(|number| (number as u32).to_le_bytes()));
        match self {
            Condition::All(of) | Condition::Any(of) => return of.iter().all(|of| of.write_key(key)),
            Condition::Not(of) => return of.write_key(key),
            Condition::Keywords(_, values) if values.iter().map(Vec::len).sum::<usize>() > KEY_BYTES => return false,
            _ => {}
        }
        let mut part = |bytes: &[u8]| {
            key.extend((bytes.len() as u32).to_le_bytes());
            key.extend(bytes);
        };
        match self {
            Condition::Keywords(_, values) => values.iter().for_each(|value| part(value)),
            Condition::Range(_, low, high) => [low, high].into_iter().for_each(|bound| part(&bound.to_le_bytes())),
            Condition::Numbers(_, numbers) => numbers.iter().for_each(|number| part(&number.to_le_bytes())),
            Condition::Within(_, area) => part(format!("{area:?}").as_bytes()),
            _ => {}
        }
        true
    }

    /// How many values, numbers and ids it has, those of conditions in it included.
    pub(super) fn values(&self) -> usize {
        match self {
            Condition::All(of) | Condition::Any(of) => of.iter().map(Condition::values).fold(0, usize::saturating_add),
            Condition::Not(of) => of.values(),
            Condition::Keywords(_, values) => values.len(),
            Condition::Numbers(_, numbers) => numbers.len(),
            Condition::Ids(ids) => ids.len(),
            Condition::Range(..) | Condition::Within(..) | Condition::Exists(_) | Condition::DocIds(_) => 1,
        }
    }

    /// The first circle in it: its field, and from where its radius is measured.
    pub(super) fn first_origin(&self) -> Option<(usize, Origin)> {
        match self {
            Condition::All(of) | Condition::Any(of) => of.iter().find_map(Condition::first_origin),
            Condition::Not(of) => of.first_origin(),
            Condition::Within(field, Area::Circle(circle)) => Some((*field, circle.origin())),
            _ => None,
        }
    }
}

/// docIDs, which are equal if they are the same.
#[derive(Clone)]
pub struct DocIds(pub PostingList);

impl PartialEq for DocIds {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&other.0) || self.0.equals(&other.0)
    }
}

impl fmt::Debug for DocIds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} docIDs", self.0.len())
    }
}

/// How deep conditions are nested at most: what goes through them calls itself.
pub const MOST_DEPTH: usize = 64;

/// Segments know filters again that have at most so many values, and so many bytes of these.
const KEY_VALUES: usize = 256;
const KEY_BYTES: usize = 4 << 10;

/// The most conditions of a filter, those that combine others included. Values, ids and docIDs of a condition are not counted.
pub const MOST_CONDITIONS: usize = 10_000;

/// Documents of a segment that pass; all if there is none.
pub(super) type Passing = Option<Arc<Allowed>>;

/// A condition that is checked once, and of which each segment is asked once, however many queries and threads share it.
///
/// Clones share the sets, which take a bit per document of the index while a clone exists.
#[derive(Clone, Default)]
pub struct Filter(Option<Arc<Shared>>);

struct Shared {
    condition: Condition,
    /// By which segments know it again.
    key: Option<Box<[u8]>>,
    /// By the number of the segment's identity.
    sets: Mutex<HashMap<u64, Passing>>,
}

impl Filter {
    /// A filter; its values, numbers and ids are put in order, which takes the time of sorting them.
    ///
    /// # Errors
    /// [`Error::Argument`] if conditions are nested deeper than [`MOST_DEPTH`], are more than [`MOST_CONDITIONS`], or a bound
    /// is not a number.
    pub fn new(mut condition: Condition) -> Result<Filter> {
        arrange(&mut condition, MOST_DEPTH, &mut 0)?;
        if matches!(&condition, Condition::All(all) if all.is_empty()) {
            return Ok(Filter::default());
        }
        Ok(Filter::of(condition))
    }

    fn of(condition: Condition) -> Filter {
        let mut key = Vec::new();
        let has_key = condition.values() <= KEY_VALUES && condition.write_key(&mut key) && key.len() <= KEY_BYTES;
        Filter(Some(Arc::new(Shared { condition, key: has_key.then(|| key.into()), sets: Mutex::default() })))
    }

    /// What must hold, if anything.
    pub fn condition(&self) -> Option<&Condition> {
        self.0.as_deref().map(|shared| &shared.condition)
    }

    /// What passes this and meets a condition without values.
    pub(super) fn and(&self, within: Condition) -> Filter {
        let condition = match self.condition() {
            Some(condition) => Condition::All(vec![within, condition.clone()]),
            None => within,
        };
        // Each visitor is in another place.
        Filter(Some(Arc::new(Shared { condition, key: None, sets: Mutex::default() })))
    }

    /// Whether every document passes.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The set of a segment, which `make` makes the first time.
    pub(super) fn in_segment(
        &self,
        segment: &Segment,
        make: impl FnOnce(&Condition) -> Result<Allowed>,
    ) -> Result<Passing> {
        let Some(shared) = &self.0 else { return Ok(None) };
        let sets = || shared.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let key = segment.identity().number();
        if let Some(set) = sets().get(&key) {
            return Ok(set.clone());
        }
        // Threads that come at the same time make it each for itself, and the first one is kept.
        let make = || make(&shared.condition);
        let set = match &shared.key {
            Some(key) => segment.passing(key, make)?,
            None => Arc::new(make()?),
        };
        Ok(sets().entry(key).or_insert(Some(set)).clone())
    }
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.condition() == other.condition()
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.condition().fmt(f)
    }
}

fn arrange(condition: &mut Condition, depth: usize, count: &mut usize) -> Result<()> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::Argument(format!("conditions are nested deeper than {MOST_DEPTH}")));
    };
    *count += 1;
    if *count > MOST_CONDITIONS {
        return Err(Error::Argument(format!("there are more than {MOST_CONDITIONS} conditions")));
    }
    let not_a_number = || Err(Error::Argument("a condition compares with what is not a number".into()));
    match condition {
        Condition::All(of) | Condition::Any(of) => {
            return of.iter_mut().try_for_each(|condition| arrange(condition, depth, count));
        }
        Condition::Not(of) => return arrange(of, depth, count),
        Condition::Keywords(_, values) => {
            values.sort_unstable();
            values.dedup();
        }
        Condition::Range(_, low, high) if low.is_nan() || high.is_nan() => return not_a_number(),
        Condition::Numbers(_, numbers) => {
            if numbers.iter().any(|number| number.is_nan()) {
                return not_a_number();
            }
            // -0 is 0.
            numbers.iter_mut().for_each(|number| *number += 0.0);
            numbers.sort_unstable_by(f64::total_cmp);
            numbers.dedup();
        }
        Condition::Ids(ids) => {
            ids.sort_unstable();
            ids.dedup();
        }
        Condition::Range(..) | Condition::Within(..) | Condition::Exists(_) | Condition::DocIds(_) => (),
    }
    Ok(())
}

/// Checks that conditions fit their fields.
///
/// # Errors
/// [`Error::Argument`], which names the field.
pub(super) fn check(condition: &Condition, schema: &Schema) -> Result<()> {
    let (field, fits, how): (usize, fn(Kind) -> bool, &str) = match condition {
        Condition::All(of) | Condition::Any(of) => return of.iter().try_for_each(|of| check(of, schema)),
        Condition::Not(of) => return check(of, schema),
        Condition::Ids(_) | Condition::DocIds(_) => return Ok(()),
        Condition::Keywords(field, _) => (*field, |kind| kind == Kind::Keyword, "by values"),
        Condition::Range(field, ..) => (*field, |kind| kind == Kind::Numeric, "by a range"),
        Condition::Numbers(field, _) => (*field, |kind| kind == Kind::Numeric, "by numbers"),
        Condition::Within(field, _) => (*field, |kind| kind == Kind::Geo, "by an area"),
        Condition::Exists(field) => (*field, |kind| kind != Kind::Stored, "at all, as it is only stored"),
    };
    let named = schema.fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
    if fits(named.kind) {
        return Ok(());
    }
    Err(Error::Argument(format!("the field {} cannot be filtered {how}", named.name)))
}
