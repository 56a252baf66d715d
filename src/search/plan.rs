//! [`QueryPlan`]: a query as leaves with weights, for all segments alike.

use super::Index;
use super::asked::Asked;
use super::expansion::{Budget, Class, Expansion, expand};
use super::leaf::{Leaf, Leaves, Values, Weighted, look_up_in, weighted};
use super::options::{Matching, Options};
use super::read::{Part, cut, typed};
use super::statistics::Whole;
use crate::base::error::{Error, Result};
use crate::index::{Field, Kind, Schema};
use crate::query::{Atom, Clause};
use crate::rank::{Clock, Norms};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A clause: in each field in which it is searched, a leaf.
pub(super) struct PlannedClause {
    /// Whether documents must have it, even if they need not have all clauses.
    pub(super) required: bool,
    /// Whether they need not have it, even if they must have all: an analyzer [leaves it out](super::read).
    pub(super) optional: bool,
    /// A document has the clause if it has one of them.
    pub(super) leaves: Leaves,
}

impl PlannedClause {
    /// Whether documents must have it, if they must have all clauses or need not.
    pub(super) fn is_required(&self, needs_all: bool) -> bool {
        self.required || needs_all && !self.optional
    }
}

/// A query for all segments.
pub(super) struct QueryPlan {
    /// Clauses that count for the score.
    pub(super) clauses: Vec<PlannedClause>,
    /// What excludes documents.
    pub(super) excluded: Vec<Weighted>,
    /// Whether nothing can match.
    pub(super) nothing: bool,
    /// Whether no document has all clauses, as one of them is in none.
    pub(super) none_has_all: bool,
    /// By field number; `None` for fields that are not searched.
    pub(super) norms: SmallVec<[Option<Arc<Norms>>; 8]>,
    /// If documents must have all clauses: the order in which their postings are to be found, where it is worth it that the
    /// first provides the documents [among](super::among) which the others are put together.
    pub(super) rarest_first: Option<Vec<usize>>,
}

/// Other clauses are put together among the documents of one that has at most one in so many of their postings.
const WORTH: u64 = 2;

impl QueryPlan {
    /// # Errors
    /// [`Error::Argument`] for weights that do not fit; [`Error::Corrupt`]; [`Error::Expired`]; [`Error::Statistics`].
    pub(super) fn new(index: &Index, asked: Asked<'_>, options: &Options, clock: &Clock) -> Result<QueryPlan> {
        QueryPlan::with(index, &Whole::new(index, options)?, asked, options, clock)
    }

