use super::state::{SPARE, Turn};
use super::*;
use crate::device::tests::test_device;
use crate::engine::ranked::tests::index_of_words;
use crate::engine::schedule::Cost;
use crate::search::{Condition, Filter, Matching};
use std::collections::BTreeMap;
use std::fs;

/// Queries of all kinds; some are answered by the CPU alone, and some find nothing.
fn queries(count: usize) -> Vec<String> {
    let query = |at: usize| match at % 11 {
        4 => format!("\"w{} w{}\"", at % 5, at % 3),
        7 => String::new(),
        9 => "unknown".into(),
        _ => format!("w{} w{} -w{}", at % 7, at % 31, at % 101),
    };
    (0..count).map(query).collect()
}

/// Takes until nothing is left; no ticket twice, and no failure.
fn take_all(stream: &Stream) -> BTreeMap<u64, Found> {
    let mut all = BTreeMap::new();
    while stream.untaken() > 0 {
        let Taken::Found(found) = stream.take(100, Duration::from_secs(30)).unwrap() else { panic!("a query failed") };
        assert!(!found.is_empty(), "nothing in half a minute");
        found.into_iter().for_each(|(ticket, found)| assert_eq!(all.insert(ticket, found), None));
    }
    all
}

fn stream(index: &Index, options: &Options, threads: usize) -> Stream {
    let settings = Settings { offload: Offload::Never, threads, ..Settings::default() };
    Stream::new(index, options, &settings, 100_000).unwrap()
}

#[test]
fn each_ticket_gets_what_search_finds_once() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let queries = queries(400);
    let texts: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let device = test_device();
    for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
        let options = Options { matching, total: true, ..Options::default() };
        let expected: Vec<Found> = texts.iter().map(|text| index.search(text, &options).unwrap()).collect();
        let kinds = [Offload::Never, Offload::Auto, Offload::Always];
        for (offload, threads) in kinds.into_iter().flat_map(|kind| [(kind, 1), (kind, 4)]) {
            let devices = device.iter().filter(|_| offload != Offload::Never);
            // Twice the same device: two threads take turns at it.
            let devices: Vec<_> = devices.flat_map(|device| vec![device.clone(); threads.min(2)]).collect();
            let settings = Settings { offload, threads, ..Settings::default() };
            let stream = Stream::on(&index, &options, &settings, 1000, 10, Fleet::by_queries(devices)).unwrap();
            // All at once, and one by one while others are taken.
            let tickets = stream.push_all(&texts).unwrap();
            assert_eq!(tickets, 0..400);
            let mut found = BTreeMap::new();
            for text in &texts {
                stream.push(text).unwrap();
                let Taken::Found(some) = stream.take(3, Duration::ZERO).unwrap() else { panic!("a query failed") };
                some.into_iter().for_each(|(ticket, one)| assert_eq!(found.insert(ticket, one), None));
            }
            found.extend(take_all(&stream));
            assert!(found.keys().copied().eq(0..800));
            for (ticket, found) in found {
                assert_eq!(found, expected[ticket as usize % 400], "{matching:?}, {offload:?}, {threads}, {ticket}");
            }
        }
    }
}

#[test]
fn what_is_not_begun_in_time_comes_back_expired() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let options = Options { deadline: Some(Duration::ZERO), ..Options::default() };
    for devices in [Vec::new(), test_device().into_iter().collect()] {
        let settings = Settings { offload: Offload::Always, ..Settings::default() };
        let stream = Stream::on(&index, &options, &settings, 1000, 10, Fleet::by_queries(devices)).unwrap();
        stream.push_all(&["w1", "w2", "\"w1 w2\""]).unwrap();
        let found = take_all(&stream);
        assert!(found.len() == 3 && found.values().all(|found| *found == Found::late()), "{found:?}");
    }
    let options = Options { deadline: Some(Duration::MAX), ..options };
    let stream = stream(&index, &options, 2);
    stream.push("w1").unwrap();
    assert_eq!(take_all(&stream)[&0], index.search("w1", &options).unwrap());
}

