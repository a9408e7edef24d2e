// SPDX-License-Identifier: MIT

// SimulatedKernel: sockets, epoll, io_uring, eventfd and a clock for the unmodified runtime. The linker redirects the
// runtime's system calls to it (system_calls.cpp): calls on simulated descriptors are handled here, others go to Linux.
//
// Time is virtual: each call takes some microseconds, and when all threads wait, time jumps to the next event. Events
// are queued: segments that arrive, edges that become visible, clients that act. They run inside the system calls of
// the thread whose turn it is, in an order that the seed determines.
//
// The semantics are Linux's as far as the runtime may rely on them: an edge may be late, duplicate or spurious, but
// each relevant change is followed by one; a new descriptor is the lowest free one; a reset drops data in flight;
// closing with unread data resets. Anything outside these semantics (a call on a closed descriptor) is a violation.
//
// Threads: the thread whose turn it is (threads.h). Lifetime: must outlive the runtime that runs on it.
#pragma once

#include <liburing.h>
#include <sys/epoll.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tests/simulation/chance.h"
#include "tests/simulation/fault_injector.h"
#include "tests/simulation/threads.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"

namespace volt::simulation {

// The client's end of a connection; receives its events.
class Peer {
 public:
  virtual void data_arrived() = 0;  // SimulatedKernel::take() returns the data
  virtual void room_arrived() = 0;  // send() may accept more
  virtual void end_arrived() = 0;   // after all data
  virtual void reset_arrived() = 0;

 protected:
  ~Peer() = default;
};

struct Connection {
  Peer* peer = nullptr;  // null: the client has closed its end
  int fd = -1;           // the server's descriptor; -1 before accept and after close

  // The direction to the server.
  std::string received;
  std::size_t on_the_way_up = 0;
  Nanoseconds last_up{0};  // arrival time of the latest segment: segments stay in order
  bool peer_ended = false;
  bool reset = false;
  int error = 0;              // reported by one call, then cleared
  bool told_of_room = false;  // the client waits for room

  // The direction to the client.
  std::string delivered;
  std::size_t on_the_way_down = 0;
  Nanoseconds last_down{0};
  bool wants_room = false;  // a send was short: an edge is due when there is room
  bool shut_for_writing = false;
  bool abort_on_close = false;
  bool closed = false;  // the server has closed its end

  bool faulted = false;  // a fault was injected that may end the connection
};

class SimulatedKernel {
 public:
  static constexpr int kFirstDescriptor = 1'000'000'000;  // far above the descriptors that Linux assigns
  static constexpr std::size_t kUpBytes = 32 * 1024;
  static constexpr std::size_t kDownBytes = 48 * 1024;

  explicit SimulatedKernel(std::uint64_t seed, FaultInjector::Kind kind = FaultInjector::Kind::any);

  // ---- the server's system calls: results of the calls, errors as -errno ----
  int make_socket();
  int make_epoll();
  int make_eventfd();
  int listen_on(int fd);
  int accept_on(int fd);
  long receive(int fd, void* into, std::size_t size, int flags);
  long transmit(int fd, const void* from, std::size_t size, const char* call);
  int shut_down(int fd, int how);
  int close(int fd);
  int set_linger(int fd, bool reset);
  int watch(int epoll, int operation, int fd, const epoll_event* event);
  int make_ring(unsigned entries, unsigned completions, io_uring& ring);
  int submit(io_uring& ring, bool may_fail = true);
  int enter(int ring, std::int64_t timeout_ns);  // < 0: no timeout
  int send_message(int ring, std::uint64_t user_data);
  int wait(int epoll, epoll_event* events, int count_max, std::int64_t timeout_ns);
  long signal(int eventfd);
  // Returns the events of poll(2), without a wait: of a connection, or of an epoll set, which is readable if epoll_wait
  // would report events.
  [[nodiscard]] std::uint32_t poll(int fd, std::uint32_t events);
  [[nodiscard]] std::int64_t read_clock();
  // The file in /proc that describes a thread.
  int open_thread_state(pid_t thread);
  long read_thread_state(int fd, void* into, std::size_t size);
  [[nodiscard]] bool is_listener(int fd) const;

  [[nodiscard]] static bool owns(int fd) noexcept { return fd >= kFirstDescriptor; }

