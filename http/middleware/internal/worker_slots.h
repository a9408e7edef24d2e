// WorkerSlots<T>: one T for each worker, made when that worker first asks: a PerWorker for what is built before the
// runtime whose workers will use it.
//
// Threads: local() on a worker; what it gives is that worker's own, unless the T says that it bears more, and not to be
// held across a co_await. for_each() on any thread.
// Lifetime: outlives the tasks that use it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/per_worker.h"

namespace volt::http::middleware {

template <class T>
class WorkerSlots {
 public:
  WorkerSlots() = default;
  WorkerSlots(const WorkerSlots&) = delete;
  WorkerSlots& operator=(const WorkerSlots&) = delete;
  ~WorkerSlots() {
    for_each([](T& value) { delete &value; });
  }

  // Made of `args` if there is none yet.
  template <class... Args>
  [[nodiscard]] T& local(const Args&... args) {
    const std::size_t worker = this_worker();
    VOLT_CHECK(worker < kWorkersMax);
    T* const own = slots_[worker].load(base::acquire);
    return own != nullptr ? *own : make(slots_[worker], args...);
  }

  template <class F>
  void for_each(F function) const {
    for (const auto& slot : slots_) {
      if (T* const value = slot.load(base::acquire)) function(*value);
    }
  }

 private:
  static constexpr std::size_t kWorkersMax = 1024;  // as many as a runtime may have

  // Workers of two runtimes may share a number.
  template <class... Args>
  static T& make(base::Atomic<T*>& slot, const Args&... args) {
    auto made = std::make_unique<T>(args...);
    T* there = nullptr;
    if (slot.compare_exchange_strong(there, made.get(), base::acq_rel, base::acquire)) return *made.release();
    return *there;
  }

  std::array<base::Atomic<T*>, kWorkersMax> slots_{};
};

}  // namespace volt::http::middleware
