use super::split::ends;
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn cost() -> impl Strategy<Value = Cost> {
    let nanoseconds = |most: f64| (0.0..most).prop_map(f64::exp);
    let device = prop_oneof![12 => nanoseconds(12.0), 1 => Just(f64::INFINITY), 1 => Just(0.0)];
    (nanoseconds(18.0), device).prop_map(|(cpu, device)| Cost { cpu, device })
}

fn costs(most: usize) -> impl Strategy<Value = Costs> {
    let call = prop_oneof![Just(0.0), Just(1e5), 0.0..1e7];
    (prop::collection::vec(cost(), 0..most), call).prop_map(|(queries, call)| Costs { queries, call })
}

/// When the CPU alone would be done, longest queries first.
fn cpu_alone(costs: &Costs, threads: usize) -> f64 {
    let mut jobs: Vec<f64> = costs.queries.iter().map(|query| query.cpu).collect();
    jobs.sort_by(|a, b| b.total_cmp(a));
    ends(jobs.into_iter(), threads, 0.0)
}

fn device_alone(costs: &Costs) -> f64 {
    costs.call + costs.queries.iter().map(|query| query.device).sum::<f64>()
}

fn each_once(mut taken: Vec<usize>, of: usize) -> bool {
    taken.sort_unstable();
    taken.into_iter().eq(0..of)
}

proptest! {
    #[test]
    fn a_split_has_each_query_once_and_is_no_worse_than_one_side(costs in costs(200), threads in 1usize..20) {
        let split = split(&costs, threads);
        prop_assert!(each_once([&split.device[..], &split.cpu].concat(), costs.queries.len()));
        prop_assert!(split.device.iter().all(|&at| costs.queries[at].device.is_finite()));
        let device = split.device.iter().map(|&at| costs.queries[at].device).sum::<f64>();
        let busy = if split.device.is_empty() { 0.0 } else { costs.call + device };
        let makespan = ends(split.cpu.iter().map(|&at| costs.queries[at].cpu), threads, busy);
        prop_assert!((split.makespan - makespan).abs() <= 1e-9 * makespan);
        let better = cpu_alone(&costs, threads).min(device_alone(&costs));
        prop_assert!(split.makespan <= better * (1.0 + 1e-9), "{} > {better}", split.makespan);
    }

    /// Against all divisions, of few queries that are small against the whole.
    #[test]
    fn a_split_is_near_the_best(costs in costs(9), threads in 1usize..4) {
        let count = costs.queries.len();
        let best = (0..1u32 << count).map(|set| {
            let (mut jobs, mut busy) = (Vec::new(), if set == 0 { 0.0 } else { costs.call });
            for (at, query) in costs.queries.iter().enumerate() {
                if set >> at & 1 == 1 { busy += query.device } else { jobs.push(query.cpu) }
            }
            jobs.sort_by(|a, b| b.total_cmp(a));
            ends(jobs.into_iter(), threads, busy)
        });
        let best = best.fold(f64::INFINITY, f64::min);
        let split = split(&costs, threads);
        // A list of jobs that are not cut takes less than twice as long, and so does the last query of a side.
        prop_assert!(split.makespan <= 3.0 * best * (1.0 + 1e-9), "{} > 3 · {best}", split.makespan);
    }

    /// Sides of any speed, whatever was predicted.
    #[test]
    fn a_share_gives_each_query_once(costs in costs(300), threads in 1usize..9, speeds in (0.1f64..10.0, 0.1f64..10.0)) {
        let share = Share::new(costs.clone(), threads);
        let (mut taken, mut calls) = (Vec::new(), 0);
        let mut free = vec![0f64; threads];
        let mut device_thread = Some(0);
        loop {
            let next = (0..threads).min_by(|&a, &b| free[a].total_cmp(&free[b])).unwrap();
            if device_thread == Some(next) {
                let own = share.for_device();
                if own.is_empty() {
                    device_thread = None;
                } else {
                    calls += 1;
                    let of_device = own.iter().map(|&at| costs.queries[at].device).sum::<f64>();
                    prop_assert!(of_device.is_finite());
                    free[next] += (costs.call + of_device) * speeds.0 + 1.0;
                    taken.extend(own);
                }
                continue;
            }
            let Some(at) = share.for_cpu() else { break };
            free[next] += costs.queries[at].cpu * speeds.1 + 1.0;
            taken.push(at);
        }
        prop_assert!(share.is_done());
        prop_assert!(each_once(taken, costs.queries.len()));
        prop_assert!(calls < 64, "{calls} calls");
    }

    /// Whether queries come one by one, or those of a moment together.
    #[test]
    fn a_queue_gives_each_query_once(
        jobs in prop::collection::vec((cost(), 0u64..1_000_000, prop::option::of(0u64..2_000_000)), 0..200),
        threads in 1usize..5,
        most in 1usize..50,
        shared: bool,
        together: bool,
    ) {
        let mut queue = Queue::new(Policy { threads, most, shared, ..Policy::default() });
        let mut arrivals: Vec<Job<u64>> = (0..).zip(jobs).map(|(id, (cost, arrived, patience))| {
            Job { query: id, cost, arrived, deadline: patience.map_or(u64::MAX, |patience| arrived + patience) }
        }).collect();
        arrivals.sort_by_key(|job| job.arrived);
        let (mut seen, count) = (HashSet::new(), arrivals.len());
        let mut arrivals = arrivals.into_iter().peekable();
        let mut now = 0;
        while arrivals.peek().is_some() || !queue.is_empty() {
            let mut some = Vec::new();
            while let Some(job) = arrivals.next_if(|job| job.arrived <= now) {
                some.push(job);
            }
            let waiting = queue.len() + some.len();
            match together {
                true => queue.push(some),
                false => some.into_iter().for_each(|job| queue.push([job])),
            }
            prop_assert_eq!(queue.len(), waiting);
            for job in queue.expired(now) {
                prop_assert!(job.deadline <= now && seen.insert(job.query));
            }
            let is_for_cpu = queue.is_for_cpu(true);
            match queue.for_cpu(now, true) {
                Some(job) => prop_assert!(job.deadline > now && seen.insert(job.query)),
                None => prop_assert!(!is_for_cpu),
            }
            if now % 100_000 == 0 {
                let jobs = queue.for_device(now);
                prop_assert!(jobs.len() <= most);
                for job in jobs {
                    prop_assert!(job.deadline > now && job.cost.device.is_finite() && seen.insert(job.query));
                }
            }
            now += 10_000;
            prop_assert!(now < 100_000_000, "{} queries wait for ever", queue.len());
        }
        prop_assert!(queue.expired(u64::MAX).is_empty());
        prop_assert_eq!(seen.len(), count);
    }
}

