// Client: one of a simulation's, with habits of its own, good or bad; it checks what it is answered.
//
// What holds whatever happens: answers come in order, each right or a refusal behind which the connection ends; no byte
// comes behind the last; an answer that breaks off is the last thing. What holds besides for a client that does nothing
// wrong, on a connection where nothing was injected that may end it: every request is answered.
//
// Threads: whoever's turn it is. Lifetime: outlives the kernel's last event.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/http1/response_decoder.h"
#include "tests/simulation/kernel.h"
#include "tests/simulation/request_cases.h"

namespace volt::simulation {

struct Habits {
  enum class Reading { at_once, slowly, never };
  enum class Ending { closes, waits, half_closes, resets_midway, vanishes_midway, closes_midway };
  enum class Speaks { http, events, websocket };

  Reading reading = Reading::at_once;
  Ending ending = Ending::closes;
  Speaks speaks = Speaks::http;
  bool pipelines = false;
  bool talks_nonsense = false;  // as its last question
  std::size_t piece_max = 1'000'000;
  std::int64_t gap_max_ns = 1'000;
  Nanoseconds starts_after{0};
  std::uint32_t messages = 3;  // of events or a WebSocket
  std::vector<RequestCase> questions;
};
// Any.
[[nodiscard]] Habits some_habits(Chance& chance);

class Client final : public Peer {
 public:
  Client(SimulatedKernel& kernel, std::uint32_t number, Habits habits);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Has nothing more to ask or to hear.
  [[nodiscard]] bool done() const noexcept { return over_ || answered_ == habits_.questions.size(); }
  [[nodiscard]] std::size_t asked() const noexcept { return habits_.questions.size(); }
  [[nodiscard]] std::size_t answered() const noexcept { return answered_; }
  // At the end of a run. `drain_began`: what was not answered by then need not be.
  void judge(Nanoseconds drain_began);
  // After that: it had to be answered, come what may.
  [[nodiscard]] bool judged_strictly() const noexcept { return judged_strictly_; }

 private:
  using Reading = Habits::Reading;
  using Ending = Habits::Ending;
  using Speaks = Habits::Speaks;

  void start();
  void send_on();
  void read_on();
  void digest();
  [[nodiscard]] bool decode_head();
  [[nodiscard]] bool decode_body();
  void end_response();
  void digest_websocket();
  void send_message();
  void leave();
  void fail(const std::string& what);
  [[nodiscard]] std::size_t sendable_bytes() const noexcept;

  void data_arrived() override;
  void room_arrived() override { send_on(); }
  void end_arrived() override;
  void reset_arrived() override;

  SimulatedKernel& kernel_;
  const std::uint32_t number_;
  const Habits habits_;
  std::size_t turns_bad_at_ = 0;  // the byte sent behind which a bad ending comes

  Connection* connection_ = nullptr;
  std::string outgoing_;           // all questions
  std::vector<std::size_t> ends_;  // of each, in outgoing_
  std::size_t sent_ = 0;
  bool sending_ = false;  // an event will go on
  bool reading_later_ = false;
  bool finished_sending_ = false;
  std::string incoming_;
  http::http1::ResponseDecoder decoder_;
  bool in_answer_ = false;
  bool in_body_ = false;
  unsigned status_ = 0;
  std::string body_;
  std::size_t answered_ = 0;
  bool last_ = false;             // behind it nothing may come
  bool refused_in_part_ = false;  // but what a server says that could not know yet that this was a HEAD
  bool upgraded_ = false;
  std::uint32_t messages_sent_ = 0;
  std::uint32_t messages_echoed_ = 0;
  bool over_ = false;  // the connection has ended, or never began
  bool was_reset_ = false;
  bool judged_strictly_ = false;
  Nanoseconds started_{0};
};

}  // namespace volt::simulation
