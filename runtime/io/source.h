// Source: the readiness of one descriptor, between the reactor that learns of it and the tasks that wait for it.
//
// The kernel reports edges: "something has come", "there is room again". An edge that finds a waiting task is handed to
// it; one that finds nobody is kept until the next wait consumes it. Both sides change one word by read-modify-writes,
// so no edge is lost and none wakes twice. An end stays (unless Ends::pass): from then on every wait for that direction
// is over at once. The peer's FIN ends only reading (it may still read what we write); an error or a full hangup ends
// both.
//
// Besides, a task that waits for something else may have itself told, once, when the peer has hung up.
//
// Threads: one task at a time waits for each direction; any thread may report or stop a wait.
// Lifetime: counted. The owner holds one reference, each poll armed in a reactor another; the last one closes the
// descriptor and deletes the source. So an event can never meet a source that is gone, nor another file under the same
// descriptor number.
//
// Edges
//   R1  start_wait (start_hangup_watch) releases whom to wake (tell)  ->  report() or stop_wait() acquires it
//   R2  report() releases the edge      ->  start_wait() or try_consume() acquires it
//   R3  a dropped reference releases    ->  the last dropper acquires
//   R4  set_reactor() releases          ->  reactor() acquires : an old home that is told to end its poll, or sees the
//                                           new home, starts no other
//   R5  the old home has taken leave_request out of its queue (set_leaving)  ->  leaving() : it may be queued again
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/io/completion.h"

namespace volt::io {

class Reactor;

enum class Direction : std::uint8_t { read, write };

// When a peer counts as gone.
enum class Hangup : std::uint8_t {
  full,  // a reset, an error, or the end of both directions
  half,  // also the end of its data, though it may still read ours
};

// Whether an end or an error lasts, as a stream's does. A datagram socket's is told once, and then it goes on.
enum class Ends : std::uint8_t { last, pass };

class Source;

// Travels from report() to a worker, which cancels the task and gives up a reference to each of both.
struct HangupNotice : Completion {
  explicit HangupNotice(Source& reported) noexcept : source(reported) { is_hangup = true; }
  Source& source;
};

// That a worker shall end its poll of a source; on its way it stands for a reference. It lies in the source, so that
// asking allocates nothing.
struct UnwatchRequest {
  explicit UnwatchRequest(Source& watched) noexcept : source(watched) {}
  Source& source;
  UnwatchRequest* queue_next = nullptr;
};

class Source {
 public:
  // What a reactor reports.
  static constexpr std::uint32_t kReadable = 1;
  static constexpr std::uint32_t kWritable = 2;
  static constexpr std::uint32_t kReadEnd = 4;  // the peer sends no more: a read will say so
  static constexpr std::uint32_t kBroken = 8;   // an error, or both directions shut: reads and writes will say which

  // Takes over `fd`, which is non-blocking.
  explicit Source(int fd, Ends ends = Ends::last) noexcept : fd_(fd), ends_(ends) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }

  // Whether an edge was kept (or the direction has ended): the caller may try its system call. Consumes the edge.
  [[nodiscard]] bool try_consume(Direction direction) noexcept;

  // The caller's task is about to suspend until the next edge, which wakes it through `waiter`. False: an edge was
  // kept, it is consumed, and the caller goes on.
  [[nodiscard]] bool start_wait(Direction direction, Completion& waiter) noexcept;

  // Ends a wait early (cancel, deadline). Its waiter, which no edge will wake any more; null if nobody waits, or an
  // edge came first.
  [[nodiscard]] Completion* stop_wait(Direction direction) noexcept;

  // From now on the peer's hangup is told to `task`, to which the caller gives a reference. False, and nothing is done,
  // if it has hung up already or was told before.
  [[nodiscard]] bool start_hangup_watch(sched::TaskHeader& task, Hangup when) noexcept;
  // Ends that. False if it is told, or about to be: then the reference goes with the notice.
  [[nodiscard]] bool stop_hangup_watch() noexcept;

  // Reactor: bits of kReadable.. have come; appends whom they wake to `woken`.
  void report(std::uint32_t edges, base::Chain<Completion>& woken) noexcept;
  // Reactor: the source cannot be watched. Whoever will wait for it is told at once that it has ended.
  void set_unwatchable() noexcept { word_.fetch_or(kReadEnded | kWriteEnded, base::release); }  // R2

  [[nodiscard]] bool ended(Direction direction) const noexcept {
    return (word_.load(base::relaxed) & end_bit(direction)) != 0;  // relaxed: a hint to go on to the error or the end
  }

  // The owner is gone: edges are dropped from now on.
  void set_closing() noexcept { word_.fetch_or(kClosing, base::release); }                             // R2
  [[nodiscard]] bool closing() const noexcept { return (word_.load(base::acquire) & kClosing) != 0; }  // R2

  void add_reference() noexcept { references_.fetch_add(1, base::relaxed); }  // relaxed: the adder holds one
  void drop_reference() noexcept;

  // The reactor that it is at home in; null before the first wait. Set by the owning task.
  [[nodiscard]] Reactor* reactor() const noexcept { return reactor_.load(base::acquire); }    // R4
  void set_reactor(Reactor& new_home) noexcept { reactor_.store(&new_home, base::release); }  // R4
  std::uint16_t home_worker = 0;  // whose reactor that is. Belongs to the owning task.

  // True from a move until the old home has ended its poll. Meanwhile the source moves no further: a reactor that it
  // left and came back to would have two polls of it, and end the wrong one.
  [[nodiscard]] bool leaving() const noexcept { return leaving_.load(base::acquire); }  // R5
  void set_leaving(bool leaving) noexcept { leaving_.store(leaving, base::release); }   // R5

  UnwatchRequest leave_request{*this};  // to an old home
  UnwatchRequest close_request{*this};  // to the last one, while the other may still be under way

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
  static constexpr std::uint32_t kHangupTold = 512;

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
  HangupNotice hangup_{*this};    // its task is valid while a hangup is watched, and until it is told
  int fd_;
  const Ends ends_;
};

}  // namespace volt::io