    /// The same, where `whole` says what it has to know of all documents.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn with(
        index: &Index,
        whole: &Whole,
        asked: Asked<'_>,
        options: &Options,
        clock: &Clock,
    ) -> Result<QueryPlan> {
        let text = asked.text;
        let weights = weights(index, options)?;
        let texts = texts(index, options)?;
        let queries = index.read(text, &texts, options);
        let is_searched = |field: &usize| weights[*field] > 0.0 || options.fields.is_some();
        let searched: Fields = texts.iter().copied().filter(is_searched).collect();
        let mut typed = typed(index.analyzed(), &queries, &texts, &searched);
        let wanted = typed.iter().any(|typed| !typed.clause.exclude);
        let typed_something = !text.trim().is_empty();
        let mut plan = QueryPlan {
            clauses: Vec::with_capacity(typed.len()),
            excluded: Vec::new(),
            // Text without any words finds nothing; no text at all finds everything.
            nothing: typed_something && typed.is_empty() && asked.weighted.is_empty(),
            none_has_all: false,
            norms: smallvec![None; weights.len()],
            rarest_first: None,
        };
        cut(&mut typed);
        let mut expanded: Vec<(&Atom, &[usize])> = Vec::new();
        let mut words: SmallVec<[(usize, &[u8]); 8]> = SmallVec::new();
        for part in typed.iter().flat_map(|typed| &typed.parts) {
            for atom in part.atom.alternatives() {
                match atom {
                    Atom::Term(word) => words.extend(part.fields.iter().map(|&field| (field, word.as_bytes()))),
                    _ if atom.is_expanded() => expanded.push((atom, &part.fields)),
                    _ => {}
                }
            }
        }
        let mut expansions = expand(index, whole, &expanded, options, clock)?.into_iter();
        let mut values = LookedUp::words(index, &words, clock)?;
        let mut budget = Budget::new(whole, options);
        for typed in &typed {
            clock.check()?;
            let weigh_looked_up = |leaf: Leaf, values| {
                // A field that is named counts, even if it is not searched otherwise.
                let weight = weights[leaf.field()];
                let weight = if weight > 0.0 { weight } else { 1.0 };
                let weight = weight * typed.times as f32 * typed.clause.boost.factor();
                weighted(index, whole, leaf, values, weight, options)
            };
            let weigh = |leaf: Leaf| weigh_looked_up(leaf, None);
            let mut of_atom = |atom: &Atom, fields: &[usize]| -> Result<Leaves> {
                if atom.is_expanded() {
                    return leaves(atom, expansions.next().unwrap_or_default()).into_iter().map(weigh).collect();
                }
                // One by one: they are large, and `collect` moves them more often.
                let mut leaves = Leaves::new();
                for &field in fields {
                    let values = if matches!(atom, Atom::Term(_)) { values.next() } else { None };
                    leaves.push(weigh_looked_up(leaf(atom, field), values)?);
                }
                Ok(leaves)
            };
            let mut fits = |atom: &Atom, leaves: &[Weighted]| {
                let is_joined = matches!(atom, Atom::Phrase(_) | Atom::Near { .. } | Atom::All(_));
                !is_joined || budget.take(leaves.iter().map(|leaf| leaf.in_whole).sum())
            };
            let mut all = Leaves::new();
            let mut too_many: Vec<&Part> = Vec::new();
            for part in &typed.parts {
                let is_one = !matches!(part.atom, Atom::OneOf(_));
                for atom in part.atom.alternatives() {
                    let leaves = of_atom(atom, &part.fields)?;
                    match fits(atom, &leaves) {
                        true if all.is_empty() => all = leaves,
                        true => all.extend(leaves),
                        false if is_one => too_many.push(part),
                        false => log::info!(
                            "the phrases of a query have too many postings: a synonym or the parts of a compound are left out"
                        ),
                    }
                }
            }
            if too_many.is_empty() {
                plan.add(whole, all, typed.clause, typed.optional, options);
                continue;
            }
            log::info!(
                "the phrases of a query have too many postings: one is looked up as words, or ignored if excluded"
            );
            // Words of one analyzer are no substitute for what another makes of the phrase.
            let optional = typed.optional || typed.parts.len() > 1;
            if typed.parts.len() > 1 {
                plan.add(whole, all, typed.clause, optional, options);
            }
            for part in too_many.into_iter().filter(|_| !typed.clause.exclude) {
                for atom in part.atom.words() {
                    let leaves = part.fields.iter().map(|&field| weigh(leaf(&atom, field)));
                    plan.add(whole, leaves.collect::<Result<_>>()?, typed.clause, optional, options);
                }
            }
        }
        plan.add_weighted(index, asked.weighted)?;
        // Words that no document has: nothing matches any of them.
        plan.nothing |= (wanted || !asked.weighted.is_empty()) && plan.clauses.is_empty();
        plan.rarest_first = rarest_first(&plan.clauses);
        Ok(plan)
    }

    /// Whether documents must have all clauses of those in [a segment](super::cursors::of_segment), if they must have all: not
    /// if some are optional, and the others required.
    pub(super) fn needs_all(&self, needs_all: bool) -> bool {
        needs_all && !self.clauses.iter().any(|clause| clause.optional)
    }

    /// The leaves of its clause, if it has only one.
    pub(super) fn only_clause(&self) -> Option<&[Weighted]> {
        if let [only] = &self.clauses[..] { Some(&only.leaves) } else { None }
    }

    /// Adds a clause, of whose leaves those count that are in some document.
    fn add(&mut self, whole: &Whole, mut leaves: Leaves, clause: &Clause, optional: bool, options: &Options) {
        leaves.retain(|leaf| leaf.documents > 0);
        if clause.exclude {
            self.excluded.extend(leaves);
        } else if leaves.is_empty() {
            self.none_has_all |= !optional;
            self.nothing |= !optional && (clause.required || options.matching == Matching::All);
        } else {
            for leaf in &leaves {
                let field = leaf.leaf.field();
                self.norms[field].get_or_insert_with(|| whole.norms(field, &options.bm25));
            }
            let required = clause.required && !optional;
            self.clauses.push(PlannedClause { required, optional, leaves });
        }
    }
}

/// So many words are looked up between two looks at the clock.
const BETWEEN_CHECKS: usize = 256;

/// The values of all words, in the order in which they were typed.
struct LookedUp {
    /// Of all words in the first segment, then in the next. None if there is one word, with which there is nothing to do while its list is
    /// fetched.
    values: SmallVec<[Option<u64>; 8]>,
    words: usize,
    next: usize,
}

impl LookedUp {
    /// Of words, each of a field.
    fn words(index: &Index, words: &[(usize, &[u8])], clock: &Clock) -> Result<LookedUp> {
        let parts = index.snapshot().parts();
        let mut looked_up = LookedUp { values: SmallVec::new(), words: words.len(), next: 0 };
        if words.len() > 1 {
            looked_up.values.resize(words.len() * parts.len(), None);
            for (part, values) in parts.iter().zip(looked_up.values.chunks_mut(words.len())) {
                for (words, values) in words.chunks(BETWEEN_CHECKS).zip(values.chunks_mut(BETWEEN_CHECKS)) {
                    clock.check()?;
                    look_up_in(&part.segment, words, values)?;
                }
            }
        }
        Ok(looked_up)
    }

