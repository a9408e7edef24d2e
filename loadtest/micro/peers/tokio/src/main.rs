// tokio_rows: the rows of loadtest/micro/scheduler_rows.cpp in the same shapes, on Tokio.
//
//   tokio_rows [--workers N] [--only ROW]      prints "name<tab>value" a line, medians of the rounds
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, Notify};

const ROUNDS: usize = 31;
const TASKS: usize = 10_000;
const YIELDERS: usize = 200;
const YIELDS: usize = 1_000;
const PAIRS: usize = 1_000;
const CHAIN: usize = 1_000;
const WAKES: usize = 1_000;
const IDLE_SPAWNS: usize = 400;
const UNTIL_PARKED: Duration = Duration::from_micros(300);
const IDLE: Duration = Duration::from_millis(2);
const SET_TIMERS: usize = 100_000;
const TIMERS: usize = 10_000;
const IDLE_NAPS: usize = 300;
const NAPPERS: usize = 100;
const NAPS: usize = 50;
const BUSY_TASKS: usize = 8;
const BUSY: Duration = Duration::from_micros(50);
const LEAD: Duration = Duration::from_millis(300);
const QUIET: Duration = Duration::from_millis(100);
const PARKED: usize = 1_000_000;

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(|a, b| a.total_cmp(b));
    values[((values.len() as f64 * share) as usize).min(values.len() - 1)]
}

fn median_of_rounds(rounds: usize, mut measure: impl FnMut() -> Duration) -> f64 {
    measure();
    let mut values: Vec<f64> = (0..rounds).map(|_| measure().as_nanos() as f64).collect();
    percentile(&mut values, 0.5)
}

fn print_row(name: &str, value: f64) {
    println!("{name}\t{value:.3}");
}

fn print_latencies(name: &str, mut values_ns: Vec<f64>) {
    print_row(&format!("{name}.p50"), percentile(&mut values_ns, 0.50) / 1e3);
    print_row(&format!("{name}.p99"), percentile(&mut values_ns, 0.99) / 1e3);
}

fn resident_bytes() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}

// User and system time of the whole process.
fn process_cpu_ns() -> f64 {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.seconds as f64 * 1e9 + time.nanoseconds as f64
}

// Keeps reads from being optimized away.
#[inline(never)]
fn keep<T>(_: T) {}

// Runs `future` on a worker, not on the calling thread.
fn on_worker<F>(runtime: &Runtime, future: F) -> F::Output
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    let task = runtime.spawn(future);
    runtime.block_on(task).unwrap()
}

struct Countdown {
    left: AtomicUsize,
    last: Mutex<Option<oneshot::Sender<()>>>,
}

impl Countdown {
    fn start(count: usize) -> (Arc<Countdown>, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        (Arc::new(Countdown { left: AtomicUsize::new(count), last: Mutex::new(Some(sender)) }), receiver)
    }

    fn count_down(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let sender = self.last.lock().unwrap().take().unwrap();
            sender.send(()).unwrap();
        }
    }
}

fn spawn_local_many(runtime: &Runtime) {
    let ns = median_of_rounds(ROUNDS, || {
        on_worker(runtime, async {
            let mut handles = Vec::with_capacity(TASKS);
            let began = Instant::now();
            for _ in 0..TASKS {
                handles.push(tokio::spawn(async {}));
            }
            for handle in handles {
                handle.await.unwrap();
            }
            began.elapsed()
        })
    });
    print_row("spawn_local_many", ns / TASKS as f64);
}

fn spawn_remote_many(runtime: &Runtime) {
    let ns = median_of_rounds(ROUNDS, || {
        let left = Arc::new(AtomicUsize::new(TASKS));
        let (finished, wait) = mpsc::sync_channel(1);
        let began = Instant::now();
        for _ in 0..TASKS {
            let left = left.clone();
            let finished = finished.clone();
            runtime.spawn(async move {
                if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    finished.send(()).unwrap();
                }
            });
        }
        wait.recv().unwrap();
        began.elapsed()
    });
    print_row("spawn_remote_many", ns / TASKS as f64);
}

