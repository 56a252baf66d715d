//! Checking a list from outside, and deriving its last docIDs.

use super::corrupt;
use super::decode::parts;
use super::directory::{Directory, Entry, Kind, MANY, MOST_IN_RUNS, Partition, Runs, Widths};
use crate::base::bits;
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::huge_pages;
use crate::codec::quasi_succinct::{self, Parts, sizes};
use crate::codec::{BLOCK, Encoded, ListCodec, OWN_COUNT, Shape, block_buffer, not_increasing};

/// The first own word.
const OWN: usize = OWN_COUNT + 1;

/// As [`ListCodec::check_shape`]. With it, the number of docIDs is bounded by the size of the list.
pub(super) fn shape(shape: &Shape) -> std::result::Result<(), (usize, String)> {
    let Shape { count, universe, parameter, own_words, payload_words } = *shape;
    let many = |what: &str| Err((2, format!("{count} docIDs are more than {what} can have")));
    let expected = match Kind::from_number(parameter) {
        _ if count == 0 && parameter != 0 => return Err((1, "an empty list has no partitions".into())),
        Some(Kind::EliasFano(width)) => {
            let (lower, upper) = sizes(count, universe, width);
            lower + upper
        }
        Some(Kind::Run) if count > MOST_IN_RUNS => return many("a run"),
        Some(Kind::Run) => 0,
        Some(Kind::Runs) if count > MOST_IN_RUNS => return many("runs"),
        // The first docID, and at least the first word of the runs.
        Some(Kind::Runs) => (payload_words as u64).max(2),
        None if parameter == MANY => {
            let Some(entry_words) = own_words.checked_sub(1) else {
                return Err((OWN_COUNT, "no directory of partitions".into()));
            };
            let entry = Widths::least(count, universe).entry() as usize;
            let most = 32 * entry_words / entry * MOST_IN_RUNS + 32 * payload_words;
            return if count > most { many("so many words") } else { Ok(()) };
        }
        _ => return Err((1, format!("parameter {parameter} is not known"))),
    };
    if own_words != 0 {
        return Err((OWN_COUNT, "words of its own, which the parameter excludes".into()));
    }
    if payload_words as u64 != expected {
        return Err((4, format!("{payload_words} words of payload where {expected} are needed")));
    }
    Ok(())
}

/// As [`ListCodec::derive_lasts`]. Checks the directory and the words of each partition: after that, each partition can
/// be decoded. Whether its docIDs increase is left to [`check`].
pub(super) fn derive_lasts(list: &Encoded, payload_at: usize) -> Result<Vec<u32>> {
    check_directory(list)?;
    let directory = Directory::of(list);
    let blocks = list.count.div_ceil(BLOCK);
    let mut lasts = huge_pages::try_with_room(blocks)?;
    for at in 0..directory.len {
        let partition = directory.get(at);
        let word = payload_at + list.payload.len() - partition.payload.len();
        derive(&partition, &mut lasts).map_err(|what| corrupt(format!("partition {at}"), word, what))?;
    }
    Ok(lasts)
}

/// Checks that the entries of the directory fill it, that partitions follow each other and fill the list, and that those
/// of runs are not too long.
fn check_directory(list: &Encoded) -> Result<()> {
    if list.parameter != MANY {
        return Ok(());
    }
    let directory = Directory::of(list);
    let here = |at: usize, what: &str| Err(corrupt(format!("directory, partition {at}"), OWN, what));
    let blocks = list.count.div_ceil(BLOCK);
    if directory.len == 0 || directory.len > blocks || !directory.fills_own_words() {
        return here(0, "the own words do not hold so many partitions");
    }
    let (mut block, mut word) = (0, 0);
    for at in 0..directory.len {
        let Entry { kind, first, end_block, end_word } = directory.entry(at);
        let (end_block, end_word) = (end_block as usize, end_word as usize);
        let Some(kind) = Kind::from_number(kind) else { return here(at, "a kind that is not known") };
        if end_block <= block || end_block > blocks || end_word < word || end_word > list.payload_words {
            return here(at, "ends before it begins, or after the list");
        }
        let count = list.count.min(end_block * BLOCK) - block * BLOCK;
        if u64::from(first) + count as u64 > 1 << 32 {
            return here(at, "more docIDs than there are from its first one on");
        }
        if matches!(kind, Kind::Run | Kind::Runs) && count > MOST_IN_RUNS {
            return here(at, "too many docIDs in runs");
        }
        if kind == Kind::Run && end_word != word {
            return here(at, "a run with words");
        }
        (block, word) = (end_block, end_word);
    }
    if block != blocks || word != list.payload_words {
        return here(directory.len - 1, "the list goes on after it");
    }
    Ok(())
}

