// The rows of channels and locks. Tokio has no channel with several consumers, so there is no mpmc row.
use crate::{keep, median_of_rounds, on_worker, print_row};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::{broadcast, mpsc, oneshot, watch, Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore};

const ROUNDS: usize = 31;
const CAPACITY: usize = 1_000;
const MESSAGES: usize = 40_000;
const ROUND_TRIPS: usize = 5_000;
const ONESHOTS: usize = 20_000;
const SUBSCRIBERS: usize = 4;
const BURST: usize = 16;
const BURSTS: usize = 400;
const CHANGES: usize = 20_000;
const TASKS: usize = 8;
const TURNS: usize = 5_000;
const READS_PER_WRITE: usize = 15;
const PERMITS: usize = 4;
const BARRIER_ROUNDS: usize = 1_000;
const NOTIFICATIONS: usize = 5_000;
const CELLS: usize = 20_000;

fn row<F, Body>(runtime: &Runtime, name: &str, operations: usize, body: F)
where
    F: Fn() -> Body,
    Body: Future<Output = Duration> + Send + 'static,
{
    print_row(name, median_of_rounds(ROUNDS, || on_worker(runtime, body())) / operations as f64);
}

async fn stream(producers: usize) -> Duration {
    let began = Instant::now();
    let (sender, mut receiver) = mpsc::channel::<usize>(CAPACITY);
    let consumer = tokio::spawn(async move { while receiver.recv().await.is_some() {} });
    let mut handles = vec![consumer];
    for _ in 0..producers {
        let sender = sender.clone();
        handles.push(tokio::spawn(async move {
            for i in 0..MESSAGES / producers {
                sender.send(i).await.unwrap();
            }
        }));
    }
    drop(sender);
    for handle in handles {
        handle.await.unwrap();
    }
    began.elapsed()
}

pub fn mpsc_1p1c(runtime: &Runtime) {
    row(runtime, "mpsc_1p1c", MESSAGES, || stream(1));
}

pub fn mpsc_4p1c(runtime: &Runtime) {
    row(runtime, "mpsc_4p1c", MESSAGES, || stream(4));
}

pub fn round_trip(runtime: &Runtime) {
    row(runtime, "round_trip", ROUND_TRIPS, || async {
        let began = Instant::now();
        let (there, mut there_receiver) = mpsc::channel::<usize>(1);
        let (back, mut back_receiver) = mpsc::channel::<usize>(1);
        let echo = tokio::spawn(async move {
            while let Some(value) = there_receiver.recv().await {
                back.send(value).await.unwrap();
            }
        });
        let call = tokio::spawn(async move {
            for i in 0..ROUND_TRIPS {
                there.send(i).await.unwrap();
                back_receiver.recv().await.unwrap();
            }
        });
        call.await.unwrap();
        echo.await.unwrap();
        began.elapsed()
    });
}

pub fn oneshot_value(runtime: &Runtime) {
    row(runtime, "oneshot", ONESHOTS, || async {
        let began = Instant::now();
        for i in 0..ONESHOTS {
            let (sender, receiver) = oneshot::channel::<usize>();
            sender.send(i).unwrap();
            keep(receiver.await.unwrap());
        }
        began.elapsed()
    });
}

pub fn broadcast_values(runtime: &Runtime) {
    row(runtime, "broadcast", BURSTS * BURST * SUBSCRIBERS, || async {
        let (sender, _) = broadcast::channel::<usize>(4 * BURST);
        let mut receivers: Vec<_> = (0..SUBSCRIBERS).map(|_| sender.subscribe()).collect();
        let began = Instant::now();
        for _ in 0..BURSTS {
            for i in 0..BURST {
                sender.send(i).unwrap();
            }
            for receiver in receivers.iter_mut() {
                for _ in 0..BURST {
                    keep(receiver.recv().await.unwrap());
                }
            }
        }
        began.elapsed()
    });
}

pub fn watch_changes(runtime: &Runtime) {
    row(runtime, "watch", CHANGES, || async {
        let (sender, mut receiver) = watch::channel(0);
        let began = Instant::now();
        for i in 0..CHANGES {
            sender.send(i).unwrap();
            receiver.changed().await.unwrap();
            assert!(*receiver.borrow() == i);
        }
        began.elapsed()
    });
}

// Runs `body` in several tasks that share a state.
async fn meet<Shared, F, Body>(shared: Shared, body: F) -> Duration
where
    F: Fn(Arc<Shared>) -> Body,
    Body: Future<Output = ()> + Send + 'static,
{
    let shared = Arc::new(shared);
    let began = Instant::now();
    let handles: Vec<_> = (0..TASKS).map(|_| tokio::spawn(body(shared.clone()))).collect();
    for handle in handles {
        handle.await.unwrap();
    }
    began.elapsed()
}

pub fn mutex_8(runtime: &Runtime) {
    row(runtime, "mutex_8", TASKS * TURNS, || {
        meet(Mutex::new(0usize), |mutex| async move {
            for _ in 0..TURNS {
                *mutex.lock().await += 1;
            }
        })
    });
}

pub fn rwlock_8(runtime: &Runtime) {
    row(runtime, "rwlock_8", TASKS * TURNS, || {
        meet(RwLock::new(0usize), |lock| async move {
            for i in 0..TURNS {
                if i % (READS_PER_WRITE + 1) == 0 {
                    *lock.write().await += 1;
                } else {
                    keep(*lock.read().await);
                }
            }
        })
    });
}

pub fn semaphore_8(runtime: &Runtime) {
    row(runtime, "semaphore_8", TASKS * TURNS, || {
        meet(Semaphore::new(PERMITS), |semaphore| async move {
            for _ in 0..TURNS {
                drop(semaphore.acquire().await.unwrap());
            }
        })
    });
}

pub fn barrier_8(runtime: &Runtime) {
    row(runtime, "barrier_8", TASKS * BARRIER_ROUNDS, || {
        meet(Barrier::new(TASKS), |barrier| async move {
            for _ in 0..BARRIER_ROUNDS {
                keep(barrier.wait().await.is_leader());
            }
        })
    });
}

pub fn notify(runtime: &Runtime) {
    row(runtime, "notify", NOTIFICATIONS, || async {
        let began = Instant::now();
        let there = Arc::new(Notify::new());
        let back = Arc::new(Notify::new());
        let (there_too, back_too) = (there.clone(), back.clone());
        let first = tokio::spawn(async move {
            for _ in 0..NOTIFICATIONS {
                there_too.notify_one();
                back_too.notified().await;
            }
        });
        let second = tokio::spawn(async move {
            for _ in 0..NOTIFICATIONS {
                there.notified().await;
                back.notify_one();
            }
        });
        first.await.unwrap();
        second.await.unwrap();
        began.elapsed()
    });
}

pub fn once(runtime: &Runtime) {
    row(runtime, "once", CELLS, || async {
        let began = Instant::now();
        for i in 0..CELLS {
            let cell = OnceCell::new();
            let first: usize = *cell.get_or_init(|| async { i }).await;
            let second = *cell.get_or_init(|| async { i }).await;
            assert!(first == second);
        }
        began.elapsed()
    });
}
