// SPDX-License-Identifier: MIT

// SpareDuty: one word that says what a spare worker has to do, and whether it has a thread (spare_workers.h).
//
// Threads: the watchdog calls start_to_serve, start_to_leave and end_service; the spare's thread calls serving,
// note_left and try_end; any thread may call leaving and at_rest.
//
//     ended --start_to_serve--> serving --start_to_leave--> leaving --note_left--> left --try_end--> ended
//     leaving or left --start_to_serve--> serving        serving --end_service--> ended (no thread could be started)
//
// Invariant: the thread of a spare that is `left` or `ended` runs no task. So the watchdog may sleep when all spares
//     are in one of these states. In every other state a task may run, even in `leaving`: the thread may not have seen
//     yet that it must leave, or may be between two tasks.
//
// Edges
//   S2  start_to_serve() x try_end(), both exchanges : if the duty is given while the thread ends, either the thread
//       sees the duty and does not end, or start_to_serve() sees that the thread has ended, and another one is started.
//       A wake, which is a system call, follows each change, so that a thread that sleeps sees the change
//   S3  note_left()'s release  ->  at_rest()'s acquire : the tasks of the spare have ended
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"

namespace volt::sched {

class SpareDuty {
 public:
  // Gives the spare the duty to serve. Returns true if its thread has ended, or is about to: the caller must start
  // another one. On false the caller must wake the thread.
  [[nodiscard]] bool start_to_serve() noexcept {
    return duty_.exchange(Duty::serving, base::acq_rel) == Duty::ended;  // S2
  }
  // Ends the duty to serve. The caller must wake the thread.
  void start_to_leave() noexcept { duty_.exchange(Duty::leaving, base::acq_rel); }  // S2
  // Takes back the duty of a spare whose thread could not be started.
  void end_service() noexcept { duty_.exchange(Duty::ended, base::acq_rel); }  // S2

  [[nodiscard]] bool serving() const noexcept { return duty_.load(base::acquire) == Duty::serving; }  // S2
  // Records that the thread runs no task until it sees that it serves again. The thread must have handed over its tasks
  // before. Has no effect if the spare has been given the duty to serve again.
  void note_left() noexcept {
    Duty expected = Duty::leaving;
    duty_.compare_exchange_strong(expected, Duty::left, base::acq_rel,  // S2 S3
                                  base::relaxed);                       // relaxed: nothing follows from it
  }
  // Returns true if the thread must end. Returns false if it was given the duty to serve.
  [[nodiscard]] bool try_end() noexcept {
    Duty expected = Duty::left;
    return duty_.compare_exchange_strong(expected, Duty::ended, base::acq_rel, base::acquire);  // S2
  }

  // Returns whether the spare does not serve.
  [[nodiscard]] bool leaving() const noexcept {
    return duty_.load(base::relaxed) != Duty::serving;  // relaxed: a hint
  }
  // Returns whether the spare runs no task. This remains so until the watchdog gives it the duty to serve.
  [[nodiscard]] bool at_rest() const noexcept {
    const Duty duty = duty_.load(base::acquire);  // S3
    return duty == Duty::ended || duty == Duty::left;
  }

 private:
  enum class Duty : std::uint8_t {
    ended,    // its thread has ended, or is about to
    serving,  // runs what waits for stuck workers
    leaving,  // has been told to leave, and may still run tasks
    left,     // hands everything to the workers, and is parked
  };

  base::Atomic<Duty> duty_{Duty::ended};
};

}  // namespace volt::sched
