// SPDX-License-Identifier: MIT

#include "runtime/sched/timeline_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "runtime/sched/clock.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/turn_record.h"

namespace volt::sched {
namespace {

// Tells the headers of live tasks apart: their ids do not, because children have the id of their parent.
std::uint32_t tag_of(const TaskHeader& task) noexcept {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&task) >> 4);
}

// An event has a time of a theft or a function, never both.
std::uint64_t last_word(const TimelineEvent& event) noexcept {
  return event.code != nullptr ? std::bit_cast<std::uint64_t>(event.code) : static_cast<std::uint64_t>(event.since_ns);
}

}  // namespace

TimelineRing::~TimelineRing() {
  if (slots_ != nullptr) ::munmap(slots_, kEventsMax * sizeof(Slot));
}

std::int64_t TimelineRing::time_ns() noexcept { return now_ns(); }

// Pages of zeros are slots, so the slots need not be initialized, which would use all of the memory at once.
void TimelineRing::add(TimelineEvent event) noexcept {
  const std::uint32_t size = size_.load(base::relaxed);  // relaxed: as in on()
  if (size == 0) return;
  if (slots_ == nullptr && !map_failed_) {
    void* memory = ::mmap(nullptr, kEventsMax * sizeof(Slot), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    map_failed_ = memory == MAP_FAILED;
    if (!map_failed_) slots_ = static_cast<Slot*>(memory);
  }
  last_ = event.kind;
  const std::uint64_t head = head_.load(base::relaxed);  // relaxed: the worker is the only writer
  if (slots_ != nullptr) {
    const std::uint64_t facts = static_cast<std::uint64_t>(event.number) << 32 |
                                static_cast<std::uint64_t>(event.about) << 8 | static_cast<std::uint64_t>(event.kind);
    Slot& slot = slots_[head & (size - 1)];
    slot[0].store(static_cast<std::uint64_t>(time_ns()), base::release);  // Y2
    slot[1].store(facts, base::release);                                  // Y2
    slot[2].store(event.task, base::release);                             // Y2
    slot[3].store(last_word(event), base::release);                       // Y2
  }
  head_.store(head + 1, base::release);  // Y1
}

void TimelineRing::add_turn(const TaskHeader& task) noexcept {
  add({.kind = Kind::turn_begin,
       .about = task.work_class.index(),
       .number = tag_of(task),
       .task = task.id,
       .code = task.code});
}

void TimelineRing::add_turn_end(const TurnRecord& turn) noexcept {
  add({.kind = Kind::turn_end, .about = turn.last_class().index(), .task = turn.last_task()});
}

void TimelineRing::add_wake(const TaskHeader& task) noexcept { add({.kind = Kind::woke_task, .number = tag_of(task)}); }

std::uint64_t TimelineRing::switch_on(std::uint32_t events) noexcept {
  size_.store(events, base::relaxed);  // relaxed: as in on()
  return head_.load(base::acquire);    // Y1
}

void TimelineRing::switch_off() noexcept { size_.store(0, base::relaxed); }  // relaxed: as in on()

TimelineEvent TimelineRing::event_at(std::uint64_t position, std::uint32_t events) const noexcept {
  const Slot& slot = slots_[position & (events - 1)];
  TimelineEvent event{.time_ns = static_cast<std::int64_t>(slot[0].load(base::acquire))};  // Y2
  const std::uint64_t facts = slot[1].load(base::acquire);                                 // Y2
  event.kind = static_cast<Kind>(facts & 0xff);
  event.about = static_cast<std::uint16_t>(facts >> 8);
  event.number = static_cast<std::uint32_t>(facts >> 32);
  event.task = slot[2].load(base::acquire);                // Y2
  const std::uint64_t word = slot[3].load(base::acquire);  // Y2
  if (event.kind == Kind::turn_begin) {
    event.code = std::bit_cast<const void*>(word);
  } else {
    event.since_ns = static_cast<std::int64_t>(word);
  }
  return event;
}

// The worker may be about to overwrite the oldest event of a full ring, which is therefore lost as well.
std::uint64_t TimelineRing::read(std::uint64_t from, std::uint32_t events, std::vector<TimelineEvent>& out) const {
  const std::uint64_t head = head_.load(base::acquire);  // Y1
  if (head == from) return 0;
  if (slots_ == nullptr) return head - from;
  const auto oldest = [&](std::uint64_t until) { return std::max(from, until < events ? 0 : until - events + 1); };
  const std::uint64_t first = oldest(head);
  const auto place = static_cast<std::ptrdiff_t>(out.size());
  out.reserve(out.size() + (head - first));
  for (std::uint64_t position = first; position != head; ++position) out.push_back(event_at(position, events));
  const std::uint64_t first_left = std::min(head, oldest(head_.load(base::relaxed)));  // relaxed: after Y2
  out.erase(out.begin() + place, out.begin() + place + static_cast<std::ptrdiff_t>(first_left - first));
  return first_left - from;
}

void TimelineRing::give_back() noexcept {
  const bool has_slots = head_.load(base::acquire) != 0 && slots_ != nullptr;  // Y1
  if (has_slots) ::madvise(slots_, kEventsMax * sizeof(Slot), MADV_DONTNEED);
}

}  // namespace volt::sched
