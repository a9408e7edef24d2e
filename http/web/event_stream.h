// EventStream: an answer that never ends by itself, event by event (WHATWG HTML, section 9.2, "Server-sent events").
//
//   Task<> events(EventStream& out, State<Bus> bus) {
//     auto subscription = bus->subscribe(out.last_event_id());
//     while (auto news = co_await subscription.next()) co_await out.send({.event = "news", .data = news->text});
//   }
//   app.get("/events", events);
//   app.get("/ticks", http::with_options({.keep_alive = 5s}, ticks));
//
// The handler runs once the head of the answer has been sent. When the client has gone or the server drains it is
// cancelled: the await that it is in ends. When it returns, the stream ends; when it throws, it breaks off.
//
// Threads: any number of tasks, the handler and its children, may send.
// Lifetime: not copied, not moved, valid until the handler returns. Others reach it through a channel.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/server_event.h"
#include "http/web/argument.h"
#include "http/web/body_writer.h"
#include "http/web/internal/configured.h"
#include "http/web/response.h"
#include "runtime/mutex.h"
#include "runtime/task.h"

namespace volt::http {

struct EventStreamOptions {
  // A comment is sent that often, lest something in between takes the connection for dead. Zero: never.
  std::chrono::milliseconds keep_alive = std::chrono::seconds(15);
};

class EventStream {
 public:
  using Event = message::ServerEvent;  // {.event, .data, .id, .retry}, each may be left out

  EventStream(BodyWriter& out, std::string last_event_id) : out_(out), last_event_id_(std::move(last_event_id)) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Each takes the event when it is called; the task is done when the kernel has all of it, which is the backpressure.
  // It goes out whole or not at all, also if the task is cancelled. The task throws Disconnected; the call throws
  // std::invalid_argument for a type or id that holds CR, LF or NUL, and for a negative retry.
  [[nodiscard]] Task<> send(Event event);
  // The data of an event; as many lines as it has.
  [[nodiscard]] Task<> send(std::string_view data);
  // What clients skip.
  [[nodiscard]] Task<> comment(std::string_view text = {});

  // The id of the last event that this client has seen, if it was connected before; else empty.
  [[nodiscard]] const std::string& last_event_id() const noexcept { return last_event_id_; }

 private:
  [[nodiscard]] Task<> write(std::string lines);

  BodyWriter& out_;
  Mutex writing_;
  const std::string last_event_id_;
};

// The answer that `run` writes.
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

// A handler that takes an EventStream.
template <class F>
web::Configured<F, EventStreamOptions> with_options(EventStreamOptions options, F handler) {
  return {options, std::move(handler)};
}

}  // namespace volt::http