#[test]
fn a_stream_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let settings = Settings { offload: Offload::Never, ..Settings::default() };
    let stream = Stream::new(&index, &Options::default(), &settings, 3).unwrap();
    assert_eq!(stream.push_all(&["w1", "w2"]).unwrap(), 0..2);
    assert!(matches!(stream.push_all(&["w3", "w4"]), Err(Error::Full(_))));
    assert_eq!((stream.push("w3").unwrap(), stream.untaken()), (2, 3));
    assert!(matches!(stream.push("w4"), Err(Error::Full(_))));
    assert_eq!(stream.push_all::<&str>(&[]).unwrap(), 3..3);
    assert_eq!(take_all(&stream).len(), 3);
    assert_eq!(stream.push("w4").unwrap(), 3);
    let long = "x ".repeat(MOST_BYTES / 2 + 1);
    assert!(matches!(stream.push(&long), Err(Error::Full(_))));
    let wrong = Options { filter: Filter::new(Condition::Range(0, 0.0, 1.0)).unwrap(), ..Options::default() };
    assert!(matches!(Stream::new(&index, &wrong, &settings, 3), Err(Error::Argument(_))));
    let wrong = Options { weights: vec![(9, 1.0)], ..Options::default() };
    assert!(matches!(Stream::new(&index, &wrong, &settings, 3), Err(Error::Argument(_))));
}

#[test]
fn taking_waits_only_for_what_may_come() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let stream = stream(&index, &Options::default(), 1);
    let nothing = Taken::Found(Vec::new());
    // Nothing was pushed: there is nothing to wait for.
    assert_eq!(stream.take(10, Duration::from_secs(600)).unwrap(), nothing);
    stream.push("w1").unwrap();
    assert_eq!(stream.take(0, Duration::from_secs(600)).unwrap(), nothing);
    let readable = |time: i32| {
        use std::os::fd::AsRawFd;
        let mut poll = libc::pollfd { fd: stream.descriptor().as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which lives.
        unsafe { libc::poll(&raw mut poll, 1, time) == 1 }
    };
    assert!(readable(60_000));
    assert_eq!(take_all(&stream).len(), 1);
    assert!(!readable(0));
}

#[test]
fn a_stream_ends_while_queries_wait() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let queries = queries(20_000);
    let texts: Vec<&str> = queries.iter().map(|query| &**query).collect();
    for devices in [Vec::new(), test_device().into_iter().collect()] {
        let settings = Settings { offload: Offload::Always, threads: 2, ..Settings::default() };
        let stream =
            Stream::on(&index, &Options::default(), &settings, 100_000, 10, Fleet::by_queries(devices)).unwrap();
        stream.push_all(&texts).unwrap();
        let core = Arc::downgrade(&stream.core);
        drop(stream);
        assert!(core.upgrade().is_none(), "all threads have ended");
    }
    drop(stream(&index, &Options::default(), 2));
}

#[test]
fn a_query_that_fails_is_told_by_its_ticket() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let stream = stream(&index, &Options::default(), 1);
    stream.push("w1").unwrap();
    assert_eq!(take_all(&stream).len(), 1);
    // Searches look at lengths once a millisecond.
    std::thread::sleep(Duration::from_millis(2));
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = fs::OpenOptions::new().write(true).open(file.unwrap().path()).unwrap();
        file.set_len(100).unwrap();
    }
    assert_eq!(stream.push_all(&["w1", "w2"]).unwrap(), 1..3);
    for expected in 1..3 {
        match stream.take(10, Duration::from_secs(30)).unwrap() {
            Taken::Failed { ticket, error: Error::File { .. } | Error::Corrupt { .. } } => assert_eq!(ticket, expected),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(stream.untaken(), 0);
}

/// If the system starts no thread, who takes answers finds them.
#[test]
fn without_threads_the_caller_works() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let stream = stream(&index, &Options::default(), 1);
    stream.threads.lock().unwrap().started = true;
    stream.push_all(&["w1", "w2"]).unwrap();
    assert!(stream.helps());
    let found = take_all(&stream);
    assert_eq!(found[&1], index.search("w2", &Options::default()).unwrap());
}

