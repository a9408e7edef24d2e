// The rows of fork-join, in the shapes of rows/fork_rows.cpp.
use crate::{median_of_rounds, on_worker, print_row};
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::time::Instant;
use tokio::runtime::Runtime;

const ROUNDS: usize = 7;
const FIB: u32 = 30;
const FIB_IS: u64 = 832_040;
const FIB_CALLS: u64 = 2_692_537;
const LEAVES: u64 = 1_000_000;
const PAIRS: u64 = 1_000_000;

type Value = Pin<Box<dyn Future<Output = u64> + Send>>;

fn row(runtime: &Runtime, name: &str, operations: u64, result: u64, compute: fn() -> Value) {
    let ns = median_of_rounds(ROUNDS, || {
        on_worker(runtime, async move {
            let began = Instant::now();
            assert_eq!(compute().await, result);
            began.elapsed()
        })
    });
    print_row(name, ns / operations as f64);
}

fn fib(n: u32) -> Value {
    Box::pin(async move {
        if n < 2 {
            return n as u64;
        }
        let other = tokio::spawn(fib(n - 2));
        let a = fib(n - 1).await;
        a + other.await.unwrap()
    })
}

fn skynet(first: u64, leaves: u64) -> Value {
    Box::pin(async move {
        if leaves == 1 {
            return first;
        }
        let share = leaves / 10;
        let children: Vec<_> = (0..10).map(|i| tokio::spawn(skynet(first + i * share, share))).collect();
        let mut sum = 0;
        for child in children {
            sum += child.await.unwrap();
        }
        sum
    })
}

fn pairs() -> Value {
    Box::pin(async {
        let mut sum = 0;
        for i in 0..PAIRS {
            let other = tokio::spawn(async move { black_box(i) });
            let a = black_box(i);
            sum += a + other.await.unwrap();
        }
        sum
    })
}

pub fn fork_fib(runtime: &Runtime) {
    row(runtime, "fib", FIB_CALLS, FIB_IS, || fib(FIB));
}

pub fn fork_skynet(runtime: &Runtime) {
    row(runtime, "skynet", LEAVES, LEAVES * (LEAVES - 1) / 2, || skynet(0, LEAVES));
}

pub fn fork_pair(runtime: &Runtime) {
    row(runtime, "fork_pair", PAIRS, PAIRS * (PAIRS - 1), pairs);
}
