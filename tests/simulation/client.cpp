#include "tests/simulation/client.h"

#include <algorithm>
#include <span>

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartsWithin = 3s;
constexpr auto kPatience = 90s;  // longer than any time-out of the server's

}  // namespace

Client::Client(SimulatedKernel& kernel, std::uint32_t number) : kernel_(kernel), number_(number) {
  Chance& chance = kernel.chance();
  constexpr Reading kReadings[] = {Reading::at_once, Reading::at_once, Reading::at_once,
                                   Reading::at_once, Reading::slowly,  Reading::never};
  constexpr Ending kEndings[] = {Ending::closes, Ending::closes,        Ending::closes,          Ending::waits,
                                 Ending::waits,  Ending::resets_midway, Ending::vanishes_midway, Ending::closes_midway,
                                 Ending::closes, Ending::half_closes};
  constexpr Speaks kSpeaks[] = {Speaks::http, Speaks::http, Speaks::http, Speaks::http, Speaks::events, Speaks::websocket};
  constexpr std::size_t kPieces[] = {1, 20, 700, 9'000, 1'000'000};
  reading_ = chance.one_of(kReadings);
  ending_ = chance.one_of(kEndings);
  speaks_ = chance.one_of(kSpeaks);
  pipelines_ = chance.hits(0.5);
  piece_max_ = chance.one_of(kPieces);
  gap_max_ns_ = chance.between(1'000, 2'000'000);
  if (speaks_ == Speaks::http) {
    const std::uint64_t count = 1 + chance.below(6);
    for (std::uint64_t i = 0; i != count; ++i) questions_.push_back(some_question(chance));
    nonsense_ = chance.hits(0.1);
    if (nonsense_) questions_.push_back(some_nonsense(chance));
  } else {
    questions_.push_back(speaks_ == Speaks::events ? question_for_events() : question_for_websocket());
    messages_wanted_ = static_cast<std::uint32_t>(1 + chance.below(5));
  }
  for (const Question& question : questions_) ends_.push_back((outgoing_ += question.bytes).size());
  // A question that comes byte by byte must not take longer than the server waits for a head.
  piece_max_ = std::max(piece_max_, outgoing_.size() / 500);
  turns_bad_at_ = chance.below(outgoing_.size() + 1);
  kernel.in(Nanoseconds(chance.between(0, Nanoseconds(kStartsWithin).count())), [this] { start(); });
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
  const bool bad = ending_ == Ending::resets_midway || ending_ == Ending::vanishes_midway ||
                   ending_ == Ending::closes_midway;
  const std::size_t bound = bad ? turns_bad_at_ : outgoing_.size();
  if (pipelines_ || upgraded_) return bound;
  const std::size_t asks_now = std::min(answered_, ends_.size() - 1);
  return std::min(bound, ends_[asks_now]);
}

void Client::send_on() {
  if (over_ || sending_) return;
  const std::size_t until = sendable_bytes();
  if (sent_ < until) {
    const std::size_t piece = 1 + kernel_.chance().below(std::min(piece_max_, until - sent_));
    sent_ += kernel_.send(*connection_, std::string_view(outgoing_).substr(sent_, piece));
    if (connection_->told_of_room) return;  // room_arrived() goes on
    sending_ = true;
    kernel_.in(Nanoseconds(kernel_.chance().between(0, gap_max_ns_)), [this] {
      sending_ = false;
      send_on();
    });
    return;
  }
  switch (ending_) {
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
      if (sent_ == outgoing_.size() && speaks_ == Speaks::http && !finished_sending_) {
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
  if (reading_ == Reading::at_once) return read_on();
  if (reading_ == Reading::never || reading_later_) return;
  reading_later_ = true;
  kernel_.in(Nanoseconds(kernel_.chance().between(100'000, 20'000'000)), [this] {
    reading_later_ = false;
    read_on();
  });
}

void Client::read_on() {
  if (over_) return;
  const std::size_t at_once = reading_ == Reading::slowly ? 2'000 : SimulatedKernel::kDownBytes;
  incoming_ += kernel_.take(*connection_, at_once);
  digest();
  if (!over_ && !connection_->delivered.empty()) data_arrived();
}

void Client::end_arrived() {
  if (over_) return;
  incoming_ += kernel_.take(*connection_, SimulatedKernel::kDownBytes);  // whoever reads slowly has it all the same
  digest();
  if (over_) return;
  over_ = true;
  if (reading_ != Reading::never && in_answer_ && in_body_ && decoder_.end().has_value()) end_answer();
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
    if (last_) return fail("bytes behind the last answer");
    if (!in_answer_) {
      if (answered_ == questions_.size()) return fail("an answer that nobody asked for");
      in_answer_ = true;
      decoder_.begin(questions_[answered_].method);
    }
    if (!in_body_ ? !decode_head() : !decode_body()) return;
  }
}

// Each: whether there is more to decode.
bool Client::decode_head() {
  const auto state = decoder_.decode_head(incoming_);
  if (!state) {
    fail(std::string("a malformed answer: ").append(describe(state.error())));
    return false;
  }
  if (*state == http::codec::HeadState::need_more) return false;
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
    if (speaks_ == Speaks::events && body_.size() > messages_wanted_ * 40) {
      leave();
      return false;
    }
    if (step->done) {
      end_answer();
      return true;
    }
    if (step->consumed == 0) return false;
  }
}

void Client::end_answer() {
  const Question& question = questions_[answered_];
  in_answer_ = in_body_ = false;
  last_ = !decoder_.keep_alive();
  refused_in_part_ = last_ && sent_ < ends_[answered_];
  const bool as_expected = status_ == question.status || status_ == question.status_or;
  const bool bad_client = ending_ == Ending::vanishes_midway || ending_ == Ending::closes_midway || nonsense_;
  const bool refused = last_ && (bad_client || connection_->faulted || finished_sending_ || reading_ != Reading::at_once);
  const bool overwhelmed = status_ >= 500 && !kernel_.weather().calm();  // a file that could not be read
  if (!as_expected && !refused && !overwhelmed) {
    return fail("status " + std::to_string(status_) + " instead of " + std::to_string(question.status));
  }
  if (status_ == question.status && question.compares_body && body_ != question.body) return fail("a wrong body");
  ++answered_;
  const bool satisfied = answered_ == questions_.size();
  if (satisfied && ending_ == Ending::closes && !over_) return leave();
  send_on();
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
  if (messages_sent_ == messages_wanted_) {
    if (ending_ == Ending::closes) kernel_.send(*connection_, websocket_frame(8, "\x03\xe8"));
    if (ending_ == Ending::waits) leave();
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
  if (!connection_->closed) fail("its connection was never closed");
  const bool good = ending_ == Ending::closes || ending_ == Ending::waits || ending_ == Ending::half_closes;
  judged_strictly_ = good && !nonsense_ && speaks_ == Speaks::http && reading_ == Reading::at_once &&
                     !connection_->faulted && !kernel_.listener_faulted() && started_ + kPatience <= drain_began;
  if (!judged_strictly_ || answered_ == questions_.size()) return;
  fail("answered " + std::to_string(answered_) + " of " + std::to_string(questions_.size()) +
       (was_reset_ ? ", then reset" : ", and then nothing"));
}

}  // namespace volt::simulation
