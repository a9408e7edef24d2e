// SPDX-License-Identifier: MIT

// The functions that std::mutex and std::condition_variable call, for objects in the memory of an execution. Such an
// object is an atomic: 1 while a mutex is held; the number of notifications of a condition variable. So the explorer
// may switch to another thread while a mutex is held. Replaces the C library's functions in this program, which has one
// thread: every other mutex is free, and no thread waits for another condition variable.
#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "tests/model/explorer/operations.h"
#include "tests/model/explorer/plain_memory.h"

namespace volt::model {
namespace {

[[nodiscard]] bool is_explored(const void* object) noexcept { return PlainMemory::open() && PlainMemory::owns(object); }

// Returns the number of the object's atomic, which is created at the first use. The object itself, all zeros at first,
// keeps that number plus 1.
[[nodiscard]] std::uint32_t atomic_of(void* object) noexcept {
  std::uint32_t number = 0;
  std::memcpy(&number, object, sizeof number);
  if (number == 0) number = create_atomic(0) + 1;
  std::memcpy(object, &number, sizeof number);
  return number - 1;
}

[[nodiscard]] bool try_lock(pthread_mutex_t* mutex) noexcept {
  std::uint64_t held = 0;
  return compare_exchange(atomic_of(mutex), held, 1, std::memory_order_acquire, std::memory_order_relaxed,
                          Site::here());
}

}  // namespace
}  // namespace volt::model

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!volt::model::is_explored(mutex)) return 0;
  while (!volt::model::try_lock(mutex)) volt::model::wait_for_change();
  return 0;
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return !volt::model::is_explored(mutex) || volt::model::try_lock(mutex) ? 0 : EBUSY;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (!volt::model::is_explored(mutex)) return 0;
  volt::model::store_atomic(volt::model::atomic_of(mutex), 0, std::memory_order_release, volt::model::Site::here());
  return 0;
}

// An old number of notifications is a wake-up without a notification, which the caller must expect.
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) noexcept(false) {
  const std::uint32_t atomic = volt::model::atomic_of(condition);
  const auto notifications = [&] {
    return volt::model::load_atomic(atomic, std::memory_order_relaxed, volt::model::Site::here());
  };
  const std::uint64_t before = notifications();
  pthread_mutex_unlock(mutex);
  while (notifications() == before) volt::model::wait_for_change();
  pthread_mutex_lock(mutex);
  return 0;
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!volt::model::is_explored(condition)) return 0;
  const std::uint32_t atomic = volt::model::atomic_of(condition);
  const std::uint64_t before = volt::model::begin_exchange(atomic);
  volt::model::end_exchange(atomic, before + 1, std::memory_order_relaxed, volt::model::Site::here());
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept { return pthread_cond_signal(condition); }
int pthread_cond_destroy(pthread_cond_t*) noexcept { return 0; }

}  // extern "C"
