// SPDX-License-Identifier: MIT

// Source: the readiness of one descriptor. It connects the reactor that reports events with the tasks that wait for
// them.
//
// The kernel reports edges, that is, changes of readiness: "data has arrived" or "there is room again". An edge that
// finds a waiting task wakes it; an edge that finds no waiting task is kept until the next wait consumes it. Both sides
// change one word by read-modify-writes, so no edge is lost and none wakes twice. An end of stream is permanent (unless
// Ends::pass): every later wait for that direction ends at once. The peer's FIN ends only reading (the peer may still
// read our data); an error or a full hangup ends both directions.
//
// In addition, a task that waits for something else can be notified, once, when the peer has hung up.
//
// Threads: one task at a time waits for each direction; any thread may report an edge or stop a wait.
// Lifetime: reference-counted. The owner holds one reference, and each poll armed in a reactor holds another; dropping
// the last one closes the descriptor and deletes the source. So an event never reaches a source that has been deleted,
// nor another file with the same descriptor number.
//
// Edges
//   R1  start_wait (start_hangup_watch) releases the waiter to wake (the task to notify)  ->  report() or stop_wait()
//       acquires it
//   R2  report() releases the edge      ->  start_wait() or try_consume() acquires it
//   R3  a dropped reference releases    ->  the last dropper acquires
//   R4  set_reactor() releases          ->  reactor() acquires : an old home that is to end its poll, or that sees the
//       new home, does not arm the poll again
//   R5  set_leaving(false) of the old home, which has taken leave_request out of its queue  ->  leaving() of the owning
//       task : the task may queue the request again
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/io/completion.h"

namespace volt::io {

class Reactor;

enum class Direction : std::uint8_t { read, write };

// The event that counts as the peer's hangup.
enum class Hangup : std::uint8_t {
  full,  // a reset, an error, or the end of both directions
  half,  // also the end of the peer's data, though the peer may still read ours
};

// Whether an end or an error is permanent. `last`: permanent, as for a stream. `pass`: not permanent, as for a datagram
// socket, which reports an error once and stays usable.
enum class Ends : std::uint8_t { last, pass };

class Source;

// Travels from report() to a worker, which cancels the task and drops a reference to the task and one to the source.
struct HangupNotice : Completion {
  explicit HangupNotice(Source& reported) noexcept : source(reported) { is_hangup = true; }
  Source& source;
};

// A message to a worker, which must end its poll of `source`. The message holds a reference to the source until the
// worker has handled it. It is a member of the source, so sending it allocates nothing.
struct UnwatchRequest {
  explicit UnwatchRequest(Source& watched) noexcept : source(watched) {}
  Source& source;
  UnwatchRequest* queue_next = nullptr;
};

class Source {
 public:
  // The events that a reactor reports.
  static constexpr std::uint32_t kReadable = 1;
  static constexpr std::uint32_t kWritable = 2;
  static constexpr std::uint32_t kReadEnd = 4;  // the peer sends no more data: a read returns the end of stream
  static constexpr std::uint32_t kBroken = 8;   // an error, or both directions shut down: reads and writes return which

  // Takes ownership of `fd`, which must be non-blocking.
  explicit Source(int fd, Ends ends = Ends::last) noexcept : fd_(fd), ends_(ends) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }

  // Returns true if an edge was kept, which is consumed, or if the direction has ended: the caller should try its
  // system call.
  [[nodiscard]] bool try_consume(Direction direction) noexcept;

  // Registers `waiter` for the next edge, which will wake the caller's task through it. Returns true if the task must
  // suspend. Returns false, and registers nothing, if an edge was kept, which is consumed, or if the direction has
  // ended.
  [[nodiscard]] bool start_wait(Direction direction, Completion& waiter) noexcept;

  // Ends a wait before an edge does (cancellation, deadline). Returns the waiter, which no edge will wake any more.
  // Returns null if no task waits, or if an edge came first.
  [[nodiscard]] Completion* stop_wait(Direction direction) noexcept;

  // Starts a watch: `task` will be notified when the peer hangs up. On true, the source takes over a reference to
  // `task` from the caller. Returns false, and does nothing, if the peer has hung up already or a hangup was reported
  // before.
  [[nodiscard]] bool start_hangup_watch(sched::TaskHeader& task, Hangup when) noexcept;
  // Ends the hangup watch. Returns true if no hangup was reported: the caller must drop the reference to the task. On
  // false the HangupNotice owns that reference.
  [[nodiscard]] bool stop_hangup_watch() noexcept;

