// SPDX-License-Identifier: MIT

// FaultInjector: chooses the kinds and the frequency of faults in one run. Some runs have none, others very many.
//
// Threads: one at a time.
#pragma once

#include <cerrno>
#include <cstdint>
#include <map>
#include <span>

#include "tests/simulation/chance.h"

namespace volt::simulation {

// The errors that calls may fail with, including some that no real kernel returns at that place.
inline constexpr int kTransferErrors[] = {ECONNRESET, EPIPE, ENOBUFS, ENOMEM, ECANCELED, EINVAL,
                                          EBADF,      ETIME, ENOSPC,  EIO,    ETIMEDOUT};
inline constexpr int kAcceptErrors[] = {ECONNABORTED, EMFILE,      ENFILE,    ENOBUFS, ENOMEM,       EPROTO,
                                        ENETDOWN,     ENOPROTOOPT, EHOSTDOWN, ENONET,  EHOSTUNREACH, EOPNOTSUPP,
                                        EINVAL,       EAGAIN,      ECANCELED, EIO};
inline constexpr int kListenerErrors[] = {EBADF, ENOTSOCK};  // fatal for a listener
inline constexpr int kWatchErrors[] = {ENOSPC, ENOMEM};
inline constexpr int kSubmitErrors[] = {EAGAIN, EBUSY, EINTR, ENOMEM};
inline constexpr int kFileErrors[] = {EIO, ENOMEM, EINVAL};
inline constexpr int kShortages[] = {EAGAIN, ENOMEM};  // no thread, no epoll set
inline constexpr int kOpenErrors[] = {EMFILE, ENFILE, ENOMEM, EIO};

class FaultInjector {
 public:
  enum class Kind { any, none };

  FaultInjector(Chance& chance, Kind kind) : chance_(chance) {
    if (kind == Kind::none) return;
    constexpr double kShares[] = {0, 0, 0.05, 0.3, 0.8};
    constexpr double kErrors[] = {0, 0, 0.002, 0.02, 0.1};
    short_ = chance.one_of(kShares);
    again_ = chance.one_of(kShares) / 2;
    late_ = chance.one_of(kShares);
    error_ = chance.one_of(kErrors);
    watch_error_ = chance.one_of(kErrors) / 2;
    listener_error_ = chance.hits(0.05) ? 0.02 : 0;
    slow_machine_ = chance.one_of(kErrors);
  }

  [[nodiscard]] bool shortens() noexcept { return chance_.hits(short_); }
  [[nodiscard]] bool finds_nothing() noexcept { return chance_.hits(again_); }
  [[nodiscard]] bool delays() noexcept { return chance_.hits(late_); }
  [[nodiscard]] bool stalls() noexcept { return chance_.hits(slow_machine_); }
  [[nodiscard]] bool interrupts() noexcept { return fails(EINTR, error_); }

  // Each returns an errno, or 0 for no fault.
  [[nodiscard]] int transfer_fault() noexcept { return fault(kTransferErrors, error_); }
  [[nodiscard]] int file_fault() noexcept { return fault(kFileErrors, error_); }
  [[nodiscard]] int open_fault() noexcept { return fault(kOpenErrors, error_); }
  [[nodiscard]] int watch_fault() noexcept { return fault(kWatchErrors, watch_error_); }
  [[nodiscard]] int submit_fault() noexcept { return fault(kSubmitErrors, error_); }
  [[nodiscard]] int shortage() noexcept { return fault(kShortages, error_); }
  [[nodiscard]] int accept_fault() noexcept {
    const int number = fault(kListenerErrors, listener_error_);
    return number != 0 ? number : fault(kAcceptErrors, error_);
  }

  [[nodiscard]] bool calm() const noexcept { return error_ == 0; }
  // Returns the number of injected faults by errno.
  [[nodiscard]] const std::map<int, std::uint64_t>& faults() const noexcept { return faults_; }

 private:
  [[nodiscard]] int fault(std::span<const int> errors, double probability) noexcept {
    const int number = chance_.one_of(errors);
    return fails(number, probability) ? number : 0;
  }
  [[nodiscard]] bool fails(int number, double probability) noexcept {
    const bool failed = chance_.hits(probability);
    if (failed) ++faults_[number];
    return failed;
  }

  Chance& chance_;
  double short_ = 0;           // a transfer moves less than it could
  double again_ = 0;           // EAGAIN although the call could succeed; an edge follows
  double late_ = 0;            // an edge is delayed, or delivered twice
  double error_ = 0;           // an error of the lists above
  double watch_error_ = 0;     // an error of epoll_ctl or of a poll request
  double listener_error_ = 0;  // a fatal error of accept4
  double slow_machine_ = 0;    // a thread loses its processor for milliseconds
  std::map<int, std::uint64_t> faults_;
};

}  // namespace volt::simulation
