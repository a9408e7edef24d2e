// SPDX-License-Identifier: MIT

#include "http/server/internal/connection_entry.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "http/server/internal/io_channel.h"

namespace volt::http::server {

ConnectionEntry::ConnectionEntry(IoChannel& io_channel, Traffic* traffic) noexcept
    : channel_(io_channel), traffic_(traffic), task_(this_task_id()), opened_(Clock::now()) {}

ConnectionEntry::~ConnectionEntry() {
  end_request();
  delete id_.load(base::relaxed);  // relaxed: no other thread uses it any more
}

void ConnectionEntry::begin_request(std::uint32_t route, Method method) noexcept {
  requests_.add();
  begin_change();
  route_.store(route, base::release);     // R2
  under_way_.store(true, base::release);  // R2
  if (traffic_ != nullptr) {
    status_ = 0;
    method_.store(method, base::release);                 // R2
    began_.store(Clock::now(), base::release);            // R2
    Id* const id = id_.load(base::relaxed);               // relaxed: this task is the only writer
    if (id != nullptr) id->size.store(0, base::release);  // R2
    traffic_->enter();
  }
  end_change();
}

void ConnectionEntry::note_request_id(std::string_view text) noexcept {
  if (traffic_ == nullptr || !under_way()) return;
  Id* id = id_.load(base::relaxed);  // relaxed: this task is the only writer
  if (id == nullptr) {
    id = new (std::nothrow) Id;
    if (id == nullptr) return;
    id_.store(id, base::release);  // R2
  }
  text = text.substr(0, kIdBytesMax);
  begin_change();
  id->size.store(static_cast<std::uint32_t>(text.size()), base::release);  // R2
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min(sizeof word, text.size() - i));
    id->words[i / sizeof word].store(word, base::release);  // R2
  }
  end_change();
}

void ConnectionEntry::begin_change() noexcept {
  const std::uint32_t changes = changes_.load(base::relaxed);  // relaxed: this task is the only writer
  changes_.store(changes + 1, base::relaxed);                  // relaxed: R2 orders it before the facts
}

void ConnectionEntry::end_change() noexcept {
  const std::uint32_t changes = changes_.load(base::relaxed);  // relaxed: this task is the only writer
  changes_.store(changes + 1, base::release);                  // R3
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
  if (traffic_ == nullptr) {
    under_way_.store(false, base::relaxed);  // relaxed: one writer; readers only report
    return;
  }
  const Clock::time_point until = status_ == 0 ? Clock::now() : answered_;
  ended_.store(until, base::relaxed);      // relaxed: R4 orders it
  under_way_.store(false, base::release);  // R4
  traffic_->leave();
  const Method method = method_.load(base::relaxed);           // relaxed: this task is the only writer
  const Clock::time_point began = began_.load(base::relaxed);  // relaxed: as above
  traffic_->record(*last_route(), method, status_, until - began);
}

void ConnectionEntry::end_linger() noexcept {
  linger_ended_.store(true, base::relaxed);  // relaxed: a flag; the interrupt wakes the task that reads it
  channel_.interrupt_read();
}

std::optional<std::uint32_t> ConnectionEntry::last_route() const noexcept {
  const std::uint32_t route = route_.load(base::relaxed);  // relaxed: a report
  return route == kNone ? std::nullopt : std::optional(route);
}

std::string ConnectionEntry::id() const {
  const Id* const id = id_.load(base::acquire);  // R2
  if (id == nullptr) return {};
  std::string text(id->size.load(base::acquire), '\0');  // R2
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = id->words[i / sizeof word].load(base::acquire);  // R2
    std::memcpy(text.data() + i, &word, std::min(sizeof word, text.size() - i));
  }
  return text;
}

std::optional<RunningRequest> ConnectionEntry::request_during(Clock::time_point from, Clock::time_point until) const {
  const std::uint32_t changes = changes_.load(base::acquire);  // R3
  if (traffic_ == nullptr || changes % 2 != 0) return std::nullopt;
  RunningRequest request{.route = route_.load(base::acquire), .method = method_.load(base::acquire), .id = id()};  // R2
  const Clock::time_point began = began_.load(base::acquire);                                                      // R2
  const bool in_progress = under_way_.load(base::acquire);                                     // R2, R4
  const Clock::time_point ended = in_progress ? until : ended_.load(base::relaxed);            // relaxed: ordered by R4
  if (changes_.load(base::relaxed) != changes || request.route == kNone) return std::nullopt;  // relaxed: R2 orders it
  if (began > from + (until - from) / 2 || ended < until) return std::nullopt;
  return request;
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