  // ---- the clients' end ----
  // Returns null if there is no listener, or its backlog is full.
  Connection* connect(Peer& peer);
  // Returns the number of bytes that were accepted.
  std::size_t send(Connection& connection, std::string_view bytes);
  void finish(Connection& connection);
  void reset(Connection& connection);
  // Reads the data that has arrived, at most `size_max` bytes.
  std::string take(Connection& connection, std::size_t size_max);
  void close(Connection& connection);

  // ---- events ----
  void in(Nanoseconds delay, std::move_only_function<void()> event) { timeline_.in(delay, std::move(event)); }
  [[nodiscard]] Nanoseconds now() const noexcept { return timeline_.now(); }

  // ---- threads ----
  [[nodiscard]] Threads& threads() noexcept { return threads_; }
  // Lets the calling thread use a processor until a system call has been made; may give the turn to others.
  void pass_time();
  // Called by the driver, on the thread that made the kernel: lets the server run for `duration` of virtual time.
  void run_for(Nanoseconds duration);
  // From now on the kernel may refuse threads and epoll sets.
  void run_short() noexcept { runs_short_ = true; }
  // Returns an errno, or 0: whether a thread or an epoll set is refused now.
  [[nodiscard]] int shortage() noexcept { return runs_short_ ? fault_injector_.shortage() : 0; }

  void violation(std::string what);
  [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }
  // Returns how many connections the server has accepted and not closed.
  [[nodiscard]] std::size_t open_connections() const;
  [[nodiscard]] std::size_t open_descriptors() const noexcept { return descriptors_.size(); }
  // Returns how often connections were polled.
  [[nodiscard]] std::uint64_t polls() const noexcept { return polls_; }
  [[nodiscard]] bool listener_faulted() const noexcept { return listener_faulted_; }
  [[nodiscard]] Chance& chance() noexcept { return chance_; }
  [[nodiscard]] FaultInjector& fault_injector() noexcept { return fault_injector_; }
  [[nodiscard]] Trace& trace() noexcept { return trace_; }
  // Adds a call to the trace and returns `result`.
  long traced(const char* name, int fd, std::int64_t argument, long result, std::string_view data = {});

 private:
  struct Watch {
    std::uint64_t id = 0;
    epoll_event event{};
    bool ready = false;
    std::uint64_t ready_since = 0;  // number of the event
  };
  // The memory of a ring that the runtime and the kernel share.
  struct RingMemory {
    RingMemory(unsigned entries, unsigned completion_entries) : requests(entries), completed(completion_entries) {}
    // Posts a completion, or keeps it in the overflow list.
    void push(std::uint64_t user_data, int result, unsigned completion_flags);
    // Posts a completion of a multishot poll. Returns false if there is no room for it, or older completions wait for
    // room: the poll then ends.
    [[nodiscard]] bool push_of_poll(std::uint64_t user_data, int result);
    // Moves completions from the overflow list to the queue.
    void flush();
    [[nodiscard]] bool has_completed() const noexcept { return completed_head != completed_tail; }
    [[nodiscard]] bool has_room() const noexcept {
      return overflowed.empty() && completed_tail - completed_head != completed.size();
    }

    std::vector<io_uring_sqe> requests;
    std::vector<io_uring_cqe> completed;
    const io_uring* user = nullptr;  // the runtime's ring; its tail is ahead of the submitted requests
    unsigned requests_head = 0;
    unsigned requests_tail = 0;
    std::deque<io_uring_cqe> overflowed;
    unsigned flags = 0;  // IORING_SQ_TASKRUN, IORING_SQ_CQ_OVERFLOW
    unsigned completed_head = 0;
    unsigned completed_tail = 0;
  };
  // An epoll set, or a ring with its polls.
  struct Watcher {
    std::multimap<int, Watch> watches;
    std::unique_ptr<RingMemory> ring;  // null: an epoll set
    pid_t owner = 0;                   // the thread that made it; only this one may enter a ring
    std::uint64_t events = 0;