fn waiting(arrived: u64) -> Waiting {
    Waiting { ticket: 0, asked: Asked::from("text").into(), arrived, deadline: arrived + 100, prepared: None }
}

#[test]
fn what_has_come_is_prepared_first_and_then_scheduled() {
    let mut state = State::new(Some(Policy { threads: 1, ..Policy::default() }));
    let mut late = Vec::new();
    assert_eq!(state.push((0..200).map(waiting).collect()), 0);
    // Some threads share it, and so each takes less.
    state.idle[0] = 9;
    let Turn::Prepare(some, mut pricing) = state.turn(50, &mut late) else { panic!("something is to be prepared") };
    assert_eq!(some.len(), 20);
    state.idle[0] = 0;
    let cost = |one: &Waiting| Cost { cpu: 1e9, device: if one.ticket == 7 { f64::INFINITY } else { 1e3 } };
    let sorted =
        pricing.sort(some.into_iter().map(|one| (cost(&one), one)).map(|(cost, one)| (one, Some(cost))).collect());
    state.schedule(sorted, pricing);
    let Turn::Prepare(some, _) = state.turn(110, &mut late) else { panic!("something is to be prepared") };
    assert_eq!(some[0].ticket, 20);
    let mut tickets: Vec<u64> = late.iter().map(|waiting| waiting.ticket).collect();
    tickets.sort_unstable();
    assert!(tickets.into_iter().eq(0..11), "what is too late is left out");
    let mut state = State::new(None);
    assert_eq!(state.push(vec![waiting(0), waiting(0)]), 0);
    let Turn::Answer(first) = state.turn(99, &mut late) else { panic!("something is to be answered") };
    assert_eq!(first.ticket, 0);
    late.clear();
    assert!(matches!(state.turn(100, &mut late), Turn::Nothing) && late.len() == 1 && late[0].ticket == 1);
}

#[test]
fn what_is_the_device_s_is_stolen_while_some_threads_are_idle() {
    let mut state = State::new(Some(Policy { threads: 2 * SPARE, ..Policy::default() }));
    state.push(vec![waiting(0), waiting(0)]);
    let Turn::Prepare(some, mut pricing) = state.turn(0, &mut Vec::new()) else { panic!("nothing to prepare") };
    let cost = Cost { cpu: 1e8, device: 1e6 };
    let sorted = pricing.sort(some.into_iter().map(|one| (one, Some(cost))).collect());
    state.schedule(sorted, pricing);
    state.set_call(1e9);
    for (idle, woken, more) in [(0, 0, false), (1, 0, false), (2, 1, false), (2, 0, false), (3, 0, true)] {
        (state.idle[CPU], state.woken[CPU]) = (idle, woken);
        assert_eq!(state.has_more(), more);
        let is_one = matches!(state.turn(1, &mut Vec::new()), Turn::Answer(_));
        assert_eq!(is_one, idle - woken >= 2, "{idle} idle");
    }
}

/// Whatever waits for a device, or is prepared for it too late.
#[test]
fn bytes_are_counted_until_queries_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    for deadline in [Duration::ZERO, Duration::from_micros(100), Duration::from_secs(600)] {
        let options = Options { deadline: Some(deadline), ..Options::default() };
        for devices in [Vec::new(), test_device().into_iter().collect()] {
            let settings = Settings { threads: 2, ..Settings::default() };
            let stream = Stream::on(&index, &options, &settings, 1000, 10, Fleet::by_queries(devices)).unwrap();
            let queries = queries(400);
            stream.push_all(&queries.iter().map(|query| &**query).collect::<Vec<_>>()).unwrap();
            assert_eq!(take_all(&stream).len(), 400);
            let core = stream.core.clone();
            drop(stream);
            // What a device has answered is freed by a thread that has nothing else to do, unless the stream ends.
            let unfreed: usize = core.lock().answered.iter().flatten().map(|waiting| waiting.asked.get().bytes()).sum();
            assert_eq!(core.bytes.load(Relaxed), unfreed);
        }
    }
}
