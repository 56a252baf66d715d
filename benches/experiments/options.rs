//! Options of codecs against size and speed: Li 2014, figures 12 and 13 (c); Ao 2011, figure 7 (exceptions); Ding 2009,
//! figure 3 (levels of recursion).

use crate::corpora::{self, Corpus};
use crate::harness::context::{Context, codec_of};
use crate::harness::outcome::{Outcome, Table};
use crate::harness::parallel::in_parallel;
use crate::harness::{Experiment, Failure};
use crate::support::plot::{Plot, Scale};
use postings::codec::quasi_succinct;
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "options",
    title: "Options of codecs",
    question: "How do QS's c, the share of exceptions and the levels of recursion change sizes, and c the speed?",
    redraws: &[("li-2014", "figure 12"), ("li-2014", "figure 13"), ("ao-2011", "figure 7"), ("ding-2009", "figure 3")],
    why: "Below 1 each halving of c doubles the unary bits of a docID and saves one lower bit; above 1 each \
          doubling adds a lower bit and saves half of the unary ones, of which there are only one or two. By the \
          formula sizes so grow faster below 1. Dense lists cannot follow it: their b is 0 already, and a smaller c \
          changes nothing, so on the longest lists of a small collection the two sides can change places. A few \
          exceptions pay because gaps have a long tail, the more so the more clustered they are; on documents that \
          come in families, forgoing them costs codecs of gaps up to a quarter. Deviations from a line have no such \
          tail, so codecs of lines hardly gain. One level of recursion takes most of what exceptions waste, since \
          their overflow bits and offsets are small numbers themselves.",
    run,
};

/// The bits per docID of all lists; `None` if the codec lacks the option or cannot code a list.
fn bits(corpus: &Corpus, codec: Codec, options: &[(&str, f64)]) -> Option<f64> {
    let sizes = corpus.lists.iter().map(|list| Some(PostingList::encode_with(list, codec, options).ok()?.size()));
    let bytes: usize = sizes.sum::<Option<usize>>()?;
    Some(8.0 * bytes as f64 / corpus.postings() as f64)
}

/// The corpus for sizes: natural order if there is a text, otherwise the generated one.
fn corpus(context: &Context) -> Result<&Corpus, Failure> {
    let corpora = context.corpora()?;
    let named = |name: &str| corpora.iter().find(|corpus| corpus.name == name);
    named(corpora::NATURAL).or_else(|| named(corpora::GOV)).ok_or_else(|| "no corpus".into())
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let corpus = corpus(context)?;
    outcome.note(corpus.describe());
    parameter_c(context, corpus, &mut outcome)?;
    exceptions(corpus, &mut outcome);
    levels(corpus, &mut outcome);
    Ok(outcome)
}

const CS: [f64; 9] = [0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0];

/// Raw lists, which have only lower and upper bits and 20 bytes of header, as the thesis has them.
fn parameter_c(context: &Context, corpus: &Corpus, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut lists: Vec<&Vec<u32>> = corpus.lists.iter().collect();
    lists.sort_by_key(|list| std::cmp::Reverse(list.len()));
    lists.truncate(50);
    let postings: usize = lists.iter().map(|list| list.len()).sum();
    let mut table = Table::new(
        format!("The {} longest lists as raw quasi-succinct lists, by c", lists.len()),
        ["c", "bits/docID", "decoding, checks included, 10⁹ docIDs/s"],
    );
    let (mut sizes, mut rates) = (Vec::new(), Vec::new());
    let encode = |c: f64| lists.iter().map(|list| quasi_succinct::encode(list, c)).collect::<Result<Vec<_>, _>>();
    let encoded: Vec<Vec<Vec<u8>>> = CS.iter().map(|&c| encode(c)).collect::<Result<_, _>>()?;
    let mut outs: Vec<Vec<u32>> = CS.iter().map(|_| Vec::new()).collect();
    let mut calls: Vec<Box<dyn FnMut()>> = Vec::new();
    for (bytes, out) in encoded.iter().zip(&mut outs) {
        calls.push(Box::new(move || {
            for list in bytes {
                out.clear();
                quasi_succinct::decode_to(list, out).expect("what was encoded");
            }
        }));
    }
    let times = context.times_of(&mut calls);
    for ((&c, bytes), time) in CS.iter().zip(&encoded).zip(times) {
        let bits = 8.0 * bytes.iter().map(Vec::len).sum::<usize>() as f64 / postings as f64;
        let rate = time.rate(postings as f64 / 1e9);
        table.row(c.to_string(), [bits.into(), crate::harness::outcome::Cell::from(rate)]);
        sizes.push((c, bits));
        rates.push((c, rate.median));
    }
    outcome.tables.push(table);
    let mut plot = Plot::new("c-sizes", "Raw QS lists: size against c", "c", "bits per docID");
    plot = plot.scales(Scale::Log2, Scale::Linear);
    plot.curve(&*corpus.name, sizes.clone());
    outcome.plots.push(plot);
    let mut plot = Plot::new("c-speeds", "Raw QS lists: decoding speed against c", "c", "10⁹ docIDs/s");
    plot = plot.scales(Scale::Log2, Scale::Linear);
    plot.curve(format!("{}, CPU", corpus.name), rates);
    outcome.plots.push(plot);
    let best = sizes.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(f64::NAN, |(c, _)| *c);
    let at = |wanted: f64| sizes.iter().find(|(c, _)| *c == wanted).map_or(f64::NAN, |(_, bits)| *bits);
    outcome.beside("c of the least size", ("li-2014", "figure 12", "QS", "c of the least size"), best);
    outcome.finding(
        ("li-2014", "figure 12"),
        "Lists are smallest at c = 1 and grow faster for smaller c than for larger",
        at(1.0) <= 1.01 * at(best) && at(0.25) > at(4.0),
        format!(
            "least at c = {best}: {:.3}; at 1: {:.3}, at 1/4: {:.3}, at 4: {:.3} bits/docID (rule: 1 within 1 % of the \
             least, and 1/4 larger than 4).",
            at(best),
            at(1.0),
            at(0.25),
            at(4.0)
        ),
    );
    Ok(())
}