fn yield_many(runtime: &Runtime) {
    let ns = median_of_rounds(ROUNDS / 3, || {
        on_worker(runtime, async {
            let mut handles = Vec::with_capacity(YIELDERS);
            let began = Instant::now();
            for _ in 0..YIELDERS {
                handles.push(tokio::spawn(async {
                    for _ in 0..YIELDS {
                        tokio::task::yield_now().await;
                    }
                }));
            }
            for handle in handles {
                handle.await.unwrap();
            }
            began.elapsed()
        })
    });
    print_row("yield_many", ns / (YIELDERS * YIELDS) as f64);
}

fn ping_pong(runtime: &Runtime) {
    let ns = median_of_rounds(ROUNDS, || {
        on_worker(runtime, async {
            let began = Instant::now();
            let (countdown, all_done) = Countdown::start(PAIRS);
            for _ in 0..PAIRS {
                let countdown = countdown.clone();
                tokio::spawn(async move {
                    let (ping_sender, ping_receiver) = oneshot::channel::<()>();
                    let (pong_sender, pong_receiver) = oneshot::channel::<()>();
                    tokio::spawn(async move {
                        ping_receiver.await.unwrap();
                        pong_sender.send(()).unwrap();
                    });
                    ping_sender.send(()).unwrap();
                    pong_receiver.await.unwrap();
                    countdown.count_down();
                });
            }
            all_done.await.unwrap();
            began.elapsed()
        })
    });
    print_row("ping_pong", ns / PAIRS as f64);
}

fn chain_link(done: oneshot::Sender<()>, left: usize) {
    tokio::spawn(async move {
        if left == 0 {
            done.send(()).unwrap();
        } else {
            chain_link(done, left - 1);
        }
    });
}

fn chained_spawn(runtime: &Runtime) {
    let ns = median_of_rounds(ROUNDS, || {
        on_worker(runtime, async {
            let began = Instant::now();
            let (done, all_done) = oneshot::channel();
            chain_link(done, CHAIN);
            all_done.await.unwrap();
            began.elapsed()
        })
    });
    print_row("chained_spawn", ns / CHAIN as f64);
}

// The time at which the task ran, in ns since `epoch`; 0 before.
fn wait_for(moment: &AtomicU64) -> u64 {
    loop {
        let ns = moment.load(Ordering::Acquire);
        if ns != 0 {
            return ns;
        }
        std::hint::spin_loop();
    }
}

fn oneshot_wake(runtime: &Runtime) {
    let epoch = Instant::now();
    let mut latencies_ns = Vec::new();
    for _ in 0..WAKES {
        let woken = Arc::new(AtomicU64::new(0));
        let (sender, receiver) = oneshot::channel::<()>();
        let note = woken.clone();
        runtime.spawn(async move {
            receiver.await.unwrap();
            note.store(epoch.elapsed().as_nanos() as u64, Ordering::Release);
        });
        let parked = Instant::now();
        while parked.elapsed() < UNTIL_PARKED {
            std::hint::spin_loop();
        }
        let sent_ns = epoch.elapsed().as_nanos() as u64;
        sender.send(()).unwrap();
        latencies_ns.push((wait_for(&woken) - sent_ns) as f64);
    }
    print_latencies("oneshot_wake", latencies_ns);
}

fn idle_to_run(runtime: &Runtime) {
    let epoch = Instant::now();
    let mut latencies_ns = Vec::new();
    for _ in 0..IDLE_SPAWNS {
        let ran = Arc::new(AtomicU64::new(0));
        let note = ran.clone();
        std::thread::sleep(IDLE);
        let spawned_ns = epoch.elapsed().as_nanos() as u64;
        runtime.spawn(async move {
            note.store(epoch.elapsed().as_nanos() as u64, Ordering::Release);
        });
        std::thread::sleep(IDLE);
        latencies_ns.push((wait_for(&ran) - spawned_ns) as f64);
    }
    print_latencies("idle_to_run", latencies_ns);
}

// Polls a future that is not ready, which registers its timer.
struct FirstPoll<'a, F>(Pin<&'a mut F>);

