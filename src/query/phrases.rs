//! [`Phrases`]: finds any number of phrases in a text at once.
//!
//! They are a tree of their words, each with how many words it stands after the one before. Reading a text, one keeps
//! the places in the tree that beginnings of phrases have led to.

use super::matches::Match;
use crate::analysis::Token;
use std::collections::HashMap;

/// The most beginnings of phrases that are followed at a time; further ones are not begun. Without stop words in
/// phrases there are fewer, as a phrase has at most [`MOST_PHRASE_WORDS`](super::MOST_PHRASE_WORDS).
const MOST_OPEN: usize = 64;

/// How many words later a word stands, the number of its term, and the node that it leads to.
type Edge = (u32, u32, u32);

#[derive(Debug, Default)]
struct Node {
    /// The words of the phrase that ends here; 0 if none does.
    words: u32,
    /// The most words later that another one may follow.
    farthest: u32,
    /// Most nodes have no other.
    first: Option<Edge>,
}

/// Phrases as a tree.
#[derive(Debug)]
pub(super) struct Phrases {
    /// The root first.
    nodes: Vec<Node>,
    /// Edges that are not the first of their nodes.
    others: HashMap<(u32, u32, u32), u32>,
}

impl Phrases {
    pub(super) fn new() -> Phrases {
        Phrases { nodes: vec![Node::default()], others: HashMap::new() }
    }

    /// Adds a phrase: the position and the number of each term.
    pub(super) fn add(&mut self, terms: impl ExactSizeIterator<Item = (u32, u32)>) {
        let (mut node, mut before) = (0, 0);
        let words = terms.len() as u32;
        for (position, term) in terms {
            let later = position - before;
            before = position;
            let found = self.next(node, later, term);
            node = found.unwrap_or_else(|| {
                let new = self.nodes.len() as u32;
                self.nodes.push(Node::default());
                let from = &mut self.nodes[node as usize];
                from.farthest = from.farthest.max(later);
                match &mut from.first {
                    first @ None => *first = Some((later, term, new)),
                    Some(_) => {
                        self.others.insert((node, later, term), new);
                    }
                }
                new
            });
        }
        self.nodes[node as usize].words = words;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// How many nodes the tree has.
    pub(super) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    fn next(&self, node: u32, later: u32, term: u32) -> Option<u32> {
        let (first_later, first_term, first) = self.nodes[node as usize].first?;
        if (first_later, first_term) == (later, term) {
            return Some(first);
        }
        if self.others.is_empty() { None } else { self.others.get(&(node, later, term)).copied() }
    }
}

/// A beginning of a phrase.
struct Open {
    node: u32,
    /// The first byte.
    start: usize,
    /// The position of the last word so far.
    position: u32,
}

/// Reads a text, of which it is told the words that phrases have.
pub(super) struct Reader<'p> {
    phrases: &'p Phrases,
    /// The first begun comes first.
    open: Vec<Open>,
    next: Vec<Open>,
}

impl<'p> Reader<'p> {
    pub(super) fn new(phrases: &'p Phrases) -> Reader<'p> {
        Reader { phrases, open: Vec::new(), next: Vec::new() }
    }

    /// The longest phrase that ends with this token, whose term has that number. Its own number is that of its node.
    pub(super) fn read(&mut self, term: u32, token: &Token) -> Option<Match> {
        let mut longest = None;
        let phrases = self.phrases;
        let mut go = |from: Open, next: &mut Vec<Open>| {
            let later = if from.node == 0 { 0 } else { token.position - from.position };
            let farthest = phrases.nodes[from.node as usize].farthest;
            if later > farthest {
                return;
            }
            if let Some(node) = phrases.next(from.node, later, term) {
                let Node { words, farthest, .. } = phrases.nodes[node as usize];
                if words > 0 && longest.is_none() {
                    longest = Some(Match { start: from.start, end: token.end, number: node, words });
                }
                if farthest > 0 && next.len() < MOST_OPEN {
                    next.push(Open { node, start: from.start, position: token.position });
                }
            }
            if later < farthest && next.len() < MOST_OPEN {
                next.push(from);
            }
        };
        self.next.clear();
        for from in self.open.drain(..) {
            go(from, &mut self.next);
        }
        go(Open { node: 0, start: token.start, position: token.position }, &mut self.next);
        std::mem::swap(&mut self.open, &mut self.next);
        longest
    }
}
