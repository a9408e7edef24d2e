// SPDX-License-Identifier: MIT

#include "http/server/internal/connection_entry.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_log.h"
#include "http/web/request.h"
#include "runtime/work_class.h"

namespace volt::http::server {
namespace {

// A request that took this long is kept for reports of stalls: a stall is a millisecond or more of one turn, but a part
// of that may have preceded the request, or follows it, such as the system call that sends the response.
constexpr std::chrono::nanoseconds kLong = WorkClass::kLongTurn / 2;

// A reader of the facts meets a change at most once in a while: each change is followed by a request.
constexpr int kTriesMax = 100;

}  // namespace

ConnectionEntry::ConnectionEntry(IoChannel& io_channel, Traffic* traffic) noexcept
    : channel_(io_channel), traffic_(traffic), task_(this_task_id()), opened_(Clock::now()) {}

ConnectionEntry::~ConnectionEntry() {
  end_request();
  delete id_.load(base::relaxed);    // relaxed: no other thread uses it any more
  delete long_.load(base::relaxed);  // relaxed: as above
}

void ConnectionEntry::begin_request(std::uint32_t route, Method method, bool measures) noexcept {
  requests_.add();
  times_.begin(measures || traffic_ != nullptr);
  begin_change();
  route_.store(route, base::release);     // R2
  under_way_.store(true, base::release);  // R2
  if (traffic_ != nullptr) {
    status_ = 0;
    is_listed_ = false;
    method_.store(method, base::release);                 // R2
    began_.store(times_.began(), base::release);          // R2
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

void ConnectionEntry::answered(Status status, bool measures) noexcept {
  if (under_way()) times_.answer(measures);
  if (traffic_ == nullptr) return;
  if (!under_way()) {
    traffic_->record(traffic_->no_route(), std::nullopt, code(status), std::chrono::nanoseconds(0));
    return;
  }
  status_ = code(status);
}

void ConnectionEntry::end_request() noexcept {
  if (!under_way()) return;
  if (traffic_ == nullptr) {
    under_way_.store(false, base::relaxed);  // relaxed: one writer; readers only report
    return;
  }
  const Clock::time_point until = status_ == 0 ? Clock::now() : times_.answered();
  ended_.store(until, base::relaxed);                              // relaxed: R4 orders it
  if (until - began_.load(base::relaxed) >= kLong) [[unlikely]] {  // relaxed: this task is the only writer
    keep_long_request(until);
  }
  under_way_.store(false, base::release);                  // R4
  const Method method = method_.load(base::relaxed);       // relaxed: this task is the only writer
  const std::uint32_t route = route_.load(base::relaxed);  // relaxed: as above
  traffic_->record_request(route, method, status_, times_.phases(until), times_.handled());
}

// Without memory the request is not kept.
void ConnectionEntry::keep_long_request(Clock::time_point ended) noexcept {
  Ended* kept = long_.load(base::relaxed);  // relaxed: this task is the only writer
  if (kept == nullptr) {
    kept = new (std::nothrow) Ended;
    if (kept == nullptr) return;
    long_.store(kept, base::release);  // R2
  }
  begin_change();
  kept->route.store(route_.load(base::relaxed), base::release);    // R2; relaxed: this task is the only writer
  kept->method.store(method_.load(base::relaxed), base::release);  // R2; relaxed: as above
  kept->began.store(began_.load(base::relaxed), base::release);    // R2; relaxed: as above
  kept->ended.store(ended, base::release);                         // R2
  const Id* const id = id_.load(base::relaxed);                    // relaxed: as above
  const std::uint32_t size = id != nullptr ? id->size.load(base::relaxed) : 0;  // relaxed: as above
  kept->id.size.store(size, base::release);                                     // R2
  for (std::size_t i = 0; i * sizeof(std::uint64_t) < size; ++i) {
    kept->id.words[i].store(id->words[i].load(base::relaxed), base::release);  // R2; relaxed: as above
  }
  end_change();
}

void ConnectionEntry::note_slow(const Request& request, ExchangeOutcome outcome, const RequestPhases& phases) noexcept {
  is_listed_ = true;
  try {
    traffic_->slow_requests.add({.route = route_.load(base::relaxed),  // relaxed: this task is the only writer
                                 .method = request.method(),
                                 .status = status_,
                                 .outcome = outcome,
                                 .ended = std::chrono::system_clock::now(),
                                 .phases = phases,
                                 .id = request.id().substr(0, kIdBytesMax),
                                 .trace_id = trace_id_text(request.trace_id())},
                                Clock::now());
  } catch (const std::bad_alloc&) {  // decided: the list is incomplete
  }
}

void ConnectionEntry::end_linger() noexcept {
  linger_ended_.store(true, base::relaxed);  // relaxed: a flag; the interrupt wakes the task that reads it
  channel_.interrupt_read();
}

std::optional<std::uint32_t> ConnectionEntry::last_route() const noexcept {
  const std::uint32_t route = route_.load(base::relaxed);  // relaxed: a report
  return route == kNone ? std::nullopt : std::optional(route);
}

std::string ConnectionEntry::text_of(const Id* id) {
  if (id == nullptr) return {};
  std::string text(id->size.load(base::acquire), '\0');  // R2
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = id->words[i / sizeof word].load(base::acquire);  // R2
    std::memcpy(text.data() + i, &word, std::min(sizeof word, text.size() - i));
  }
  return text;
}

TimedRequest ConnectionEntry::current_request(Clock::time_point now) const {
  TimedRequest current{.request = {.route = route_.load(base::acquire),      // R2
                                   .method = method_.load(base::acquire),    // R2
                                   .id = text_of(id_.load(base::acquire))},  // R2
                       .began = began_.load(base::acquire),                  // R2
                       .ended = now};
  if (!under_way_.load(base::acquire)) current.ended = ended_.load(base::relaxed);  // R4; relaxed: ordered by R4
  return current;
}

TimedRequest ConnectionEntry::long_request() const {
  const Ended* const ended = long_.load(base::acquire);  // R2
  if (ended == nullptr) return {.request = {.route = kNone}, .began = {}, .ended = {}};
  return {.request = {.route = ended->route.load(base::acquire),    // R2
                      .method = ended->method.load(base::acquire),  // R2
                      .id = text_of(&ended->id)},
          .began = ended->began.load(base::acquire),   // R2
          .ended = ended->ended.load(base::acquire)};  // R2
}

std::optional<TimedRequest> ConnectionEntry::last_long_request() const {
  TimedRequest request = long_request();
  return request.request.route == kNone ? std::nullopt : std::optional(std::move(request));
}

// Reads the facts again if they have changed while they were read.
std::optional<RunningRequest> ConnectionEntry::request_during(Clock::time_point from, Clock::time_point until,
                                                              std::chrono::nanoseconds charged) const {
  if (traffic_ == nullptr) return std::nullopt;
  for (int tries = 0; tries != kTriesMax; ++tries) {
    const std::uint32_t changes = changes_.load(base::acquire);  // R3
    TimedRequest current = current_request(until);
    TimedRequest last_long = long_request();
    if (changes % 2 != 0 || changes_.load(base::relaxed) != changes) {  // relaxed: R2 orders it
      base::spin_pause();
      continue;
    }
    for (TimedRequest* request : {&last_long, &current}) {
      if (request->took_most_of(charged, from, until)) return std::move(request->request);
    }
    return std::nullopt;
  }
  return std::nullopt;
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
