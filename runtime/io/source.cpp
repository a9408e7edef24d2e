// SPDX-License-Identifier: MIT

#include "runtime/io/source.h"

#include <unistd.h>

#include "runtime/base/check.h"

namespace volt::io {

using base::acq_rel;
using base::relaxed;

Source::~Source() { ::close(fd_); }

bool Source::try_consume(Direction direction) noexcept {
  std::uint32_t word = word_.load(base::acquire);  // R2
  for (;;) {
    if ((word & end_bit(direction)) != 0) return true;
    if ((word & edge_bit(direction)) == 0) return false;
    if (word_.compare_exchange_weak(word, word & ~edge_bit(direction), acq_rel, relaxed)) return true;  // R2
  }
}

bool Source::start_wait(Direction direction, Completion& waiter) noexcept {
  (direction == Direction::read ? reader_ : writer_) = &waiter;
  std::uint32_t word = word_.load(relaxed);  // relaxed: the exchange decides
  for (;;) {
    VOLT_REQUIRE(
        (word & waits_bit(direction)) == 0,
        "two tasks wait for the same direction of one stream, socket or listener: let one task read, one write "
        "and one accept, and pass the results on with a channel");
    if ((word & end_bit(direction)) != 0) return false;
    const bool edge_kept = (word & edge_bit(direction)) != 0;
    const std::uint32_t next = edge_kept ? word & ~edge_bit(direction) : word | waits_bit(direction);
    if (word_.compare_exchange_weak(word, next, acq_rel, relaxed)) return !edge_kept;  // R1, R2
  }
}

Completion* Source::stop_wait(Direction direction) noexcept {
  const std::uint32_t before = word_.fetch_and(~waits_bit(direction), acq_rel);  // R1
  if ((before & waits_bit(direction)) == 0) return nullptr;
  return direction == Direction::read ? reader_ : writer_;
}

bool Source::start_hangup_watch(sched::TaskHeader& task, Hangup when) noexcept {
  const bool half = when == Hangup::half;
  const std::uint32_t hung_up = kHangupReported | kWriteEnded | (half ? kReadEnded : 0);
  std::uint32_t word = word_.load(relaxed);  // relaxed: the exchange decides
  if ((word & hung_up) != 0) return false;
  VOLT_REQUIRE((word & (kFullHangupWatched | kHalfHangupWatched)) == 0,
               "two hangup watches of one stream exist: end the first before the second begins");
  hangup_.task = &task;
  while ((word & hung_up) == 0) {
    const std::uint32_t next = word | (half ? kHalfHangupWatched : kFullHangupWatched);
    if (word_.compare_exchange_weak(word, next, acq_rel, relaxed)) return true;  // R1
  }
  return false;
}

bool Source::stop_hangup_watch() noexcept {
  constexpr std::uint32_t kWatched = kFullHangupWatched | kHalfHangupWatched;
  return (word_.fetch_and(~kWatched, acq_rel) & kWatched) != 0;  // R1
}

void Source::report(std::uint32_t edges, base::Chain<Completion>& woken) noexcept {
  const bool broken = (edges & kBroken) != 0;
  const bool read_end = broken || (edges & kReadEnd) != 0;
  const bool readable = read_end || (edges & kReadable) != 0;
  const bool writable = broken || (edges & kWritable) != 0;
  const std::uint32_t ends = ends_ == Ends::pass ? 0 : (read_end ? kReadEnded : 0) | (broken ? kWriteEnded : 0);
  const std::uint32_t hangups = (read_end ? kHalfHangupWatched : 0) | (broken ? kFullHangupWatched : 0);
  std::uint32_t word = word_.load(relaxed);  // relaxed: the exchange decides
  std::uint32_t next;
  do {
    if ((word & kClosing) != 0) return;
    next = word | ends;
    if (readable) next = (word & kReadWaits) != 0 ? next & ~kReadWaits : next | kReadEdge;
    if (writable) next = (word & kWriteWaits) != 0 ? next & ~kWriteWaits : next | kWriteEdge;
    if ((word & hangups) != 0) next = (next & ~hangups) | kHangupReported;
  } while (!word_.compare_exchange_weak(word, next, acq_rel, relaxed));  // R1, R2
  if (readable && (word & kReadWaits) != 0) woken.push_back(reader_);
  if (writable && (word & kWriteWaits) != 0) woken.push_back(writer_);
  if ((word & hangups) == 0) return;
  add_reference();
  woken.push_back(&hangup_);
}

void Source::drop_reference() noexcept {
  if (references_.fetch_sub(1, acq_rel) == 1) delete this;  // R3
}

}  // namespace volt::io