    /// Those of the next word in each segment, if they were looked up.
    fn next(&mut self) -> Option<SmallVec<[Values; 1]>> {
        if self.values.is_empty() {
            return None;
        }
        let of_word = self.values[self.next..].iter().step_by(self.words);
        self.next += 1;
        Some(of_word.map(|&value| smallvec![value]).collect())
    }
}

fn rarest_first(clauses: &[PlannedClause]) -> Option<Vec<usize>> {
    let joins = |clause: &PlannedClause| {
        clause.leaves.iter().filter(|leaf| leaf.is_union()).map(|leaf| leaf.joins).sum::<u64>()
    };
    if clauses.iter().all(|clause| joins(clause) == 0) {
        return None;
    }
    let at_most = |at: usize| clauses[at].leaves.iter().map(|leaf| leaf.at_most).sum::<u64>();
    let mut order: Vec<usize> = (0..clauses.len()).collect();
    order.sort_by_key(|&at| at_most(at));
    let (&first, others) = order.split_first()?;
    let others: u64 = others.iter().map(|&at| joins(&clauses[at])).sum();
    (others / WORTH > at_most(first)).then_some(order)
}

/// The numbers of some fields.
pub(super) type Fields = SmallVec<[usize; 8]>;

/// The text fields that a query can ask for.
pub(super) fn texts(index: &Index, options: &Options) -> Result<Fields> {
    let Some(fields) = &options.fields else { return Ok(index.text_fields().collect()) };
    let mut fields = Fields::from_slice(fields);
    fields.sort_unstable();
    fields.dedup();
    for &field in &fields {
        match index.schema().fields.get(field) {
            Some(Field { kind: Kind::Text, .. }) => (),
            Some(field) => {
                return Err(Error::Argument(format!("the field {} is not text: it is not searched", field.name)));
            }
            None => return Err(Error::Argument(format!("there is no field {field}"))),
        }
    }
    Ok(fields)
}

/// The weight of each field; 0 for those that are not searched.
fn weights(index: &Index, options: &Options) -> Result<SmallVec<[f32; 8]>> {
    options.bm25.check()?;
    let fields = &index.schema().fields;
    let weight = |field: &crate::index::Field| if field.kind == Kind::Text { field.weight } else { 0.0 };
    let mut weights: SmallVec<[f32; 8]> = fields.iter().map(weight).collect();
    for &(field, weight) in &options.weights {
        let named = fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
        if named.kind != Kind::Text {
            return Err(Error::Argument(format!("the field {} has no weight, as it is not searched", named.name)));
        }
        if weight != 0.0 && !Schema::WEIGHTS.contains(&weight) {
            let (name, least, most) = (&named.name, Schema::WEIGHTS.start(), Schema::WEIGHTS.end());
            return Err(Error::Argument(format!(
                "the weight of {name} must be 0 or from {least} to {most}, {weight} given"
            )));
        }
        weights[field] = weight;
    }
    Ok(weights)
}

fn leaf(atom: &Atom, field: usize) -> Leaf {
    match atom {
        Atom::Term(term) => Leaf::Term { field, term: term.clone() },
        Atom::Phrase(terms) | Atom::Near { terms, .. } => Leaf::Phrase {
            field,
            offsets: terms.iter().map(|&(offset, _)| offset).collect(),
            terms: terms.iter().map(|(_, term)| term.clone()).collect(),
            slop: if let Atom::Near { slop, .. } = atom { *slop } else { 0 },
        },
        Atom::All(terms) => Leaf::Together { field, terms: terms.clone() },
        Atom::Prefix(_) | Atom::Fuzzy { .. } | Atom::Like { .. } | Atom::OneOf(_) => {
            words(atom, field, Class::default())
        }
    }
}

/// The leaves of a prefix or a fuzzy word: in each field, one for each distance.
fn leaves(atom: &Atom, expansion: Expansion) -> Vec<Leaf> {
    let of_field = |(field, classes): (usize, Vec<Class>)| classes.into_iter().map(move |of| words(atom, field, of));
    expansion.into_iter().flat_map(of_field).collect()
}

fn words(atom: &Atom, field: usize, class: Class) -> Leaf {
    let Class { discount, common, terms } = class;
    let typed = match atom {
        Atom::Prefix(prefix) => format!("{prefix}*"),
        Atom::Fuzzy { word, distance } => format!("{word}~{distance}"),
        Atom::Like { word, edits, start, .. } => {
            let edits = if *edits > 0 { format!("~{edits}") } else { String::new() };
            format!("{word}{edits}{}", if *start { "*" } else { "" })
        }
        Atom::Term(_) | Atom::Phrase(_) | Atom::Near { .. } | Atom::All(_) | Atom::OneOf(_) => String::new(),
    };
    let mut terms = terms;
    terms.sort_unstable();
    let (words, counts) = terms.into_iter().unzip();
    Leaf::Words { field, typed, words, counts, discount, common }
}
