// SPDX-License-Identifier: MIT

#include "tests/simulation/kernel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/check.h"

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;

// More calls than all clients together can cause without a pause.
constexpr std::uint64_t kCallsWithoutParkMax = 30'000;
constexpr std::uint64_t kCallsMax = 1'000'000;

}  // namespace

SimulatedKernel::SimulatedKernel(std::uint64_t seed, FaultInjector::Kind kind)
    : chance_(seed), fault_injector_(chance_, kind), now_(1'000'000s) {
  constexpr unsigned kCompletionEntries[] = {0, 2, 4, 16};
  ring_kind_ = {.sends_messages = chance_.hits(0.5),
                .completion_entries = chance_.one_of(kCompletionEntries),
                .newest_first = chance_.hits(0.5)};
}

// ---- descriptors ----

int SimulatedKernel::open(Descriptor descriptor) {
  int fd = kFirstDescriptor;
  while (descriptors_.contains(fd)) ++fd;
  descriptors_.emplace(fd, std::move(descriptor));
  return fd;
}

int SimulatedKernel::make_socket() { return static_cast<int>(traced("socket", -1, 0, open(Unbound{}))); }
int SimulatedKernel::make_epoll() { return static_cast<int>(traced("epoll_create1", -1, 0, open(Watcher{}))); }
int SimulatedKernel::make_eventfd() { return static_cast<int>(traced("eventfd", -1, 0, open(EventFd{}))); }

int SimulatedKernel::listen_on(int fd) {
  descriptors_.at(fd) = Listener{};
  return static_cast<int>(traced("listen", fd, 0, 0));
}

bool SimulatedKernel::is_listener(int fd) const {
  const auto found = descriptors_.find(fd);
  return found != descriptors_.end() && std::holds_alternative<Listener>(found->second);
}

int SimulatedKernel::accept_on(int fd) {
  Listener* listener = find<Listener>(fd, "accept4");
  if (listener == nullptr) return -EBADF;
  if (const int fault = fault_injector_.accept_fault(); fault != 0) {
    listener_faulted_ = listener_faulted_ || fault == EBADF || fault == ENOTSOCK;
    turns_one_away_ = fault == EMFILE || fault == ENFILE || fault == ENOBUFS || fault == ENOMEM;
    if (fault == EAGAIN) edge(fd);
    return static_cast<int>(traced("accept4", fd, 0, -fault));
  }
  if (listener->waiting.empty()) return static_cast<int>(traced("accept4", fd, 0, -EAGAIN));
  Connection* connection = listener->waiting.front();
  listener->waiting.pop_front();
  if (std::exchange(turns_one_away_, false)) connection->faulted = true;
  connection->fd = open(connection);
  return static_cast<int>(traced("accept4", fd, 0, connection->fd));
}

int SimulatedKernel::close(int fd) {
  pass_time();
  const auto found = descriptors_.find(fd);
  if (found == descriptors_.end()) {
    violation("close of a descriptor that is closed");
    return -EBADF;
  }
  if (!std::holds_alternative<EventFd>(found->second)) {
    for_each_watch(fd, [&](Watcher&, Watch&) { violation("close of a watched descriptor"); });
  }
  for (auto& [number, descriptor] : descriptors_) {
    if (auto* watcher = std::get_if<Watcher>(&descriptor)) watcher->watches.erase(fd);
  }
  Descriptor closed = std::move(found->second);
  descriptors_.erase(found);
  if (auto* listener = std::get_if<Listener>(&closed)) {
    for (Connection* connection : listener->waiting) {
      connection->faulted = connection->faulted || listener_faulted_;
      connection->closed = true;
      send_reset_to_client(*connection);
    }
  }
  if (auto* accepted = std::get_if<Connection*>(&closed)) {
    Connection& connection = **accepted;
    connection.fd = -1;
    connection.closed = true;
    const bool loses_data = !connection.received.empty() || connection.abort_on_close;
    if (loses_data) {
      send_reset_to_client(connection);
    } else if (!connection.shut_for_writing) {
      connection.shut_for_writing = true;
      in(arrival(connection.last_down), [&connection] {
        if (connection.peer != nullptr && !connection.reset) connection.peer->end_arrived();
      });
    }
  }
  return static_cast<int>(traced("close", fd, 0, 0));
}

// ---- readiness ----

std::size_t SimulatedKernel::room_down(const Connection& connection) noexcept {
  const std::size_t used = connection.on_the_way_down + connection.delivered.size();
  return kDownBytes - std::min(kDownBytes, used);
}