  // Called by a reactor when the events in `edges` (a union of kReadable, kWritable, kReadEnd and kBroken) have
  // occurred. Appends the completions of the tasks to wake to `woken`.
  void report(std::uint32_t edges, base::Chain<Completion>& woken) noexcept;
  // Called by a reactor if the source cannot be watched. Both directions then count as ended, and no later wait
  // suspends.
  void set_unwatchable() noexcept { word_.fetch_or(kReadEnded | kWriteEnded, base::release); }  // R2

  [[nodiscard]] bool ended(Direction direction) const noexcept {
    // relaxed: the result is only a hint; the caller's system call returns the error or the end
    return (word_.load(base::relaxed) & end_bit(direction)) != 0;
  }

  // Called when the owner has closed the source: later edges are dropped.
  void set_closing() noexcept { word_.fetch_or(kClosing, base::release); }                             // R2
  [[nodiscard]] bool closing() const noexcept { return (word_.load(base::acquire) & kClosing) != 0; }  // R2

  void add_reference() noexcept { references_.fetch_add(1, base::relaxed); }  // relaxed: the adder holds one
  void drop_reference() noexcept;

  // Returns the reactor that is the source's home, or null before the first wait. Set by the owning task.
  [[nodiscard]] Reactor* reactor() const noexcept { return reactor_.load(base::acquire); }    // R4
  void set_reactor(Reactor& new_home) noexcept { reactor_.store(&new_home, base::release); }  // R4
  std::uint16_t home_worker = 0;  // index of the worker that owns reactor(); belongs to the owning task

  // Returns true from a move until the old home has ended its poll. The source must not move again in that time.
  // Otherwise it could return to its old home, whose reactor would then have two polls of it and end the wrong one.
  [[nodiscard]] bool leaving() const noexcept { return leaving_.load(base::acquire); }  // R5
  void set_leaving(bool leaving) noexcept { leaving_.store(leaving, base::release); }   // R5

  // The source's place in a list of a worker's sources (runtime/sched/homed_sources.h).
  struct ListPosition {
    static constexpr std::uint16_t kFree = 0xffff;
    base::Atomic<std::uint16_t> worker{kFree};  // the worker whose list it is
    std::uint32_t index = 0;
  };
  ListPosition list_positions[2];

  // Called by the owner when the threads and reactors of the scheduler that the source's home belonged to are gone: the
  // owner's is the only reference that is left.
  void leave_ended_home() noexcept {
    references_.store(1, base::relaxed);  // relaxed: no other thread uses the source
    for (ListPosition& position : list_positions) {
      position.worker.store(ListPosition::kFree, base::relaxed);  // relaxed: no other thread uses the source
    }
    set_leaving(false);
  }

  UnwatchRequest leave_request{*this};  // sent to an old home
  UnwatchRequest close_request{*this};  // sent to the last home, possibly while leave_request is still under way

 protected:
  virtual ~Source();

 private:
  static constexpr std::uint32_t kReadEdge = 1;
  static constexpr std::uint32_t kReadWaits = 2;
  static constexpr std::uint32_t kWriteEdge = 4;
  static constexpr std::uint32_t kWriteWaits = 8;
  static constexpr std::uint32_t kReadEnded = 16;
  static constexpr std::uint32_t kWriteEnded = 32;
  static constexpr std::uint32_t kClosing = 64;
  static constexpr std::uint32_t kFullHangupWatched = 128;
  static constexpr std::uint32_t kHalfHangupWatched = 256;
  static constexpr std::uint32_t kHangupReported = 512;

  static constexpr std::uint32_t edge_bit(Direction d) noexcept {
    return d == Direction::read ? kReadEdge : kWriteEdge;
  }
  static constexpr std::uint32_t waits_bit(Direction d) noexcept {
    return d == Direction::read ? kReadWaits : kWriteWaits;
  }
  static constexpr std::uint32_t end_bit(Direction d) noexcept {
    return d == Direction::read ? kReadEnded : kWriteEnded;
  }

  base::Atomic<std::uint32_t> word_{0};
  base::Atomic<std::uint32_t> references_{1};
  base::Atomic<Reactor*> reactor_{nullptr};
  base::Atomic<bool> leaving_{false};
  Completion* reader_ = nullptr;  // valid while kReadWaits is set
  Completion* writer_ = nullptr;  // valid while kWriteWaits is set
  HangupNotice hangup_{*this};    // its task is valid while a hangup is watched, and until the hangup is reported
  int fd_;
  const Ends ends_;
};

}  // namespace volt::io