    void set_ready(Watch& watch) noexcept {
      if (!watch.ready) watch.ready_since = ++events;
      watch.ready = true;
      if (ring) ring->flags |= IORING_SQ_TASKRUN;
    }
  };
  struct EventFd {
    bool signalled = false;  // in a ring: forever, because it is never read
  };
  // Which kernel's rings the run has.
  struct RingKind {
    bool sends_messages;          // since 6.13; before, the runtime wakes the worker by an eventfd
    unsigned completion_entries;  // the length of each completion queue; 0: what was asked for
    bool newest_first;            // 6.1 handles the polls of one enter in reverse order of their events
  };
  struct Unbound {};
  struct Listener {
    std::deque<Connection*> waiting;
    bool shut_down = false;
    bool turns_one_away = false;  // the last accept has failed for lack of descriptors or memory
  };
  struct ThreadState {
    pid_t thread;
  };
  using Descriptor = std::variant<Unbound, Watcher, EventFd, Listener, Connection*, ThreadState>;

  template <class T>
  [[nodiscard]] T* find(int fd, const char* call);
  int open(Descriptor descriptor);
  [[nodiscard]] std::uint32_t state_of(int fd) const;
  [[nodiscard]] static std::uint32_t state_of(const Connection& connection) noexcept;
  [[nodiscard]] bool readable(const Watcher& epoll) const;
  [[nodiscard]] static std::size_t room_down(const Connection& connection) noexcept;
  void edge(int fd);
  void mark_ready(int fd, std::uint64_t watch_id);
  // Calls `visit(Watcher&, Watch&)` on each watch of `fd`.
  template <class Visit>
  void for_each_watch(int fd, Visit&& visit);
  [[nodiscard]] int watch_fault(int fd);
  [[nodiscard]] std::vector<std::multimap<int, Watch>::iterator> take_ready(Watcher& watcher);
  int harvest(Watcher& epoll, epoll_event* events, int count_max);
  int harvest(Watcher& ring);
  int sleep(const Watcher& watcher, std::int64_t timeout_ns, const std::function<int()>& look);
  void set_ready(Watcher& watcher, Watch& watch);
  void require_owner(const Watcher& ring, const char* call);
  void submit(Watcher& ring, const io_uring_sqe& request);
  void cancel(Watcher& ring, const io_uring_sqe& request);
  void arrive_up(Connection& connection, std::string bytes);
  void arrive_down(Connection& connection, std::string bytes);
  void arrive_reset(Connection& connection);
  void send_reset_to_client(Connection& connection);
  [[nodiscard]] Nanoseconds arrival(Nanoseconds& last);

  Chance chance_;
  FaultInjector fault_injector_;
  RingKind ring_kind_;
  Trace trace_;
  Timeline timeline_;
  Threads threads_;
  std::map<int, Descriptor> descriptors_;
  std::uint64_t next_watch_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  // kept until the end
  bool runs_short_ = false;
  bool listener_faulted_ = false;
  std::uint64_t polls_ = 0;
  std::vector<std::string> violations_;
};

template <class T>
T* SimulatedKernel::find(int fd, const char* call) {
  pass_time();
  const auto found = descriptors_.find(fd);
  T* object = found == descriptors_.end() ? nullptr : std::get_if<T>(&found->second);
  if (object == nullptr) violation(std::string(call) + " on a descriptor that is closed or of another type");
  return object;
}

template <class Visit>
void SimulatedKernel::for_each_watch(int fd, Visit&& visit) {
  for (auto& [number, descriptor] : descriptors_) {
    auto* watcher = std::get_if<Watcher>(&descriptor);
    if (watcher == nullptr) continue;
    const auto [begin, end] = watcher->watches.equal_range(fd);
    for (auto watch = begin; watch != end; ++watch) visit(*watcher, watch->second);
  }
}

// Returns the kernel that handles the calling thread's system calls; null on threads outside the simulation.
[[nodiscard]] SimulatedKernel* current_kernel() noexcept;

// Takes the calling thread, which a thread of the simulation has started, into the simulation; null: out of it.
void set_current_kernel(SimulatedKernel* kernel) noexcept;

// Installs `kernel` on the calling thread, which is the driver, and on the threads that are started from there.
class Installed {
 public:
  explicit Installed(SimulatedKernel& kernel) noexcept;
  ~Installed();
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
};

// Keeps the calling thread busy for `duration`, as a handler does that computes.
void compute(Nanoseconds duration);

// Returns whether the calling thread is one of the server's, and runs the server's code rather than the simulated
// kernel's or a client's.
[[nodiscard]] bool inside_server() noexcept;
// Returns whether the calling thread runs the simulated kernel's code.
[[nodiscard]] bool inside_kernel() noexcept;
class InsideKernel {
 public:
  InsideKernel() noexcept;
  ~InsideKernel();
};

}  // namespace volt::simulation