std::uint32_t SimulatedKernel::state_of(const Connection& connection) noexcept {
  std::uint32_t state = 0;
  const bool ended = connection.peer_ended || connection.reset;
  if (!connection.received.empty() || ended) state |= EPOLLIN;
  if (ended) state |= EPOLLRDHUP;
  if (connection.reset || (connection.peer_ended && connection.shut_for_writing)) state |= EPOLLHUP;
  if (connection.error != 0) state |= EPOLLERR;
  // As sk_stream_is_writeable(): only if at least a third of the buffer is free.
  if (room_down(connection) >= kDownBytes / 3 || connection.reset || connection.shut_for_writing) state |= EPOLLOUT;
  return state;
}

std::uint32_t SimulatedKernel::state_of(int fd) {
  const Descriptor& descriptor = descriptors_.at(fd);
  if (const auto* connection = std::get_if<Connection*>(&descriptor)) return state_of(**connection);
  if (const auto* listener = std::get_if<Listener>(&descriptor))
    return listener->waiting.empty() ? 0 : std::uint32_t{EPOLLIN};
  if (const auto* event = std::get_if<EventFd>(&descriptor)) return event->signalled ? std::uint32_t{EPOLLIN} : 0;
  return 0;
}

int SimulatedKernel::watch(int epoll_fd, int operation, int fd, const epoll_event* event) {
  Watcher* epoll = find<Watcher>(epoll_fd, "epoll_ctl");
  if (epoll == nullptr) return -EBADF;
  if (!descriptors_.contains(fd)) {
    violation("epoll_ctl of a closed descriptor");
    return -EBADF;
  }
  if (operation == EPOLL_CTL_DEL) {
    return static_cast<int>(traced("epoll_ctl del", fd, 0, epoll->watches.erase(fd) != 0 ? 0 : -ENOENT));
  }
  if (const int fault = watch_fault(fd); fault != 0) {
    return static_cast<int>(traced("epoll_ctl add", fd, event->events, -fault));
  }
  if (epoll->watches.contains(fd)) return static_cast<int>(traced("epoll_ctl add", fd, event->events, -EEXIST));
  const bool ready = (state_of(fd) & event->events) != 0;
  epoll->watches.emplace(fd, Watch{.id = ++next_watch_, .event = *event, .ready = ready});
  return static_cast<int>(traced("epoll_ctl add", fd, event->events, 0));
}

int SimulatedKernel::watch_fault(int fd) {
  if (std::holds_alternative<EventFd>(descriptors_.at(fd))) return 0;
  const int fault = fault_injector_.watch_fault();
  if (fault == 0) return 0;
  if (auto* connection = std::get_if<Connection*>(&descriptors_.at(fd))) {
    (*connection)->faulted = true;
  } else {
    listener_faulted_ = true;
  }
  return fault;
}

// Reports a change of `fd` to its watches: an edge now or a moment later, perhaps twice.
void SimulatedKernel::edge(int fd) {
  if (fd < 0) return;
  for_each_watch(fd, [&](Watcher& watcher, Watch& watch) {
    if (!fault_injector_.delays()) return watcher.set_ready(watch);
    const std::uint64_t id = watch.id;
    in(Nanoseconds(chance_.between(0, 3'000'000)), [this, fd, id] { mark_ready(fd, id); });
    if (fault_injector_.delays())
      in(Nanoseconds(chance_.between(0, 9'000'000)), [this, fd, id] { mark_ready(fd, id); });
  });
}

void SimulatedKernel::mark_ready(int fd, std::uint64_t watch_id) {
  for_each_watch(fd, [&](Watcher& watcher, Watch& watch) {
    if (watch.id == watch_id) watcher.set_ready(watch);
  });
}

// Returns the ready watches in random order, sometimes only part of them.
std::vector<std::multimap<int, SimulatedKernel::Watch>::iterator> SimulatedKernel::take_ready(Watcher& watcher) {
  std::vector<std::multimap<int, Watch>::iterator> ready;
  for (auto watch = watcher.watches.begin(); watch != watcher.watches.end(); ++watch) {
    if (watch->second.ready) ready.push_back(watch);
  }
  for (std::size_t i = ready.size(); i > 1; --i) std::swap(ready[i - 1], ready[chance_.below(i)]);
  if (ready.size() > 1 && fault_injector_.shortens()) ready.resize(1 + chance_.below(ready.size() - 1));
  return ready;
}