impl<F: Future> Future for FirstPoll<'_, F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(self.0.as_mut().poll(context).is_pending());
        Poll::Ready(())
    }
}

fn timer_create_cancel(runtime: &Runtime) {
    let ns = median_of_rounds(ROUNDS, || {
        on_worker(runtime, async {
            let mut timers = Vec::with_capacity(SET_TIMERS);
            let began = Instant::now();
            for i in 0..SET_TIMERS {
                let after = Duration::from_secs(30) + Duration::from_nanos(30_000_000_000 * i as u64 / SET_TIMERS as u64);
                let mut timer = Box::pin(tokio::time::sleep_until((began + after).into()));
                FirstPoll(timer.as_mut()).await;
                timers.push(timer);
            }
            for timer in timers {
                drop(timer);
            }
            began.elapsed()
        })
    });
    print_row("timer_create_cancel", ns / SET_TIMERS as f64);
}

fn timer_fire(runtime: &Runtime) {
    let lateness_ns: Arc<Vec<AtomicU64>> = Arc::new((0..TIMERS).map(|_| AtomicU64::new(0)).collect());
    let results = lateness_ns.clone();
    let cpu_ns = on_worker(runtime, async move {
        let (countdown, all_done) = Countdown::start(TIMERS);
        let first = Instant::now() + LEAD;
        for i in 0..TIMERS {
            let deadline = first + Duration::from_secs(1) * i as u32 / TIMERS as u32;
            let countdown = countdown.clone();
            let results = results.clone();
            tokio::spawn(async move {
                tokio::time::sleep_until(deadline.into()).await;
                results[i].store(deadline.elapsed().as_nanos() as u64, Ordering::Relaxed);
                countdown.count_down();
            });
        }
        tokio::time::sleep_until((first - QUIET).into()).await;
        let cpu_before_ns = process_cpu_ns();
        all_done.await.unwrap();
        process_cpu_ns() - cpu_before_ns
    });
    print_row("timer_fire", cpu_ns / TIMERS as f64);
    let lateness_ns = lateness_ns.iter().map(|ns| ns.load(Ordering::Relaxed) as f64).collect();
    print_latencies("timer_lateness", lateness_ns);
}

// Sleeps for 3 to 7 ms; the durations vary, so that they coincide with no tick.
async fn nap(count: usize, seed: usize) -> Vec<f64> {
    let mut lateness_ns = Vec::with_capacity(count);
    for i in 0..count {
        let deadline = Instant::now() + Duration::from_micros(3_000 + ((seed + i) * 7_919 % 4_001) as u64);
        tokio::time::sleep_until(deadline.into()).await;
        lateness_ns.push(deadline.elapsed().as_nanos() as f64);
    }
    lateness_ns
}

fn timer_idle(runtime: &Runtime) {
    print_latencies("timer_idle", on_worker(runtime, nap(IDLE_NAPS, 0)));
}

fn timer_load(runtime: &Runtime) {
    let lateness_ns = on_worker(runtime, async {
        let over = Arc::new(AtomicBool::new(false));
        let mut busy = Vec::new();
        for _ in 0..BUSY_TASKS {
            let over = over.clone();
            busy.push(tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    while began.elapsed() < BUSY {}
                    tokio::task::yield_now().await;
                }
            }));
        }
        let nappers: Vec<_> = (0..NAPPERS).map(|i| tokio::spawn(nap(NAPS, i))).collect();
        let mut all_ns = Vec::new();
        for napper in nappers {
            all_ns.extend(napper.await.unwrap());
        }
        over.store(true, Ordering::Relaxed);
        for task in busy {
            task.await.unwrap();
        }
        all_ns
    });
    print_latencies("timer_load", lateness_ns);
}

