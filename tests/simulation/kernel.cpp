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
constexpr std::uint64_t kCallsWithoutWaitMax = 30'000;
constexpr std::uint64_t kCallsMax = 1'000'000;

}  // namespace

SimulatedKernel::SimulatedKernel(std::uint64_t seed, FaultInjector::Kind kind)
    : chance_(seed), fault_injector_(chance_, kind), timeline_(1'000'000s), threads_(timeline_, chance_) {
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
int SimulatedKernel::make_eventfd() { return static_cast<int>(traced("eventfd", -1, 0, open(EventFd{}))); }

int SimulatedKernel::make_epoll() {
  const int fault = shortage();
  return static_cast<int>(traced("epoll_create1", -1, 0, fault != 0 ? -fault : open(Watcher{})));
}

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
    listener->turns_one_away = fault == EMFILE || fault == ENFILE || fault == ENOBUFS || fault == ENOMEM;
    if (fault == EAGAIN) edge(fd);
    return static_cast<int>(traced("accept4", fd, 0, -fault));
  }
  if (listener->waiting.empty()) return static_cast<int>(traced("accept4", fd, 0, -EAGAIN));
  Connection* connection = listener->waiting.front();
  listener->waiting.pop_front();
  if (std::exchange(listener->turns_one_away, false)) connection->faulted = true;
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

std::size_t SimulatedKernel::open_connections() const {
  const auto is_connection = [](const auto& descriptor) {
    return std::holds_alternative<Connection*>(descriptor.second);
  };
  return static_cast<std::size_t>(std::ranges::count_if(descriptors_, is_connection));
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

std::uint32_t SimulatedKernel::state_of(int fd) const {
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
    if (!fault_injector_.delays()) return set_ready(watcher, watch);
    const std::uint64_t id = watch.id;
    in(Nanoseconds(chance_.between(0, 3'000'000)), [this, fd, id] { mark_ready(fd, id); });
    if (fault_injector_.delays())
      in(Nanoseconds(chance_.between(0, 9'000'000)), [this, fd, id] { mark_ready(fd, id); });
  });
}

void SimulatedKernel::mark_ready(int fd, std::uint64_t watch_id) {
  for_each_watch(fd, [&](Watcher& watcher, Watch& watch) {
    if (watch.id == watch_id) set_ready(watcher, watch);
  });
}

void SimulatedKernel::set_ready(Watcher& watcher, Watch& watch) {
  watcher.set_ready(watch);
  threads_.wake(&watcher);
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
  trace_.add({now().count(), "epoll_wait", -1, count_max, count, 0, order});
  return count;
}

int SimulatedKernel::wait(int epoll_fd, epoll_event* events, int count_max, std::int64_t timeout_ns) {
  Watcher* epoll = find<Watcher>(epoll_fd, "epoll_wait");
  if (epoll == nullptr) return -EBADF;
  if (fault_injector_.interrupts()) return static_cast<int>(traced("epoll_wait", epoll_fd, timeout_ns, -EINTR));
  return sleep(*epoll, timeout_ns, [&] { return harvest(*epoll, events, count_max); });
}

std::uint32_t SimulatedKernel::poll(int fd, std::uint32_t events) {
  const auto found = descriptors_.find(fd);
  if (found != descriptors_.end() && std::holds_alternative<Connection*>(found->second)) {
    pass_time();
    ++polls_;
    const std::uint32_t state = state_of(fd) & (events | EPOLLERR | EPOLLHUP);
    return static_cast<std::uint32_t>(traced("poll", fd, events, state));
  }
  const Watcher* epoll = find<Watcher>(fd, "poll");
  return epoll != nullptr && readable(*epoll) ? std::uint32_t{EPOLLIN} : 0;
}

bool SimulatedKernel::readable(const Watcher& epoll) const {
  return std::ranges::any_of(epoll.watches, [&](const auto& watch) {
    return watch.second.ready && (state_of(watch.first) & (watch.second.event.events | EPOLLERR | EPOLLHUP)) != 0;
  });
}

// Waits until `look` returns nonzero or the timeout has passed.
int SimulatedKernel::sleep(const Watcher& watcher, std::int64_t timeout_ns, const std::function<int()>& look) {
  const Nanoseconds until = timeout_ns < 0 ? Timeline::kNever : now() + Nanoseconds(timeout_ns);
  for (;;) {
    timeline_.run_due();
    if (const int count = look(); count != 0 || now() >= until) return count;
    threads_.wait_for(&watcher, until);
  }
}

long SimulatedKernel::signal(int fd) {
  auto* event = find<EventFd>(fd, "write");
  if (event == nullptr) return -EBADF;
  event->signalled = true;
  for_each_watch(fd, [this](Watcher& watcher, Watch& watch) { set_ready(watcher, watch); });
  return traced("wake", fd, 0, 8);
}

// ---- time and threads ----

std::int64_t SimulatedKernel::read_clock() {
  pass_time();
  return now().count();
}

// Each call takes a moment; on a busy machine its thread sometimes loses its processor.
void SimulatedKernel::pass_time() {
  if (fault_injector_.stalls()) threads_.lose_processor(Nanoseconds(chance_.between(100'000, 20'000'000)));
  threads_.run_for(Nanoseconds(chance_.between(100, 3'000)));
  std::uint64_t& calls = threads_.self().calls_since_wait;
  if (++calls == kCallsWithoutWaitMax) violation("a thread makes too many calls without waiting");
  VOLT_CHECK(calls < kCallsMax);
}

void SimulatedKernel::run_for(Nanoseconds duration) {
  const InsideKernel inside;
  threads_.sleep_until(now() + duration);
}

int SimulatedKernel::open_thread_state(pid_t thread) {
  pass_time();
  if (threads_.find(thread) == nullptr) return -ENOENT;
  return static_cast<int>(traced("open state", -1, 0, open(ThreadState{thread})));
}

long SimulatedKernel::read_thread_state(int fd, void* into, std::size_t size) {
  const ThreadState* file = find<ThreadState>(fd, "read");
  if (file == nullptr) return -EBADF;
  const Threads::Thread* thread = threads_.find(file->thread);
  if (thread == nullptr) return -ESRCH;
  const bool sleeps = thread->doing == Threads::Doing::sleeps || thread->doing == Threads::Doing::waits;
  const std::string text = std::to_string(file->thread) + " (volt) " + (sleeps ? 'S' : 'R') + " 1";
  const std::size_t count = std::min(size, text.size());
  std::memcpy(into, text.data(), count);
  return traced("read state", fd, sleeps ? 1 : 0, static_cast<long>(count));
}

// ---- violations and the trace ----

void SimulatedKernel::violation(std::string what) {
  trace_.add({now().count(), "VIOLATION", -1, 0, 0, 0, 0});
  violations_.push_back(std::move(what));
}

long SimulatedKernel::traced(const char* name, int fd, std::int64_t argument, long result, std::string_view data) {
  const int error = result < 0 ? static_cast<int>(-result) : 0;
  trace_.add({now().count(), name, fd, argument, result, error, hash_of(data)});
  return result;
}

}  // namespace volt::simulation