fn has(codec: Codec, option: &str) -> bool {
    codec.options().iter().any(|known| known.name == option)
}

const SHARES: [f64; 7] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];

fn exceptions(corpus: &Corpus, outcome: &mut Outcome) {
    let title = format!("{}: compression ratio against the share of exceptions", corpus.name);
    let mut plot = Plot::new("exceptions", &title, "share of exceptions, at most", "32 bits / bits per docID");
    plot = plot.scales(Scale::Linear, Scale::Linear);
    let mut table = Table::new(
        "32 bits / bits per docID by the share of exceptions",
        ["codec".to_owned()].into_iter().chain(SHARES.map(|share| share.to_string())),
    );
    let mut curves: Vec<(Codec, Vec<f64>)> = Vec::new();
    for codec in Codec::ALL.into_iter().filter(|&codec| has(codec, "exceptions")) {
        let ratio = |at: usize| bits(corpus, codec, &[("exceptions", SHARES[at])]).map(|bits| 32.0 / bits);
        let ratios = in_parallel(SHARES.len(), ratio);
        let Some(ratios) = ratios.into_iter().collect::<Option<Vec<f64>>>() else { continue };
        table.row(codec.php_case(), ratios.iter().copied());
        plot.curve(codec.php_case(), SHARES.into_iter().zip(ratios.iter().copied()).collect());
        curves.push((codec, ratios));
    }
    if curves.is_empty() {
        return;
    }
    outcome.tables.push(table);
    outcome.plots.push(plot);
    let best = |ratios: &[f64]| ratios.iter().fold(0f64, |best, &ratio| best.max(ratio));
    let worst =
        curves.iter().map(|(codec, ratios)| (ratios[0] / best(ratios), *codec)).min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((share, codec)) = worst {
        outcome.finding(
            ("ao-2011", "figure 7"),
            "Without exceptions the compression ratio is close to its maximum",
            share >= 0.9,
            format!("the furthest from it is {}, at {:.0} % (rule: at least 90 %).", codec.php_case(), 100.0 * share),
        );
    }
    if let Some((_, ratios)) = curves.iter().find(|(codec, _)| codec.php_case() == "LRC") {
        let least = ratios.iter().fold(f64::MAX, |least, &ratio| least.min(ratio));
        outcome.finding(
            ("ao-2011", "figure 7"),
            "LRC's compression ratio hardly depends on the share of exceptions",
            least >= 0.9 * best(ratios),
            format!("it is {least:.2} to {:.2} (rule: within 10 %).", best(ratios)),
        );
    }
}

fn levels(corpus: &Corpus, outcome: &mut Outcome) {
    let Some(recursive) = codec_of("PForDelta").filter(|&codec| has(codec, "levels")) else { return };
    let mut table = Table::new("Bytes per docID", ["method", "bytes/docID"]);
    let mut sizes = Vec::new();
    let mut add = |name: String, codec: Codec, options: &[(&str, f64)]| {
        let bytes = bits(corpus, codec, options).map(|bits| bits / 8.0);
        if let Some(bytes) = bytes {
            table.row(name.clone(), [bytes]);
            sizes.push((name, bytes));
        }
    };
    if let Some(rice) = codec_of("Rice") {
        add("Rice".into(), rice, &[]);
    }
    if let Some(segments) = codec_of("PForDeltaSegments") {
        add("PForDelta, a b per segment".into(), segments, &[]);
    }
    for levels in 0..=4 {
        add(format!("PForDelta, {levels} levels"), recursive, &[("levels", f64::from(levels))]);
    }
    outcome.tables.push(table);
    let of = |name: &str| sizes.iter().find(|(known, _)| known == name).map(|(_, bytes)| *bytes);
    let level = |levels: u32| of(&format!("PForDelta, {levels} levels"));
    if let (Some(none), Some(one), Some(four)) = (level(0), level(1), level(4)) {
        outcome.finding(
            ("ding-2009", "figure 3"),
            "One level of recursion takes most of the gain; more give only slight extra benefits",
            one < none && one - four <= 0.25 * (none - one).max(1e-9),
            format!(
                "{none:.3} bytes/docID without, {one:.3} with one, {four:.3} with four levels (rule: levels 2 to 4 gain at \
                 most a quarter of what the first gains)."
            ),
        );
        if let Some(rice) = of("Rice") {
            let least = sizes.iter().all(|(_, bytes)| rice <= *bytes);
            outcome.finding(
                ("ding-2009", "figure 3"),
                "Rice coding gives the best compression",
                least,
                format!("Rice: {rice:.3} bytes/docID (rule: no other of the figure is smaller)."),
            );
        }
        if let Some(segments) = of("PForDelta, a b per segment") {
            outcome.finding(
                ("ding-2009", "figure 3"),
                "PForDelta with one b and one level is slightly smaller than with a b per segment, without recursion much larger",
                one < segments && none > segments,
                format!("{segments:.3} bytes/docID with a b per segment (rule: between none and one level)."),
            );
        }
    }
}
