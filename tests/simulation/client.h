// SPDX-License-Identifier: MIT

// Client: a client of a simulation, with good or bad habits; verifies the responses.
//
// Always required: responses arrive in order, each one correct or an error after which the connection ends; no byte
// follows the last response; nothing follows a response that was aborted. Also required for a well-behaved client, on a
// connection without injected fatal faults: every request gets its response.
//
// Threads: the thread whose turn it is. Lifetime: must outlive the kernel's last event.
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
  bool talks_nonsense = false;  // the last request is malformed
  std::size_t piece_max = 1'000'000;
  std::int64_t gap_max_ns = 1'000;
  Nanoseconds starts_after{0};
  Nanoseconds pause_max{0};                 // before each request but the first, if it does not pipeline
  Nanoseconds wait_max = Timeline::kNever;  // for each response
  std::uint32_t messages = 3;               // number of events or WebSocket messages
  std::vector<RequestCase> questions;
};
// Returns random habits.
[[nodiscard]] Habits some_habits(Chance& chance);

class Client final : public Peer {
 public:
  Client(SimulatedKernel& kernel, std::uint32_t number, Habits habits);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Returns whether all responses were received or the connection has ended.
  [[nodiscard]] bool done() const noexcept { return over_ || answered_ == habits_.questions.size(); }
  [[nodiscard]] std::size_t asked() const noexcept { return habits_.questions.size(); }
  [[nodiscard]] std::size_t answered() const noexcept { return answered_; }
  // Verifies the result at the end of a run. Requests without a response when the drain began (`drain_began`) are
  // excused.
  void judge(Nanoseconds drain_began);
  // After judge(): whether every request had to get its response.
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
  void pause();
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
  std::size_t turns_bad_at_ = 0;  // number of bytes sent before a bad ending

  Connection* connection_ = nullptr;
  std::string outgoing_;           // all requests
  std::vector<std::size_t> ends_;  // the end of each request in outgoing_
  std::size_t sent_ = 0;
  bool sending_ = false;  // an event is scheduled that will continue to send
  bool reading_later_ = false;
  bool finished_sending_ = false;
  std::string incoming_;
  http::http1::ResponseDecoder decoder_;
  bool in_answer_ = false;
  bool in_body_ = false;
  unsigned status_ = 0;
  std::string body_;
  std::size_t answered_ = 0;
  Nanoseconds asked_at_{0};       // when the last request was sent
  Nanoseconds longest_wait_{0};   // from the end of a request to the end of its response, unless it pipelines
  bool last_ = false;             // no byte may follow the current response
  bool refused_in_part_ = false;  // except the body of an error sent before the method (HEAD) was read
  bool upgraded_ = false;
  std::uint32_t messages_sent_ = 0;
  std::uint32_t messages_echoed_ = 0;
  bool over_ = false;  // the connection has ended or was never established
  bool was_reset_ = false;
  bool judged_strictly_ = false;
  Nanoseconds started_{0};
};

}  // namespace volt::simulation