fn job(id: u64, cpu: f64, device: f64, arrived: u64) -> Job<u64> {
    Job { query: id, cost: Cost { cpu, device }, arrived, deadline: arrived + 500_000_000 }
}

#[test]
fn both_sides_work_if_both_are_worth_it() {
    // 16 threads take 6 µs a query together, the device 2.2 µs: alone 22 and 60 ms, together 16.
    let queries = (0..10_000).map(|at| Cost { cpu: 60_000.0 + 8.0 * f64::from(at), device: 2_200.0 }).collect();
    let split = split(&Costs { queries, call: 1.2e5 }, 16);
    assert!((1.5e7..1.75e7).contains(&split.makespan), "{}", split.makespan);
    // The short ones suit the CPU.
    let longest = split.cpu.iter().max().unwrap();
    assert!(split.device.iter().all(|at| at > longest), "{longest}");
    assert!((2_000..4_000).contains(&split.cpu.len()), "{}", split.cpu.len());
}

#[test]
fn a_single_query_goes_where_it_is_faster() {
    let one = |cpu: f64| split(&Costs { queries: vec![Cost { cpu, device: 2e4 }], call: 1e5 }, 8);
    assert_eq!((one(9e4).cpu.len(), one(9e4).makespan), (1, 9e4));
    assert_eq!((one(2e5).device.len(), one(2e5).makespan), (1, 1.2e5));
    assert_eq!(split(&Costs::default(), 0), Split::default());
}

#[test]
fn the_device_takes_more_of_a_batch_if_the_cpu_is_slower_than_predicted() {
    let queries = vec![Cost { cpu: 1e5, device: 1e4 }; 1000];
    let share = Share::new(Costs { queries, call: 1e4 }, 11);
    let first = share.for_device().len();
    assert!((300..400).contains(&first), "{first}");
    // While that ran, the CPU has taken 10 instead of 350.
    (0..10).for_each(|_| assert!(share.for_cpu().is_some()));
    let second = share.for_device().len();
    assert!((200..400).contains(&second), "{second}");
}

#[test]
fn a_batch_is_divided_if_the_cpu_helps_much() {
    let costs = Costs { queries: vec![Cost { cpu: 1e5, device: 1e4 }; 1000], call: 1e4 };
    assert!(device_is_enough(&costs, 2, 0.0));
    assert!(!device_is_enough(&costs, 11, 0.0));
    assert!(device_is_enough(&costs, 11, 5e6));
    // What a device cannot do is no reason.
    let alone = Cost { cpu: 1e5, device: f64::INFINITY };
    let some = Costs { queries: [&costs.queries[..], &[alone; 10]].concat(), ..costs };
    assert!(device_is_enough(&some, 2, 0.0));
}

