// SPDX-License-Identifier: MIT

// The part of a Hub that speaks with its backend.
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "http/topics/internal/hub.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/logger.h"
#include "runtime/select.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace volt::http::topics {
namespace {

constexpr Logger kTopicsLog("http");
constexpr std::chrono::milliseconds kBackoffMin(100);
constexpr std::chrono::milliseconds kBackoffMax(10'000);
constexpr std::chrono::milliseconds kMembersPause(1000);  // after a failure
constexpr int kRenewalsPerLease = 3;

Task<> until_stopped(CancelToken stop) { co_await stop.cancelled(); }

}  // namespace

void Hub::start() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(started_, true)) return;
  }
  spawn(receive, shared_from_this()).detach();
  spawn(tell_members, shared_from_this()).detach();
}

// ---- messages ----

// Reads what the backend has kept. Messages that arrive during the read wait for `ordering`.
Task<> Hub::open(Topic& topic) {
  start();
  const Mutex::Guard turn = co_await topic.ordering.lock();
  if (topic.opened) co_return;
  TopicHistory history = co_await backend_->history(topic.name(), 0);
  topic.open(std::move(history));
  topic.opened = true;
}

bool Hub::wants(const std::string& name) const { return find(name) != nullptr; }

Task<> Hub::deliver(std::string name, TopicRecord record) {
  const std::shared_ptr<Topic> topic = find(name);
  if (!topic) co_return;
  const Mutex::Guard turn = co_await topic->ordering.lock();
  if (topic->opened && !topic->take(record)) co_await catch_up(*topic);
}

// Called with `ordering` held.
Task<> Hub::catch_up(Topic& topic) {
  const TopicPosition last = topic.last();
  TopicHistory history = co_await backend_->history(topic.name(), last.sequence);
  const bool anew = history.last.epoch != last.epoch || history.last.sequence < last.sequence;
  if (anew) history = co_await backend_->history(topic.name(), 0);
  topic.catch_up(std::move(history));
}

Task<> Hub::resume() {
  std::vector<std::shared_ptr<Topic>> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, held] : topics_) all.push_back(held.topic);
  }
  for (const std::shared_ptr<Topic>& topic : all) {
    const Mutex::Guard turn = co_await topic->ordering.lock();
    if (topic->opened) co_await catch_up(*topic);
  }
}

Task<> Hub::receive(std::shared_ptr<Hub> hub) {
  const CancelToken stop = hub->stop_.token();
  std::chrono::milliseconds backoff = kBackoffMin;
  while (!stop.cancel_requested()) {
    const Deadline good = Deadline::after(kBackoffMax);
    try {
      const auto run = [&] { return hub->backend_->run(*hub); };
      const auto end = [&] { return until_stopped(stop); };
      co_await race(run, end);
      continue;
    } catch (const Cancelled&) {  // decided: the runtime stops
      throw;
    } catch (const std::exception& error) {  // decided: begins again
      kTopicsLog(LogLevel::error, "the backend of topics failed", {{"error", error.what()}});
    }
    backoff = good.passed() ? kBackoffMin : std::min(backoff * 2, kBackoffMax);
    static_cast<void>(co_await select(stop.cancelled(), sleep_for(backoff)));
  }
}

// ---- members ----

void Hub::note(const std::string& topic, const std::string& member) {
  {
    const std::scoped_lock lock(mutex_);
    changed_.emplace(topic, member);
  }
  members_changed_.notify_one();
}

// Notes all members of this process.
void Hub::note_all() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, held] : topics_) {
    for (const std::string& member : held.topic->members()) changed_.emplace(name, member);
  }
}

Task<> Hub::tell_members(std::shared_ptr<Hub> hub) {
  const CancelToken stop = hub->stop_.token();
  Deadline renew_at = Deadline::after(std::chrono::seconds(0));
  while (!stop.cancel_requested()) {
    try {
      co_await hub->tell_or_renew(renew_at);
      static_cast<void>(
          co_await select(stop.cancelled(), hub->members_changed_.notified(), sleep_for(renew_at.left())));
      continue;
    } catch (const Cancelled&) {  // decided: the runtime stops
      throw;
    } catch (const std::exception& error) {  // decided: told again, after the lease
      kTopicsLog(LogLevel::warning, "the members of topics cannot be told", {{"error", error.what()}});
    }
    renew_at = Deadline::after(std::chrono::seconds(0));
    static_cast<void>(co_await select(stop.cancelled(), sleep_for(kMembersPause)));
  }
}

// The lease comes first, because a member of a process without one would be counted without limit if the process ended.
Task<> Hub::tell_or_renew(Deadline& renew_at) {
  if (renew_at.passed()) {
    const bool kept = co_await backend_->renew();
    renew_at = Deadline::after(backend_->lease_time() / kRenewalsPerLease);
    if (!kept) note_all();
  }
  co_await tell_changes();
}

Task<> Hub::tell_changes() {
  for (;;) {
    Name name;
    {
      const std::scoped_lock lock(mutex_);
      if (changed_.empty()) co_return;
      name = std::move(changed_.extract(changed_.begin()).value());
    }
    const std::shared_ptr<Topic> topic = find(name.first);
    const bool present = topic && topic->has(name.second);
    Task<> told = present ? backend_->join(name.first, name.second) : backend_->leave(name.first, name.second);
    try {
      co_await std::move(told);
    } catch (...) {  // decided: kept for the next attempt, then rethrown
      const std::scoped_lock lock(mutex_);
      changed_.insert(std::move(name));
      throw;
    }
  }
}

}  // namespace volt::http::topics
