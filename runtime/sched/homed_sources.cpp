// SPDX-License-Identifier: MIT

#include "runtime/sched/homed_sources.h"

#include <mutex>
#include <new>

namespace volt::sched {

using ListPosition = io::Source::ListPosition;

ListPosition& HomedSources::position_in(io::Source& source, std::uint16_t worker) noexcept {
  ListPosition& first = source.list_positions[0];
  return first.worker.load(base::relaxed) == worker ? first : source.list_positions[1];  // relaxed: only this worker
}  // stores its own index

void HomedSources::add(io::Source& source) noexcept {
  ++size_;
  const std::scoped_lock lock(mutex_);
  try {
    sources_.push_back(&source);
  } catch (const std::bad_alloc&) {  // decided: see the declaration
    return;
  }
  source.add_reference();
  ListPosition& position = position_in(source, ListPosition::kFree);
  position.index = static_cast<std::uint32_t>(sources_.size() - 1);
  position.worker.store(worker_, base::relaxed);  // relaxed: as in position_in()
}

void HomedSources::remove(io::Source& source) noexcept {
  --size_;
  {
    const std::scoped_lock lock(mutex_);
    ListPosition& position = position_in(source, worker_);
    if (position.worker.load(base::relaxed) != worker_) return;  // relaxed: as above. The source was only counted
    io::Source* last = sources_.back();
    position_in(*last, worker_).index = position.index;
    sources_[position.index] = last;
    sources_.pop_back();
    position.worker.store(ListPosition::kFree, base::relaxed);  // relaxed: as above
  }
  source.drop_reference();
}

std::vector<io::Source*> HomedSources::take_references() const noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    std::vector<io::Source*> taken = sources_;
    for (io::Source* source : taken) source->add_reference();
    return taken;
  } catch (const std::bad_alloc&) {  // decided: see the declaration
    return {};
  }
}

}  // namespace volt::sched