#[test]
fn queries_wait_where_they_belong() {
    let policy = Policy { threads: 4, call: 1e5, ..Policy::default() };
    let mut queue = Queue::new(policy);
    queue.push([job(1, 1e5, 1e6, 0)]); // for the CPU
    queue.push([job(2, 4e6, 1e6, 10)]); // for either
    queue.push([job(3, 9e7, 1e6, 20)]); // for the device
    queue.push([job(4, 5e4, 1e6, 30)]); // for the CPU, and short
    let ids = |jobs: Vec<Job<u64>>| jobs.into_iter().map(|job| job.query).collect::<Vec<_>>();
    assert_eq!(queue.for_cpu(40, true).unwrap().query, 4);
    assert_eq!(queue.for_cpu(40, true).unwrap().query, 1);
    assert_eq!(queue.for_cpu(40, true).unwrap().query, 2);
    // The CPU would take longer than the device.
    assert_eq!(queue.for_cpu(40, true), None);
    assert_eq!(ids(queue.for_device(40)), [3]);
}

#[test]
fn an_idle_side_steals_what_would_wait_for_longer() {
    let mut queue = Queue::new(Policy { threads: 1, ..Policy::default() });
    (0..100).for_each(|id| queue.push([job(id, 3e6 + id as f64, 1e6, id)]));
    // 100 ms wait for the device: the CPU helps with the query that suits it best.
    assert_eq!(queue.for_cpu(200, true).unwrap().query, 0);
    // A call takes what is likely to be done in 10 ms.
    assert_eq!(queue.for_device(200).len(), 10);
    let mut queue = Queue::new(Policy { threads: 1, ..Policy::default() });
    (0..100).for_each(|id| queue.push([job(id, 1e6, 3e6, id)]));
    assert_eq!(queue.for_device(200).len(), 4);
}

#[test]
fn of_queries_that_came_together_each_side_takes_what_suits_it() {
    let policy = Policy { threads: 1, most: 3, longest: 1e9, ..Policy::default() };
    let mut queue = Queue::new(policy);
    queue.push((0..8).map(|id| job(id, 1e7 - id as f64, 4e6, 10)));
    assert_eq!(queue.for_cpu(20, true).unwrap().query, 7);
    let ids = |jobs: Vec<Job<u64>>| jobs.into_iter().map(|job| job.query).collect::<Vec<_>>();
    assert_eq!(ids(queue.for_device(20)), [0, 1, 2]);
    assert_eq!(queue.for_cpu(20, true).unwrap().query, 6);
    // Half of the time of one of the rest has passed, and all of another's.
    queue.push([3e6, 4e6].map(|device| Job { deadline: 1_000, ..job(device as u64, 1e7, device, 0) }));
    queue.push([job(8, 1e7, 4e6, 10), Job { deadline: 30, ..job(9, 1e7, 4e6, 10) }]);
    assert_eq!(ids(queue.expired(40)), [9]);
    assert_eq!(ids(queue.for_device(600)), [3_000_000, 4_000_000, 3]);
    assert_eq!((queue.len(), ids(queue.for_device(600))), (3, vec![4, 5, 8]));
}

#[test]
fn what_is_urgent_goes_first_and_what_is_late_comes_back() {
    let mut queue = Queue::new(Policy::default());
    queue.push([job(1, 9e6, 1e9, 0)]);
    queue.push([job(2, 1e3, 1e9, 0)]);
    queue.push([Job { deadline: 1_000, ..job(3, 1e6, 1e9, 0) }]);
    assert_eq!(queue.for_cpu(600, true).unwrap().query, 3);
    queue.push([Job { deadline: 1_000, ..job(3, 1e6, 1e9, 0) }]);
    assert_eq!(queue.expired(1_000).iter().map(|job| job.query).collect::<Vec<_>>(), [3]);
    assert_eq!(queue.for_cpu(1_000, true).unwrap().query, 2);
    assert_eq!(queue.len(), 1);
}

#[test]
fn a_cpu_thread_steals_what_is_urgent_unless_all_is_the_device_s() {
    for shared in [true, false] {
        let mut queue = Queue::new(Policy { shared, ..Policy::default() });
        queue.push([job(1, 9e7, 1e3, 0)]);
        queue.push([job(2, 9e7, f64::INFINITY, 0)]);
        assert_eq!(queue.for_cpu(1_000, true).unwrap().query, 2);
        assert_eq!(queue.for_cpu(1_000, true), None);
        // Half of the time to the deadline has passed.
        assert_eq!(queue.for_cpu(250_000_000, true).map(|job| job.query), shared.then_some(1));
    }
    // Whatever suits the CPU, too.
    let mut queue = Queue::new(Policy { shared: false, ..Policy::default() });
    queue.push([job(3, 1.0, 1e9, 0)]);
    assert_eq!((queue.for_cpu(0, true), queue.for_device(0).len()), (None, 1));
}

#[test]
fn a_call_is_filled_little_by_little_as_at_once() {
    let queue = || {
        let mut queue = Queue::new(Policy::default());
        (0..500).for_each(|id| queue.push([job(id, 1e6 * (id % 9) as f64, 4e4, id)]));
        queue
    };
    let at_once = queue().for_device(600);
    let (mut queue, mut call) = (queue(), Call::default());
    while queue.fill(&mut call, 600, 7) {}
    assert!(call.into_jobs().eq(at_once.iter().copied()));
    assert!((200..300).contains(&at_once.len()), "10 ms are {}", at_once.len());
}