int SimulatedKernel::harvest(Watcher& epoll, epoll_event* events, int count_max) {
  int count = 0;
  std::uint64_t order = hash_of({});
  for (const auto& watch : take_ready(epoll)) {
    if (count == count_max) break;
    const int fd = watch->first;
    watch->second.ready = false;
    const std::uint32_t state = state_of(fd) & (watch->second.event.events | EPOLLERR | EPOLLHUP);
    if (auto* event = std::get_if<EventFd>(&descriptors_.at(fd))) event->signalled = false;  // edges: it is never read
    if (state == 0) continue;
    events[count].events = state;
    events[count].data = watch->second.event.data;
    ++count;
    const std::pair<int, std::uint32_t> seen(fd, state);
    order = hash_of({reinterpret_cast<const char*>(&seen), sizeof seen}, order);
  }
  trace_.add({now_.count(), "epoll_wait", -1, count_max, count, 0, order});
  return count;
}

int SimulatedKernel::wait(int epoll_fd, epoll_event* events, int count_max, std::int64_t timeout_ns) {
  Watcher* epoll = find<Watcher>(epoll_fd, "epoll_wait");
  if (epoll == nullptr) return -EBADF;
  if (fault_injector_.interrupts()) return static_cast<int>(traced("epoll_wait", epoll_fd, timeout_ns, -EINTR));
  return sleep(timeout_ns, [&] { return harvest(*epoll, events, count_max); });
}

// Runs events until `look` returns nonzero or the timeout has passed.
int SimulatedKernel::sleep(std::int64_t timeout_ns, const std::function<int()>& look) {
  if (timeout_ns != 0) calls_since_park_ = 0;
  const bool for_ever = timeout_ns < 0;
  const Nanoseconds until = for_ever ? Nanoseconds::max() : now_ + Nanoseconds(timeout_ns);
  for (;;) {
    run_due();
    if (!free_running_ && driver_at_ <= now_) {
      let_driver_act();
      continue;
    }
    if (const int count = look(); count != 0 || now_ >= until) return count;
    const Nanoseconds next = happenings_.empty() ? Nanoseconds::max() : happenings_.begin()->first.time;
    const Nanoseconds moment = std::min(next, until);
    if (!free_running_ && driver_at_ <= moment) {
      now_ = std::max(now_, driver_at_);
      continue;
    }
    // The runtime stops and has woken the worker before: a worker that sleeps now would never wake.
    if (free_running_ && moment == Nanoseconds::max()) violation("the worker sleeps forever while the runtime stops");
    VOLT_CHECK(moment != Nanoseconds::max());
    now_ = std::max(now_, moment);
  }
}

void SimulatedKernel::let_driver_act() {
  driver_at_ = Nanoseconds::max();
  turns_.give_to(Turns::Whose::driver);
  turns_.await(Turns::Whose::worker);
}

long SimulatedKernel::signal(int fd) {
  auto* event = find<EventFd>(fd, "write");
  if (event == nullptr) return -EBADF;
  event->signalled = true;
  for_each_watch(fd, [](Watcher& watcher, Watch& watch) { watcher.set_ready(watch); });
  return traced("wake", fd, 0, 8);
}

// ---- time ----

std::int64_t SimulatedKernel::read_clock() {
  pass_time();
  return now_.count();
}

// Advances the clock: each call takes a moment, or a long one on a busy machine.
void SimulatedKernel::pass_time() {
  now_ += Nanoseconds(fault_injector_.stalls() ? chance_.between(100'000, 20'000'000) : chance_.between(100, 3'000));
  if (++calls_since_park_ == kCallsWithoutParkMax) violation("the worker makes too many calls without sleeping");
  VOLT_CHECK(calls_since_park_ < kCallsMax);
}

void SimulatedKernel::in(Nanoseconds delay, std::move_only_function<void()> event) {
  happenings_.emplace(Happening{now_ + delay, next_number_++}, std::move(event));
}

void SimulatedKernel::run_due() {
  while (!happenings_.empty() && happenings_.begin()->first.time <= now_) {
    const auto first = happenings_.extract(happenings_.begin());
    first.mapped()();
  }
}

void SimulatedKernel::run_for(Nanoseconds duration) {
  driver_at_ = now_ + duration;
  turns_.give_to(Turns::Whose::worker);
  turns_.await(Turns::Whose::driver);
}

void SimulatedKernel::let_worker_end() {
  free_running_ = true;
  turns_.give_to(Turns::Whose::worker);
}

// ---- violations and the trace ----

void SimulatedKernel::violation(std::string what) {
  trace_.add({now_.count(), "VIOLATION", -1, 0, 0, 0, 0});
  violations_.push_back(std::move(what));
}

long SimulatedKernel::traced(const char* name, int fd, std::int64_t argument, long result, std::string_view data) {
  const int error = result < 0 ? static_cast<int>(-result) : 0;
  trace_.add({now_.count(), name, fd, argument, result, error, hash_of(data)});
  return result;
}

}  // namespace volt::simulation
