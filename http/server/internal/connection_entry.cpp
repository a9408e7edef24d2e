// SPDX-License-Identifier: MIT

#include "http/server/internal/connection_entry.h"

#include "http/server/internal/io_channel.h"

namespace volt::http::server {

ConnectionEntry::ConnectionEntry(IoChannel& io_channel, Traffic* traffic) noexcept
    : channel_(io_channel), traffic_(traffic), task_(this_task_id()), opened_(Clock::now()) {}

void ConnectionEntry::begin_request(std::uint32_t route, Method method) noexcept {
  requests_.add();
  route_.store(route, base::relaxed);     // relaxed: one writer; readers only report
  under_way_.store(true, base::relaxed);  // relaxed: as above
  if (traffic_ == nullptr) return;
  method_ = method;
  status_ = 0;
  began_ = Clock::now();
  traffic_->enter();
}

void ConnectionEntry::answered(Status status) noexcept {
  if (traffic_ == nullptr) return;
  if (!under_way()) {
    traffic_->record(traffic_->no_route(), std::nullopt, code(status), std::chrono::nanoseconds(0));
    return;
  }
  status_ = code(status);
  answered_ = Clock::now();
}

void ConnectionEntry::end_request() noexcept {
  if (!under_way()) return;
  under_way_.store(false, base::relaxed);  // relaxed: one writer; readers only report
  if (traffic_ == nullptr) return;
  traffic_->leave();
  const Clock::time_point until = status_ == 0 ? Clock::now() : answered_;
  traffic_->record(*last_route(), method_, status_, until - began_);
}

void ConnectionEntry::end_linger() noexcept {
  linger_ended_.store(true, base::relaxed);  // relaxed: a flag; the interrupt wakes the task that reads it
  channel_.interrupt_read();
}

std::optional<std::uint32_t> ConnectionEntry::last_route() const noexcept {
  const std::uint32_t route = route_.load(base::relaxed);  // relaxed: a report
  return route == kNone ? std::nullopt : std::optional(route);
}

ConnectionInfo ConnectionEntry::info() const {
  ConnectionInfo info{.task = task_, .age = Clock::now() - opened_};
  info.open = open();
  if (info.open) {
    if (const auto client = channel_.client()) info.client = client->to_string();
  }
  info.requests = requests_.value();
  if (under_way()) info.route = last_route();
  return info;
}

}  // namespace volt::http::server
