// The rows of tasks that wait for their children, in the shapes of rows/children_rows.cpp. Both box each call, as a
// recursive async function must. Those of fork-join are rayon's: Tokio has no fork-join.
use crate::{median_of_rounds, on_worker, print_row};
use std::future::Future;
use std::pin::Pin;
use std::time::Instant;
use tokio::runtime::Runtime;

const ROUNDS: usize = 31;
const FIB: u32 = 20;
const FIB_IS: u64 = 6_765;
const FIB_CALLS: u64 = 21_891;

type Value = Pin<Box<dyn Future<Output = u64> + Send>>;

fn row(runtime: &Runtime, name: &str, compute: fn() -> Value) {
    let ns = median_of_rounds(ROUNDS, || {
        on_worker(runtime, async move {
            let began = Instant::now();
            assert_eq!(compute().await, FIB_IS);
            began.elapsed()
        })
    });
    print_row(name, ns / FIB_CALLS as f64);
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

fn all(n: u32) -> Value {
    Box::pin(async move {
        if n < 2 {
            return n as u64;
        }
        let (a, b) = tokio::join!(all(n - 1), all(n - 2));
        a + b
    })
}

pub fn spawn_fib(runtime: &Runtime) {
    row(runtime, "spawn_fib", || fib(FIB));
}

pub fn all_fib(runtime: &Runtime) {
    row(runtime, "all_fib", || all(FIB));
}