fn parked(runtime: &Runtime) {
    on_worker(runtime, async {
        let started = Arc::new(AtomicUsize::new(0));
        let (woken, all_woken) = Countdown::start(PARKED);
        let mut senders: Vec<Option<oneshot::Sender<()>>> = Vec::with_capacity(PARKED);
        senders.resize_with(PARKED, || None);
        keep(&mut senders);

        let bytes_before = resident_bytes();
        let spawn_began = Instant::now();
        for slot in senders.iter_mut() {
            let (sender, receiver) = oneshot::channel::<()>();
            *slot = Some(sender);
            let started = started.clone();
            let woken = woken.clone();
            tokio::spawn(async move {
                started.fetch_add(1, Ordering::Relaxed);
                receiver.await.unwrap();
                woken.count_down();
            });
        }
        while started.load(Ordering::Relaxed) != PARKED {
            tokio::task::yield_now().await;
        }
        let spawn_ns = spawn_began.elapsed().as_nanos() as f64;
        print_row("parked_bytes", (resident_bytes() - bytes_before) / PARKED as f64);
        print_row("parked_spawn", spawn_ns / PARKED as f64);

        let wake_began = Instant::now();
        for slot in senders.iter_mut() {
            slot.take().unwrap().send(()).unwrap();
        }
        all_woken.await.unwrap();
        print_row("parked_wake", wake_began.elapsed().as_nanos() as f64 / PARKED as f64);
    });
}

fn parked_notify(runtime: &Runtime) {
    on_worker(runtime, async {
        let started = Arc::new(AtomicUsize::new(0));
        let notify = Arc::new(Notify::new());
        let (woken, all_woken) = Countdown::start(PARKED);

        let bytes_before = resident_bytes();
        let spawn_began = Instant::now();
        for _ in 0..PARKED {
            let (started, notify, woken) = (started.clone(), notify.clone(), woken.clone());
            tokio::spawn(async move {
                let notified = notify.notified(); // from here on notify_waiters() reaches it
                started.fetch_add(1, Ordering::Relaxed);
                notified.await;
                woken.count_down();
            });
        }
        while started.load(Ordering::Relaxed) != PARKED {
            tokio::task::yield_now().await;
        }
        let spawn_ns = spawn_began.elapsed().as_nanos() as f64;
        print_row("parked_notify_bytes", (resident_bytes() - bytes_before) / PARKED as f64);
        print_row("parked_notify_spawn", spawn_ns / PARKED as f64);

        let wake_began = Instant::now();
        notify.notify_waiters();
        all_woken.await.unwrap();
        print_row("parked_notify_wake", wake_began.elapsed().as_nanos() as f64 / PARKED as f64);
    });
}

// The rows of channels and locks, in the shapes of rows/channel_rows.cpp and rows/lock_rows.cpp.
mod words;
// The rows of tasks that wait for their children, in the shapes of rows/children_rows.cpp.
mod children;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).map(|i| arguments[i + 1].clone());
    let workers: usize = option("--workers").map_or(2, |text| text.parse().unwrap());
    let only = option("--only");

    let rows: [(&str, fn(&Runtime)); 27] = [
        ("parked", parked),
        ("parked_notify", parked_notify),
        ("spawn_local_many", spawn_local_many),
        ("spawn_remote_many", spawn_remote_many),
        ("yield_many", yield_many),
        ("ping_pong", ping_pong),
        ("chained_spawn", chained_spawn),
        ("oneshot_wake", oneshot_wake),
        ("idle_to_run", idle_to_run),
        ("timer_create_cancel", timer_create_cancel),
        ("timer_fire", timer_fire),
        ("timer_idle", timer_idle),
        ("timer_load", timer_load),
        ("mpsc_1p1c", words::mpsc_1p1c),
        ("mpsc_4p1c", words::mpsc_4p1c),
        ("round_trip", words::round_trip),
        ("oneshot", words::oneshot_value),
        ("broadcast", words::broadcast_values),
        ("watch", words::watch_changes),
        ("mutex_8", words::mutex_8),
        ("rwlock_8", words::rwlock_8),
        ("semaphore_8", words::semaphore_8),
        ("barrier_8", words::barrier_8),
        ("notify", words::notify),
        ("once", words::once),
        ("all_fib", children::all_fib),
        ("spawn_fib", children::spawn_fib),
    ];
    // Runs alone: free memory of other rows would hide the growth.
    let alone = "parked_notify";
    for (name, measure) in rows {
        if only.as_deref().map_or(name != alone, |wanted| wanted == name) {
            measure(&Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap());
        }
    }
}
