// SPDX-License-Identifier: MIT

#include "tests/simulation/client.h"

#include <algorithm>
#include <utility>

#include "tests/simulation/allocations.h"

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartsWithin = 3s;
constexpr auto kLongestTimeout = 90s;  // longer than every timeout of the server

}  // namespace

Habits some_habits(Chance& chance) {
  using enum Habits::Reading;
  using enum Habits::Ending;
  using enum Habits::Speaks;
  constexpr Habits::Reading kReadings[] = {at_once, at_once, at_once, at_once, slowly, never};
  constexpr Habits::Ending kEndings[] = {closes, closes,        closes,          waits,         waits,
                                         closes, resets_midway, vanishes_midway, closes_midway, half_closes};
  constexpr Habits::Speaks kSpeaks[] = {http, http, http, http, events, websocket};
  constexpr std::size_t kPieces[] = {1, 20, 700, 9'000, 1'000'000};
  Habits habits{.reading = chance.one_of(kReadings),
                .ending = chance.one_of(kEndings),
                .speaks = chance.one_of(kSpeaks),
                .pipelines = chance.hits(0.5),
                .piece_max = chance.one_of(kPieces),
                .gap_max_ns = chance.between(1'000, 2'000'000),
                .starts_after = Nanoseconds(chance.between(0, Nanoseconds(kStartsWithin).count())),
                .messages = static_cast<std::uint32_t>(chance.between(1, 5))};
  if (habits.speaks == events) habits.questions.push_back(request_case_for_events());
  if (habits.speaks == websocket) habits.questions.push_back(request_case_for_websocket());
  if (habits.speaks != http) return habits;
  const std::int64_t count = chance.between(1, 6);
  for (std::int64_t i = 0; i != count; ++i) habits.questions.push_back(some_request_case(chance));
  habits.talks_nonsense = chance.hits(0.1);
  if (habits.talks_nonsense) habits.questions.push_back(some_nonsense(chance));
  return habits;
}

Client::Client(SimulatedKernel& kernel, std::uint32_t number, Habits habits)
    : kernel_(kernel), number_(number), habits_(std::move(habits)) {
  for (const RequestCase& question : habits_.questions) ends_.push_back((outgoing_ += question.bytes).size());
  turns_bad_at_ = kernel.chance().below(outgoing_.size() + 1);
  kernel.in(habits_.starts_after, [this] { start(); });
}

void Client::start() {
  started_ = kernel_.now();
  connection_ = kernel_.connect(*this);
  if (connection_ == nullptr) {
    over_ = true;
    return;
  }
  send_on();
}

// ---- sending ----

std::size_t Client::sendable_bytes() const noexcept {
  const bool bad = habits_.ending == Ending::resets_midway || habits_.ending == Ending::vanishes_midway ||
                   habits_.ending == Ending::closes_midway;
  const std::size_t bound = bad ? turns_bad_at_ : outgoing_.size();
  if (habits_.pipelines || upgraded_) return bound;
  const std::size_t asks_now = std::min(answered_, ends_.size() - 1);
  return std::min(bound, ends_[asks_now]);
}

void Client::send_on() {
  if (over_ || sending_) return;
  const std::size_t until = sendable_bytes();
  if (sent_ < until) {
    // Bounds the number of pieces: a request must not take longer than the server's timeout.
    const std::size_t piece_max = std::max(habits_.piece_max, outgoing_.size() / 150);
    const std::size_t piece = 1 + kernel_.chance().below(std::min(piece_max, until - sent_));
    sent_ += kernel_.send(*connection_, std::string_view(outgoing_).substr(sent_, piece));
    asked_at_ = kernel_.now();
    if (connection_->told_of_room) return;  // room_arrived() continues
    sending_ = true;
    kernel_.in(Nanoseconds(kernel_.chance().between(0, habits_.gap_max_ns)), [this] {
      sending_ = false;
      send_on();
    });
    return;
  }
  switch (habits_.ending) {
    case Ending::resets_midway:
      if (sent_ < turns_bad_at_) return;
      kernel_.reset(*connection_);
      over_ = true;
      return;
    case Ending::closes_midway:
      if (sent_ < turns_bad_at_) return;
      kernel_.close(*connection_);
      over_ = true;
      return;
    case Ending::half_closes:
      if (sent_ == outgoing_.size() && habits_.speaks == Speaks::http && !finished_sending_) {
        finished_sending_ = true;
        kernel_.finish(*connection_);
      }
      return;
    default:
      return;
  }
}

// ---- reading ----

void Client::data_arrived() {
  if (habits_.reading == Reading::at_once) return read_on();
  if (habits_.reading == Reading::never || reading_later_) return;
  reading_later_ = true;
  kernel_.in(Nanoseconds(kernel_.chance().between(100'000, 20'000'000)), [this] {
    reading_later_ = false;
    read_on();
  });
}

void Client::read_on() {
  if (over_) return;
  const std::size_t at_once = habits_.reading == Reading::slowly ? 2'000 : SimulatedKernel::kDownBytes;
  incoming_ += kernel_.take(*connection_, at_once);
  digest();
  if (!over_ && !connection_->delivered.empty()) data_arrived();
}

void Client::end_arrived() {
  if (over_) return;
  incoming_ += kernel_.take(*connection_, SimulatedKernel::kDownBytes);  // a slow reader receives the rest at once
  digest();
  if (over_) return;
  over_ = true;
  if (habits_.reading != Reading::never && in_answer_ && in_body_ && decoder_.end().has_value()) end_response();
  kernel_.close(*connection_);
}

void Client::reset_arrived() {
  if (over_) return;
  over_ = was_reset_ = true;
  connection_->peer = nullptr;
}

void Client::digest() {
  while (!over_ && !incoming_.empty()) {
    if (upgraded_) return digest_websocket();
    if (refused_in_part_) return incoming_.clear();
    if (last_) return fail("bytes after the last response");
    if (!in_answer_) {
      if (answered_ == habits_.questions.size()) return fail("a response without a request");
      in_answer_ = true;
      decoder_.begin(habits_.questions[answered_].method);
    }
    if (!in_body_ ? !decode_head() : !decode_body()) return;
  }
}

// decode_head() and decode_body() return whether there is more to decode.
bool Client::decode_head() {
  const auto state = decoder_.decode_head(incoming_);
  if (!state) {
    fail(std::string("a malformed response: ").append(describe(state.error())));
    return false;
  }
  if (*state == http::http1::HeadState::need_more) return false;
  const auto head = decoder_.head(incoming_);
  status_ = http::code(head.status);
  const bool interim = decoder_.interim();
  incoming_.erase(0, decoder_.head_bytes());
  if (interim) {
    decoder_.next_head();
    return true;
  }
  body_.clear();
  in_body_ = true;
  if (status_ == 101) {
    upgraded_ = true;
    in_answer_ = in_body_ = false;
    ++answered_;
    send_message();
    return true;
  }
  return decode_body();
}

bool Client::decode_body() {
  for (;;) {
    const auto step = decoder_.decode_body(incoming_);
    if (!step) {
      fail(std::string("a malformed body: ").append(describe(step.error())));
      return false;
    }
    body_ += step->data;
    incoming_.erase(0, step->consumed);
    if (habits_.speaks == Speaks::events && body_.size() > habits_.messages * 40) {
      leave();
      return false;
    }
    if (step->done) {
      end_response();
      return true;
    }
    if (step->consumed == 0) return false;
  }
}

void Client::end_response() {
  const RequestCase& question = habits_.questions[answered_];
  in_answer_ = in_body_ = false;
  last_ = !decoder_.keep_alive();
  refused_in_part_ = last_ && sent_ < ends_[answered_];
  const bool as_expected = status_ == question.status || status_ == question.status_or;
  const bool bad_client =
      habits_.ending == Ending::vanishes_midway || habits_.ending == Ending::closes_midway || habits_.talks_nonsense;
  const bool refused =
      last_ && (bad_client || connection_->faulted || finished_sending_ || habits_.reading != Reading::at_once);
  // An injected fault explains a 5xx: a file could not be read, or an allocation failed.
  const bool overwhelmed =
      (status_ >= 500 && !kernel_.fault_injector().calm()) || (status_ == 503 && an_allocation_failed());
  if (!as_expected && !refused && !overwhelmed) {
    return fail("status " + std::to_string(status_) + " instead of " + std::to_string(question.status));
  }
  if (status_ == question.status && question.compares_body && body_ != question.body) return fail("a wrong body");
  ++answered_;
  longest_wait_ = std::max(longest_wait_, kernel_.now() - asked_at_);
  const bool satisfied = answered_ == habits_.questions.size();
  if (satisfied && habits_.ending == Ending::closes && !over_) return leave();
  pause();
}

void Client::pause() {
  if (habits_.pause_max == Nanoseconds(0) || sending_) return send_on();
  sending_ = true;
  kernel_.in(Nanoseconds(kernel_.chance().between(0, habits_.pause_max.count())), [this] {
    sending_ = false;
    send_on();
  });
}

void Client::digest_websocket() {
  while (incoming_.size() >= 2) {
    const unsigned opcode = static_cast<unsigned char>(incoming_[0]) & 15;
    std::size_t size = static_cast<unsigned char>(incoming_[1]) & 127;
    std::size_t begin = 2;
    if (size == 126) {
      if (incoming_.size() < 4) return;
      size = static_cast<unsigned char>(incoming_[2]) * 256 + static_cast<unsigned char>(incoming_[3]);
      begin = 4;
    }
    if (incoming_.size() < begin + size) return;
    const std::string payload = incoming_.substr(begin, size);
    incoming_.erase(0, begin + size);
    if (opcode == 1) {
      if (payload != std::to_string(messages_echoed_) + std::string(400, 'x')) return fail("a wrong echo");
      ++messages_echoed_;
      send_message();
    } else if (opcode == 9) {
      kernel_.send(*connection_, websocket_frame(10, payload));
    } else if (opcode == 8) {
      kernel_.send(*connection_, websocket_frame(8, payload));
    }
  }
}

void Client::send_message() {
  if (messages_sent_ == habits_.messages) {
    if (habits_.ending == Ending::closes) kernel_.send(*connection_, websocket_frame(8, "\x03\xe8"));
    if (habits_.ending == Ending::waits) leave();
    return;
  }
  const std::string text = std::to_string(messages_sent_++) + std::string(400, 'x');
  kernel_.send(*connection_, websocket_frame(1, text));
}

void Client::leave() {
  over_ = true;
  kernel_.close(*connection_);
}

// ---- judging ----

void Client::fail(const std::string& what) {
  kernel_.violation("client " + std::to_string(number_) + ": " + what);
  if (!over_) leave();
}

void Client::judge(Nanoseconds drain_began) {
  if (connection_ == nullptr) return;
  if (!connection_->closed) fail("the server never closed the connection");
  if (longest_wait_ > habits_.wait_max) {
    fail("waited for " + std::to_string(longest_wait_ / std::chrono::milliseconds(1)) + " ms for a response");
  }
  // A half-close may cancel the last handler (ServerOptions::half_close_cancels).
  const bool good = habits_.ending == Ending::closes || habits_.ending == Ending::waits;
  judged_strictly_ = good && !habits_.talks_nonsense && habits_.speaks == Speaks::http &&
                     habits_.reading == Reading::at_once && !connection_->faulted && !kernel_.listener_faulted() &&
                     started_ + kLongestTimeout <= drain_began;
  if (!judged_strictly_ || answered_ == habits_.questions.size()) return;
  fail("received " + std::to_string(answered_) + " of " + std::to_string(habits_.questions.size()) + " responses" +
       (was_reset_ ? ", then a reset" : ", then nothing more"));
}

}  // namespace volt::simulation
