// SPDX-License-Identifier: MIT

#include "runtime/io/epoll_reactor.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <mutex>
#include <new>

#include "runtime/base/uninitialized.h"

namespace volt::io {
namespace {

constexpr int kEventsAtOnce = 256;

std::uint32_t edges_of(std::uint32_t events) noexcept {
  std::uint32_t edges = 0;
  if ((events & EPOLLIN) != 0) edges |= Source::kReadable;
  if ((events & EPOLLOUT) != 0) edges |= Source::kWritable;
  if ((events & EPOLLRDHUP) != 0) edges |= Source::kReadEnd;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) edges |= Source::kBroken;
  return edges;
}

}  // namespace

Result<std::unique_ptr<EpollReactor>> EpollReactor::create() {
  const int epoll_fd = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return system_error(errno);
  const int wake_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd < 0) {
    const int number = errno;
    ::close(epoll_fd);
    return system_error(number);
  }
  std::unique_ptr<EpollReactor> reactor(new (std::nothrow) EpollReactor(epoll_fd, wake_fd));
  if (reactor == nullptr) {
    ::close(wake_fd);
    ::close(epoll_fd);
    return system_error(ENOMEM);
  }
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll_fd, EPOLL_CTL_ADD, wake_fd, &event) != 0) return system_error(errno);
  return reactor;
}

EpollReactor::~EpollReactor() {
  ::close(wake_fd_);
  ::close(epoll_fd_);
}

void EpollReactor::arm(Source& source) noexcept {
  if (also_watch(source)) return;
  // ENOSPC or ENOMEM: the reactor cannot report events of this source. Both directions count as ended, so the
  // connection's task ends the connection.
  source.set_unwatchable();
}

bool EpollReactor::also_watch(Source& source) noexcept {
  source.add_reference();
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = &source}};
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, source.fd(), &event) != 0) {
    source.drop_reference();
    return false;
  }
  armed_.fetch_add(1, base::relaxed);  // relaxed: a statistic
  return true;
}

void EpollReactor::unwatch(Source& source) noexcept {
  const std::scoped_lock lock(collecting_);
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, source.fd(), nullptr) != 0) return;  // watch had failed: no reference
  armed_.fetch_sub(1, base::relaxed);                                            // relaxed: a statistic
  source.drop_reference();
}

void EpollReactor::poll(base::Chain<Completion>& woken) noexcept {
  VOLT_UNINITIALIZED epoll_event events[kEventsAtOnce];
  counters_.enters.add();
  const int count = ::epoll_wait(epoll_fd_, events, kEventsAtOnce, 0);
  const std::scoped_lock lock(collecting_);
  dispatch(events, count, woken);
}

void EpollReactor::wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept {
  if (take_back_wake()) return poll(woken);
  std::int64_t left = kForever;
  if (until_ns != kForever) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    left = std::max<std::int64_t>(0, until_ns - (now.tv_sec * 1'000'000'000 + now.tv_nsec));
  }
  VOLT_UNINITIALIZED epoll_event events[kEventsAtOnce];
  counters_.enters.add();
  const int count = wait_for(left, events);
  const std::scoped_lock lock(collecting_);
  dispatch(events, count, woken);
}

int EpollReactor::wait_for(std::int64_t ns, epoll_event* events) noexcept {
  if (has_pwait2_) {
    const timespec timeout{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    const int count = ::epoll_pwait2(epoll_fd_, events, kEventsAtOnce, ns == kForever ? nullptr : &timeout, nullptr);
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
    has_pwait2_ = false;
  }
  constexpr std::int64_t kMillisecond = 1'000'000;
  // Rounded up: if epoll_wait returned before the time, the caller would have to wait again, possibly many times within
  // the last millisecond.
  const std::int64_t rounded = ns / kMillisecond + (ns % kMillisecond != 0 ? 1 : 0);
  const std::int64_t ms = ns == kForever ? -1 : std::min<std::int64_t>(rounded, INT_MAX);
  return ::epoll_wait(epoll_fd_, events, kEventsAtOnce, static_cast<int>(ms));
}

void EpollReactor::dispatch(const epoll_event* events, int count, base::Chain<Completion>& woken) noexcept {
  for (int i = 0; i < count; ++i) {
    auto* source = static_cast<Source*>(events[i].data.ptr);
    if (source != nullptr) source->report(edges_of(events[i].events), woken);
  }
  if (count > 0) counters_.events.add(static_cast<std::uint64_t>(count));
}

void EpollReactor::wake() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_fd_, &one, sizeof one));  // cannot fail: 2^64 wakes do not happen
}

bool EpollReactor::rescuable() const noexcept {
  pollfd epoll{.fd = epoll_fd_, .events = POLLIN, .revents = 0};  // an epoll set is readable when it has an event
  return ::poll(&epoll, 1, 0) > 0;
}

// The lock is held from epoll_wait to the last access to a source, because the owner may be about to unwatch and free
// the sources that epoll_wait reported.
void EpollReactor::rescue_locked(base::Chain<Completion>& woken) noexcept {
  VOLT_UNINITIALIZED epoll_event events[kEventsAtOnce];
  const int count = ::epoll_wait(epoll_fd_, events, kEventsAtOnce, 0);
  for (int i = 0; i < count; ++i) wake_taken_ = wake_taken_ || events[i].data.ptr == nullptr;
  dispatch(events, count, woken);
}

}  // namespace volt::io
