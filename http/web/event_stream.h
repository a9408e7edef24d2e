// SPDX-License-Identifier: MIT

// EventStream: an endless response that is sent event by event (WHATWG HTML, section 9.2, "Server-sent events").
//
//   Task<> events(EventStream& out, State<Bus> bus) {
//     auto subscription = bus->subscribe(out.last_event_id());
//     while (auto news = co_await subscription.next()) co_await out.send({.event = "news", .data = news->text});
//   }
//   app.get("/events", events);
//   app.get("/ticks", http::with_options({.keep_alive = 5s}, ticks));
//
// The handler runs once the head of the response has been sent. When the client disconnects or the server drains, the
// handler is cancelled: its pending await ends. When the handler returns, the stream ends; when it throws, the response
// is aborted.
//
// Threads: the handler's task and its children may all send.
// Lifetime: neither copyable nor movable, valid until the handler returns. Other tasks reach the stream through a
// channel.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/server_event.h"
#include "http/web/argument.h"
#include "http/web/body_writer.h"
#include "http/web/internal/configured.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt {

class Mutex;

}  // namespace volt

namespace volt::http {

struct EventStreamOptions {
  // Interval of the comments that keep intermediaries from closing an idle connection. Zero: no comments.
  std::chrono::milliseconds keep_alive = std::chrono::seconds(15);
};

class EventStream {
 public:
  using Event = message::ServerEvent;  // {.event, .data, .id, .retry}; each is optional.

  // `sending` is held while an event is sent.
  EventStream(BodyWriter& out, Mutex& sending, std::string last_event_id)
      : out_(out), sending_(sending), last_event_id_(std::move(last_event_id)) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Sends an event. The call copies the event. The returned task completes when the kernel has accepted the whole
  // event, so a slow client makes the sender wait (backpressure). An event is sent whole or not at all, even if the
  // task is cancelled. The call throws std::invalid_argument for a type or id with CR, LF or NUL, and for a negative
  // retry. The task throws Disconnected.
  [[nodiscard]] Task<> send(Event event);
  // Sends an event with this data, one data line per line of text.
  [[nodiscard]] Task<> send(std::string_view data);
  // Sends an event that many streams send: its lines, as message::append_event() makes them, are shared.
  [[nodiscard]] Task<> send_lines(std::shared_ptr<const std::string> lines);
  // Sends a comment, which clients ignore.
  [[nodiscard]] Task<> comment(std::string_view text = {});

  // Id of the last event that the client received before it reconnected; empty if there is none.
  [[nodiscard]] const std::string& last_event_id() const noexcept { return last_event_id_; }

 private:
  [[nodiscard]] Task<> write(std::string lines);
  [[nodiscard]] Task<> transmit(std::string_view lines);

  BodyWriter& out_;
  Mutex& sending_;
  const std::string last_event_id_;
};

// Returns the response whose events `run` sends.
Response respond_with_events(Request& request, EventStreamOptions options,
                             std::move_only_function<Task<>(EventStream&)> run);

template <>
struct Extract<EventStream> {
  static constexpr bool kTakesOver = true;
  static void describe(openapi::Operation& operation) {
    operation.response(Status::ok, "text/event-stream", openapi::plain_schema("string"));
  }

  template <class F>
  static Response respond(Request& request, F run, EventStreamOptions options = {}) {
    return respond_with_events(request, options, std::move(run));
  }
};

// Sets the options of a handler that takes an EventStream.
template <class F>
web::Configured<F, EventStreamOptions> with_options(EventStreamOptions options, F handler) {
  return {options, std::move(handler)};
}

}  // namespace volt::http
