// SPDX-License-Identifier: MIT

// WorkClass: a kind of work, such as the requests of one route, or the tasks of one coroutine function. The scheduler
// learns for each class whether its turns are long. A turn is the execution of a task from one suspension to the next.
//
// Each turn of kLongTurn or more adds kLongTurnScore to the score of its class, and each shorter turn subtracts one.
// The class is heavy while its score is kHeavyScore or more: after three long turns in a row, or if more than one turn
// in nine is long. A single long turn proves nothing, because any thread may have to wait for a lock of the kernel
// whose holder has lost its processor. Runnable tasks of a heavy class wait in a queue of their own (heavy_queue.h), so
// that short work does not wait for long work.
//
// Learning costs nothing while all work is short. The watchdog finds the classes whose tasks it sees stuck. A worker
// measures single turns only if the average of its turns is long already, or if the class has a score. A turn that both
// of them find long counts twice.
//
// The class of a coroutine function is light from the moment when one of its tasks calls begin_work(): such tasks say
// themselves what work they do. A turn is judged by the last class that it had, so the watchdog could only find the
// function long: after three slow turns in the life of a process, its next tasks would wait behind handlers that block
// all threads for heavy work.
//
// The state of a class is a hint in a table of fixed size, so that any thread can look it up at any time. Classes of
// routes use the entries in turn, and coroutine functions share an entry if their hashes are equal. Two kinds of work
// that share an entry are treated alike; the more frequent one decides, unless one of them calls begin_work().
//
// urgent() is the class of tasks that accept connections. Such a task waits in a queue of its own, and runs before the
// others of its worker whenever the worker has collected events (WorkerLoop::next_light_task): after 100 us of other
// tasks, or after one task that takes longer. So no number of other tasks can starve it, in particular not the tasks of
// the connections that it has accepted. In return, an urgent task must bound its turns.
//
// Rejected: to accept inside the worker's loop, without a task. A listener may have to wait for other things than
// connections: for a permit, for memory, for descriptors.
// Rejected: pinned tasks, whose queue also takes turns with the local queue. They cannot be rescued from a worker that
// is stuck, and then no connection of its listener would be accepted.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/base/atomic.h"

namespace volt::sched {

class WorkClass {
 public:
  static constexpr std::chrono::nanoseconds kLongTurn = std::chrono::milliseconds(1);
  static constexpr std::uint8_t kLongTurnScore = 8;
  static constexpr std::uint8_t kHeavyScore = 3 * kLongTurnScore;
  static constexpr std::uint8_t kScoreMax = 5 * kLongTurnScore;

  // The number of classes that make() gives out in turn. Entry 0 is that of work without a class.
  static constexpr std::uint16_t kRoutes = 4096;
  // The entries for coroutine functions are 2 to this power: so many that two functions of a program seldom share one.
  static constexpr unsigned kFunctionBits = 15;
  // The number of all classes but urgent().
  static constexpr std::uint16_t kClasses = kRoutes + (1U << kFunctionBits);

  enum class Weight : std::uint8_t { learned, light, heavy };

  // Work without a class is light.
  constexpr WorkClass() noexcept = default;
  // Returns a class that no other work has used recently. `name` is for reports and may be truncated.
  [[nodiscard]] static WorkClass make(Weight weight, std::string_view name = {}) noexcept;
  // Returns the class of tasks that accept connections. It is never heavy, and its turns are not judged.
  [[nodiscard]] static constexpr WorkClass urgent() noexcept { return WorkClass(kUrgent); }
  // Returns the class of the tasks whose coroutine is an instance of the same function.
  [[nodiscard]] static WorkClass of(std::coroutine_handle<> coroutine) noexcept {
    const auto resume = reinterpret_cast<std::uintptr_t>(code_of(coroutine));
    const std::uint64_t hash = resume * 0x9e3779b97f4a7c15 >> (64 - kFunctionBits);
    return WorkClass(static_cast<std::uint16_t>(kRoutes + hash));
  }

  // Returns the function that resumes the coroutine, which must not have ended. All compilers begin the frame with it.
  [[nodiscard]] static const void* code_of(std::coroutine_handle<> coroutine) noexcept {
    const void* code = nullptr;
    std::memcpy(&code, coroutine.address(), sizeof code);
    return code;
  }

  [[nodiscard]] bool heavy() const noexcept {
    const std::uint8_t found = state();
    return found >= kHeavyScore && found != kAlwaysLight;
  }
  [[nodiscard]] constexpr bool is_urgent() const noexcept { return index_ == kUrgent; }
  // Returns whether each turn is to be measured.
  [[nodiscard]] bool has_score() const noexcept {
    const std::uint8_t found = state();
    return found != 0 && found != kAlwaysLight;
  }

  // Record that a turn took at least kLongTurn, or less.
  void found_long() const noexcept;
  void found_short() const noexcept;

  // Makes the class of a coroutine function light forever; does nothing to other classes.
  void make_function_light() const noexcept {
    const bool is_function = index_ >= kRoutes && !is_urgent();
    if (is_function && states_[index_].load(base::relaxed) != kAlwaysLight) set(kAlwaysLight);  // relaxed: a hint
  }

  // Returns the name; empty for a coroutine function, and for work without a class.
  [[nodiscard]] std::string_view name() const noexcept;

  // The names of the classes of routes, each in kNameBytes bytes and terminated by a zero. For debuggers.
  static constexpr std::size_t kNameBytes = 64;
  [[nodiscard]] static const char* name_table() noexcept;

  [[nodiscard]] std::uint16_t index() const noexcept { return index_; }
  [[nodiscard]] static WorkClass at(std::uint16_t index) noexcept { return WorkClass(index); }

 private:
  static constexpr std::uint16_t kUrgent = kClasses;

  // States of an entry. The values from 0 to kScoreMax are scores.
  static constexpr std::uint8_t kAlwaysLight = 254;
  static constexpr std::uint8_t kAlwaysHeavy = 255;

  explicit constexpr WorkClass(std::uint16_t index) noexcept : index_(index) {}
  [[nodiscard]] std::uint8_t state() const noexcept {
    if (!any_score_.load(base::relaxed)) return 0;  // relaxed: a hint
    return states_[index_].load(base::relaxed);     // relaxed: a hint
  }
  void set(std::uint8_t state) const noexcept;

  // Whether a class ever had a score or was always heavy: until then, no state needs to be looked up.
  static base::Atomic<bool> any_score_;
  static std::array<base::Atomic<std::uint8_t>, kUrgent + 1> states_;

  std::uint16_t index_ = 0;
};

}  // namespace volt::sched
