// SPDX-License-Identifier: MIT

// Rows of tasks that compete for a lock or another synchronization primitive.
#include "loadtest/micro/rows/rows.h"
#include "loadtest/micro/rows/task_group.h"
#include "runtime/barrier.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/once_cell.h"
#include "runtime/rw_lock.h"
#include "runtime/sched/clock.h"
#include "runtime/semaphore.h"

namespace rows {
namespace {

using volt::Task;
using volt::sched::now_ns;

constexpr int kRounds = 31;
constexpr std::size_t kTasks = 8;
constexpr std::size_t kTurns = 5'000;
constexpr std::size_t kReadsPerWrite = 15;
constexpr std::size_t kPermits = 4;
constexpr std::size_t kBarrierRounds = 1'000;
constexpr std::size_t kNotifications = 5'000;
constexpr std::size_t kCells = 20'000;

struct Shared {
  volt::Mutex mutex;
  volt::RwLock rw_lock;
  volt::Semaphore semaphore{kPermits};
  volt::Barrier barrier{kTasks};
  volt::Notify there;
  volt::Notify back;
  std::size_t value = 0;
};
using KeptShared = Borrowed<Shared>;

Task<> lock_often(KeptShared shared) {
  for (std::size_t i = 0; i != kTurns; ++i) {
    const volt::Mutex::Guard guard = co_await shared->mutex.lock();
    ++shared->value;
  }
}

Task<> read_and_write(KeptShared shared) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i != kTurns; ++i) {
    if (i % (kReadsPerWrite + 1) == 0) {
      const volt::RwLock::WriteGuard guard = co_await shared->rw_lock.write();
      ++shared->value;
    } else {
      const volt::RwLock::ReadGuard guard = co_await shared->rw_lock.read();
      sum += shared->value;
    }
  }
  if (sum == 1) shared->value = 0;  // so that the reads are not optimized away
}

Task<> acquire_often(KeptShared shared) {
  for (std::size_t i = 0; i != kTurns; ++i) {
    const volt::Result<volt::Semaphore::Permit> permit = co_await shared->semaphore.acquire();
  }
}

Task<> meet_often(KeptShared shared) {
  for (std::size_t i = 0; i != kBarrierRounds; ++i) static_cast<void>(co_await shared->barrier.arrive());
}

Task<> notify_there(KeptShared shared) {
  for (std::size_t i = 0; i != kNotifications; ++i) {
    shared->there.notify_one();
    co_await shared->back.notified();
  }
}
Task<> notify_back(KeptShared shared) {
  for (std::size_t i = 0; i != kNotifications; ++i) {
    co_await shared->there.notified();
    shared->back.notify_one();
  }
}

using Body = Task<> (*)(KeptShared);

// `count` tasks run `first`; one more runs `second` unless it is null. Returns the elapsed time.
Task<std::int64_t> meet(std::size_t count, Body first, Body second) {
  Shared shared;
  TaskGroup tasks;
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != count; ++i) tasks.spawn(first, KeptShared{&shared});
  if (second != nullptr) tasks.spawn(second, KeptShared{&shared});
  co_await tasks.join();
  co_return now_ns() - began_ns;
}

double measure(volt::Runtime& runtime, std::size_t count, Body first, Body second = nullptr) {
  return median_of_rounds(kRounds, [&] { return runtime.block_on(meet, count, first, second); });
}

Task<std::size_t> make(std::size_t value) { co_return value; }

Task<std::int64_t> fill_cells() {
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != kCells; ++i) {
    volt::OnceCell<std::size_t> cell;
    auto making = [i] { return make(i); };
    const std::size_t first = co_await cell.get_or_init(making);
    const std::size_t second = co_await cell.get_or_init(making);
    if (first != second) co_return 0;
  }
  co_return now_ns() - began_ns;
}

}  // namespace

void mutex_8(volt::Runtime& runtime, Figures& figures) {
  figures.add("mutex_8", measure(runtime, kTasks, lock_often) / (kTasks * kTurns));
}
void rwlock_8(volt::Runtime& runtime, Figures& figures) {
  figures.add("rwlock_8", measure(runtime, kTasks, read_and_write) / (kTasks * kTurns));
}
void semaphore_8(volt::Runtime& runtime, Figures& figures) {
  figures.add("semaphore_8", measure(runtime, kTasks, acquire_often) / (kTasks * kTurns));
}
void barrier_8(volt::Runtime& runtime, Figures& figures) {
  figures.add("barrier_8", measure(runtime, kTasks, meet_often) / (kTasks * kBarrierRounds));
}
void notify(volt::Runtime& runtime, Figures& figures) {
  figures.add("notify", measure(runtime, 1, notify_there, notify_back) / kNotifications);
}
void once(volt::Runtime& runtime, Figures& figures) {
  figures.add("once", median_of_rounds(kRounds, [&] { return runtime.block_on(fill_cells); }) / kCells);
}

}  // namespace rows