/// Checks the words of a partition and appends the last docIDs of its blocks. The error says what is wrong.
fn derive(partition: &Partition, lasts: &mut Vec<u32>) -> std::result::Result<(), String> {
    let Partition { kind, first, count, .. } = *partition;
    match kind {
        Kind::EliasFano(width) => derive_elias_fano(partition, width, lasts)?,
        Kind::Run => lasts.extend(ends(count).map(|end| first + (end - 1))),
        Kind::Runs => {
            derive_runs(count, &check_runs(partition)?, lasts);
        }
        Kind::Bits => derive_bits(partition, lasts)?,
    }
    Ok(())
}

/// The number of docIDs up to the end of each block.
fn ends(count: usize) -> impl Iterator<Item = u32> {
    (0..count).step_by(BLOCK).map(move |rank| count.min(rank + BLOCK) as u32)
}

/// Appends the last docIDs of blocks of runs, which are right.
fn derive_runs(count: usize, runs: &Runs, lasts: &mut Vec<u32>) {
    let (mut at, mut here, mut next) = (0, runs.get(0), runs.get(1));
    for end in ends(count) {
        while next.1 < end {
            at += 1;
            (here, next) = (next, runs.get(at + 1));
        }
        let (start, before) = here;
        lasts.push(start + (end - 1 - before));
    }
}

fn derive_elias_fano(partition: &Partition, width: u32, lasts: &mut Vec<u32>) -> std::result::Result<(), String> {
    let (lower_words, _) = sizes(partition.count, 0, width);
    let Some(upper_words) = partition.words.checked_sub(lower_words as usize).filter(|&words| words != 0) else {
        return Err("fewer words than its lower bits take".into());
    };
    let mut parts: Parts = parts(partition, width, 0);
    let ones: u64 = parts.upper[..upper_words].iter().map(|word| u64::from(word.count_ones())).sum();
    if u64::from(parts.base >> width) + ones > u64::from(u32::MAX >> width) {
        return Err("docIDs of more than 32 bits".into());
    }
    // The last upper part follows from the number of 1 bits. With it, the parts are as long as they must be, or refused.
    parts.universe = (ones as u32) << width;
    let (_, needed) = sizes(parts.count, parts.universe, width);
    if needed != upper_words as u64 {
        return Err(format!("{upper_words} words of upper bits where {needed} are needed"));
    }
    quasi_succinct::check(&parts, (0, 0)).map_err(|error| error.to_string())?;
    let mut buffer = block_buffer();
    let mut previous = parts.base;
    for block in 0..parts.count.div_ceil(BLOCK) {
        // SAFETY: `check` found as many stop bits as docIDs, and `previous` is the last docID of the block before;
        // the partition is followed by others or by the padding; a `block_buffer` has room for a block and the slack;
        // `cpu::tier` returns a tier of this processor.
        let decoded = unsafe {
            quasi_succinct::decode_blocks(cpu::tier(), &parts, block..block + 1, previous, buffer.as_mut_ptr())
        };
        previous = buffer[decoded - 1];
        lasts.push(previous);
    }
    Ok(())
}

fn check_runs<'l>(partition: &Partition<'l>) -> std::result::Result<Runs<'l>, String> {
    let Partition { count, words, payload, .. } = *partition;
    if words == 0 || payload[0] >> 22 != 0 {
        return Err("unused bits are not 0".into());
    }
    let runs = Runs::of(partition);
    if !runs.is_shaped(words) {
        return Err("the runs do not take as many words as there are".into());
    }
    let mut next = u64::from(partition.first);
    for at in 0..runs.len {
        let (start, before) = runs.get(at);
        let end = runs.get(at + 1).1;
        // The order of starts also excludes that one wrapped around.
        if u64::from(start) < next || end <= before || end as usize > count {
            return Err(format!("run {at} does not follow the one before"));
        }
        next = u64::from(start) + u64::from(end - before);
        if next > 1 << 32 {
            return Err(format!("run {at} ends after the last docID that there is"));
        }
    }
    Ok(runs)
}

