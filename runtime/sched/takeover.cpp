// SPDX-License-Identifier: MIT

#include "runtime/sched/takeover.h"

#include "runtime/base/check.h"

namespace volt::sched {

Takeover::~Takeover() { VOLT_CHECK(reactor_ == nullptr); }

void Takeover::begin(const HomedSources& sources) noexcept {
  const std::scoped_lock lock(mutex_);
  if (reactor_ != nullptr) return;
  auto created = io::EpollReactor::create();
  if (!created) return;
  reactor_ = std::move(*created);
  watched_ = sources.take_references();
  for (io::Source* source : watched_) {
    static_cast<void>(reactor_->also_watch(*source));  // if the kernel refuses, this one waits for the thread
  }
}

void Takeover::end() noexcept {
  const std::scoped_lock lock(mutex_);
  for (io::Source* source : watched_) {
    reactor_->unwatch(*source);
    source->drop_reference();
  }
  watched_.clear();
  reactor_.reset();
}

bool Takeover::ready() const noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock && reactor_ != nullptr && reactor_->rescuable();
}

void Takeover::collect(base::Chain<io::Completion>& woken) noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && reactor_ != nullptr) reactor_->rescue(woken, [] { return true; });
}

}  // namespace volt::sched
