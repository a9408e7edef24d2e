// rayon_rows: the fork-join rows of loadtest/micro/rows/fork_rows.cpp in the same shapes, on rayon.
//
//   rayon_rows [--workers N] [--only ROW]      prints "name<tab>value" a line, medians of the rounds
use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const FIB: u32 = 30;
const FIB_IS: u64 = 832_040;
const FIB_CALLS: u64 = 2_692_537;
const LEAVES: u64 = 1_000_000;
const PAIRS: u64 = 1_000_000;

fn median_of_rounds(rounds: usize, mut measure: impl FnMut() -> Duration) -> f64 {
    measure();
    let mut values: Vec<f64> = (0..rounds).map(|_| measure().as_nanos() as f64).collect();
    values.sort_by(|a, b| a.total_cmp(b));
    values[rounds / 2]
}

#[inline(never)]
fn fib(n: u32) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[inline(never)]
fn skynet(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let share = leaves / 10;
    (0..10u32).into_par_iter().with_max_len(1).map(|i| skynet(first + i as u64 * share, share)).sum()
}

fn join_pairs(pairs: u64) -> u64 {
    let mut sum = 0;
    for i in 0..pairs {
        let (a, b) = rayon::join(|| black_box(i), || black_box(i));
        sum += a + b;
    }
    sum
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).map(|i| arguments[i + 1].clone());
    let workers: usize = option("--workers").map_or(2, |text| text.parse().unwrap());
    let only = option("--only");

    let rows: [(&str, u64, u64, fn() -> u64); 3] = [
        ("fib", FIB_CALLS, FIB_IS, || fib(FIB)),
        ("skynet", LEAVES, LEAVES * (LEAVES - 1) / 2, || skynet(0, LEAVES)),
        ("fork_pair", PAIRS, PAIRS * (PAIRS - 1), || join_pairs(PAIRS)),
    ];
    for (name, operations, result, compute) in rows {
        if only.as_deref().map_or(true, |wanted| wanted == name) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            let ns = median_of_rounds(ROUNDS, || {
                pool.install(|| {
                    let began = Instant::now();
                    assert_eq!(compute(), result);
                    began.elapsed()
                })
            });
            println!("{name}\t{:.3}", ns / operations as f64);
        }
    }
}