fn derive_bits(partition: &Partition, lasts: &mut Vec<u32>) -> std::result::Result<(), String> {
    match cpu::tier() {
        // SAFETY: the processor has the tier, which includes the feature.
        #[cfg(target_arch = "x86_64")]
        cpu::Tier::Avx2 | cpu::Tier::Avx512 => unsafe { derive_bits_with_popcnt(partition, lasts) },
        _ => derive_bits_by_words(partition, lasts),
    }
}

/// # Safety
/// The processor has POPCNT, without which most of the time would go into counting bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
unsafe fn derive_bits_with_popcnt(partition: &Partition, lasts: &mut Vec<u32>) -> std::result::Result<(), String> {
    derive_bits_by_words(partition, lasts)
}

/// Words that are looked at before the last docIDs of blocks are looked for in them. None has more docIDs than a block.
const GROUP: usize = 64;

#[inline(always)]
fn derive_bits_by_words(partition: &Partition, lasts: &mut Vec<u32>) -> std::result::Result<(), String> {
    let Partition { first, count, words, payload, .. } = *partition;
    if words == 0 || words % 2 != 0 || u64::from(first / 64) + words as u64 / 2 > 1 << 26 {
        return Err("not as many words as a bit set has".into());
    }
    let line = first / 64 * 64;
    let halves = payload[..words].as_chunks().0;
    let word = |&[low, high]: &[u32; 2]| u64::from(high) << 32 | u64::from(low);
    if halves.first().is_none_or(|first_halves| word(first_halves).trailing_zeros() != first % 64) {
        return Err("does not begin with its first docID".into());
    }
    let mut rank = 0;
    for (group, first_doc_id) in halves.chunks(GROUP).zip((line..).step_by(64 * GROUP)) {
        // Words with the last docID of a block, and how many docIDs are before them. Which those are, no branch depends on.
        let (mut ends, mut len) = ([0; GROUP], 0);
        for (at, halves) in (0..).zip(group) {
            let after = rank + u64::from(word(halves).count_ones());
            ends[len % GROUP] = rank * GROUP as u64 + at;
            len += ((rank ^ after) / BLOCK as u64 % 2) as usize;
            rank = after;
        }
        for end in &ends[..len] {
            let (at, before) = (end % GROUP as u64, end / GROUP as u64);
            let rest = BLOCK as u64 - 1 - before % BLOCK as u64;
            lasts.push(first_doc_id + 64 * at as u32 + bits::select(word(&group[at as usize]), rest as u32));
        }
    }
    // Of `rank` itself, which would then stay in memory, no message is made.
    let found = rank;
    if found != count as u64 {
        return Err(format!("{found} docIDs where {count} should be"));
    }
    if count % BLOCK != 0
        && let Some(at) = halves.iter().rposition(|halves| word(halves) != 0)
    {
        lasts.push(line + 64 * at as u32 + (63 - word(&halves[at]).leading_zeros()));
    }
    Ok(())
}

/// As [`ListCodec::check`]: that docIDs increase, that blocks end with their last docIDs, and that partitions begin with
/// their first ones.
pub(super) fn check(list: &Encoded, payload_at: usize) -> Result<()> {
    let mut buffer = block_buffer();
    let directory = Directory::of(list);
    let mut partitions = (0..directory.len).map(|at| directory.get(at)).peekable();
    for (block, &last) in list.last_doc_ids.iter().enumerate() {
        // SAFETY: `derive_lasts` has checked all that partitions are decoded from, and gave the last docIDs; the payload
        // is padded; a `block_buffer` has room for a block and the slack; `cpu::tier` returns a tier of this processor.
        let count = unsafe {
            super::PartitionedEliasFano::decode_blocks(cpu::tier(), list, block..block + 1, buffer.as_mut_ptr())
        };
        if let Some(at) = not_increasing(&buffer[..count], list.previous(block)) {
            let item = format!("docID {}", block * BLOCK + at);
            return Err(corrupt(item, payload_at, "is not greater than the one before"));
        }
        if let Some(partition) = partitions.next_if(|partition| partition.block == block)
            && (list.parameter == MANY || partition.kind == Kind::Runs)
            && buffer[0] != partition.first
        {
            return Err(corrupt(format!("block {block}"), OWN, "does not begin with the first docID of its partition"));
        }
        if buffer[count - 1] != last {
            return Err(corrupt(format!("block {block}"), payload_at, "does not end with its last docID"));
        }
    }
    Ok(())
}
