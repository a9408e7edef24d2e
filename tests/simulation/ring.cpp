// SPDX-License-Identifier: MIT

// The simulated kernel's io_uring, as far as UringReactor uses it. Polls complete when their ring is entered, as with
// IORING_SETUP_DEFER_TASKRUN. Sometimes a multishot poll ends without a reason, or a submission is refused.
//
// Half of the runs have the rings of Linux 6.1 to 6.12: no messages between rings, and one enter handles every poll
// that has fired. Many runs have tiny completion queues. A completion that finds no room goes to the overflow list, and
// while that list is not empty, every poll that fires ends.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/base/check.h"
#include "tests/simulation/kernel.h"

namespace volt::simulation {
namespace {

constexpr std::size_t kPollsPerEnter = 20;  // since 6.13

}  // namespace

void SimulatedKernel::RingMemory::push(std::uint64_t user_data, int result, unsigned completion_flags) {
  io_uring_cqe next{};
  next.user_data = user_data;
  next.res = result;
  next.flags = completion_flags;
  overflowed.push_back(next);
  if (overflowed.size() == 1) flush();
}

bool SimulatedKernel::RingMemory::push_of_poll(std::uint64_t user_data, int result) {
  const bool goes_on = has_room();
  push(user_data, result, goes_on ? IORING_CQE_F_MORE : 0);
  return goes_on;
}

void SimulatedKernel::RingMemory::flush() {
  while (!overflowed.empty() && completed_tail - completed_head != completed.size()) {
    completed[completed_tail++ % completed.size()] = overflowed.front();
    overflowed.pop_front();
  }
  flags = overflowed.empty() ? flags & ~IORING_SQ_CQ_OVERFLOW : flags | IORING_SQ_CQ_OVERFLOW;
}

int SimulatedKernel::make_ring(unsigned entries, unsigned completions, io_uring& ring) {
  if (ring_kind_.completion_entries != 0) completions = ring_kind_.completion_entries;
  Watcher watcher;
  watcher.owner = threads_.self().id;
  watcher.ring = std::make_unique<RingMemory>(entries, completions);
  RingMemory& memory = *watcher.ring;
  ring = {};
  ring.ring_fd = ring.enter_ring_fd = open(std::move(watcher));
  memory.user = &ring;
  ring.sq.sqes = memory.requests.data();
  ring.sq.khead = &memory.requests_head;
  ring.sq.ktail = &memory.requests_tail;
  ring.sq.kflags = &memory.flags;
  ring.sq.ring_entries = entries;
  ring.sq.ring_mask = entries - 1;
  ring.cq.cqes = memory.completed.data();
  ring.cq.khead = &memory.completed_head;
  ring.cq.ktail = &memory.completed_tail;
  ring.cq.ring_entries = completions;
  ring.cq.ring_mask = completions - 1;
  return static_cast<int>(traced("io_uring_setup", -1, entries, 0));
}

int SimulatedKernel::submit(io_uring& ring, bool may_fail) {
  Watcher* watcher = find<Watcher>(ring.ring_fd, "io_uring_enter");
  if (watcher == nullptr) return -EBADF;
  require_owner(*watcher, "io_uring_enter");
  may_fail = may_fail && watcher->ring->requests_head != 0;  // the first one succeeds, or there is no reactor
  if (const int fault = may_fail ? fault_injector_.submit_fault() : 0; fault != 0)
    return static_cast<int>(traced("submit", -1, 0, -fault));
  const unsigned count = ring.sq.sqe_tail - ring.sq.sqe_head;
  for (; ring.sq.sqe_head != ring.sq.sqe_tail; ++ring.sq.sqe_head) {
    submit(*watcher, ring.sq.sqes[ring.sq.sqe_head & ring.sq.ring_mask]);
  }
  watcher->ring->requests_head = watcher->ring->requests_tail = ring.sq.sqe_tail;
  return static_cast<int>(count);
}

void SimulatedKernel::submit(Watcher& ring, const io_uring_sqe& request) {
  RingMemory& memory = *ring.ring;
  switch (request.opcode) {
    case IORING_OP_NOP:
      return memory.push(request.user_data, 0, 0);
    case IORING_OP_POLL_ADD: {
      if (!descriptors_.contains(request.fd)) return violation("a poll of a closed descriptor");
      const int fault = watch_fault(request.fd);
      traced("poll add", request.fd, 0, -fault);
      if (fault != 0) return memory.push(request.user_data, -fault, 0);
      const epoll_event event{.events = request.poll32_events, .data = {.u64 = request.user_data}};
      const auto added = ring.watches.emplace(request.fd, Watch{.id = ++next_watch_, .event = event});
      if ((state_of(request.fd) & event.events) != 0) set_ready(ring, added->second);
      return;
    }
    case IORING_OP_ASYNC_CANCEL:
      return cancel(ring, request);
    case IORING_OP_READ: {
      const long count = ::pread(request.fd, reinterpret_cast<void*>(request.addr), request.len,  // NOLINT: its address
                                 static_cast<off_t>(request.off));
      return memory.push(request.user_data, count < 0 ? -errno : static_cast<int>(count), 0);
    }
    default:
      return memory.push(request.user_data, -EINVAL, 0);
  }
}

void SimulatedKernel::cancel(Watcher& ring, const io_uring_sqe& request) {
  bool found = false;
  for (auto watch = ring.watches.begin(); watch != ring.watches.end();) {
    if (watch->second.event.data.u64 != request.addr) {
      ++watch;
      continue;
    }
    found = true;
    traced("poll cancel", watch->first, 0, 0);
    ring.ring->push(request.addr, -ECANCELED, 0);
    watch = ring.watches.erase(watch);
  }
  if (!found) ring.ring->push(request.user_data, -ENOENT, 0);
}

int SimulatedKernel::harvest(Watcher& ring) {
  RingMemory& memory = *ring.ring;
  auto ready = take_ready(ring);
  if (!ring_kind_.sends_messages && !fault_injector_.delays()) {
    std::ranges::sort(ready, {}, [&](const auto& watch) {
      return ring_kind_.newest_first ? ~watch->second.ready_since : watch->second.ready_since;
    });
  }
  if (ring_kind_.sends_messages && ready.size() > kPollsPerEnter) ready.resize(kPollsPerEnter);
  for (const auto& watch : ready) {
    watch->second.ready = false;
    const int fd = watch->first;
    const std::uint32_t state = state_of(fd) & (watch->second.event.events | EPOLLERR | EPOLLHUP);
    if (state == 0) continue;
    bool ends = fault_injector_.shortens() && fault_injector_.shortens();
    const std::uint64_t user_data = watch->second.event.data.u64;
    if (ends) {
      memory.push(user_data, static_cast<int>(state), 0);
    } else {
      ends = !memory.push_of_poll(user_data, static_cast<int>(state));
    }
    traced("poll", fd, ends ? 1 : 0, state);
    if (ends) ring.watches.erase(watch);
  }
  memory.flush();
  bool left = false;
  for (const auto& [fd, watch] : ring.watches) left = left || watch.ready;
  memory.flags = (memory.flags & ~IORING_SQ_TASKRUN) | (left ? IORING_SQ_TASKRUN : 0);
  return memory.has_completed() ? 1 : 0;
}

// As with IORING_SETUP_SINGLE_ISSUER.
void SimulatedKernel::require_owner(const Watcher& ring, const char* call) {
  if (ring.owner != threads_.self().id) violation(std::string(call) + " on the ring of another thread");
}

int SimulatedKernel::enter(int ring_fd, std::int64_t timeout_ns) {
  Watcher* ring = find<Watcher>(ring_fd, "io_uring_enter");
  if (ring == nullptr) return -EBADF;
  require_owner(*ring, "io_uring_enter");
  if (fault_injector_.interrupts()) return static_cast<int>(traced("io_uring_enter", ring_fd, timeout_ns, -EINTR));
  // Polls that were not submitted are not armed: their events would not wake the worker.
  constexpr std::int64_t kShort = 10'000'000;
  const bool forgets =
      (timeout_ns < 0 || timeout_ns > kShort) && ring->ring->user->sq.sqe_tail != ring->ring->requests_head;
  if (forgets) violation("the worker sleeps with requests that it did not submit");
  const int found = sleep(*ring, timeout_ns, [&] { return harvest(*ring); });
  return static_cast<int>(traced("io_uring_enter", ring_fd, timeout_ns, found != 0 || timeout_ns == 0 ? 0 : -ETIME));
}

int SimulatedKernel::send_message(int ring_fd, std::uint64_t user_data) {
  Watcher* ring = find<Watcher>(ring_fd, "io_uring_register");
  if (ring == nullptr) return -EBADF;
  if (!ring_kind_.sends_messages) return static_cast<int>(traced("message", ring_fd, 0, -EINVAL));
  ring->ring->push(user_data, 0, 0);
  threads_.wake(ring);
  return static_cast<int>(traced("wake", ring_fd, 0, 0));
}

}  // namespace volt::simulation
