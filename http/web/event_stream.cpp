// SPDX-License-Identifier: MIT

#include "http/web/event_stream.h"

#include <memory>

#include "runtime/concurrent.h"
#include "runtime/mutex.h"
#include "runtime/time.h"

namespace volt::http {
namespace {

Task<> keep_alive(EventStream& events, std::chrono::milliseconds interval) {
  for (;;) {
    co_await sleep_for(interval);
    co_await events.comment();
  }
}

class EventBody final : public StreamBody {
 public:
  EventBody(std::string last_event_id, EventStreamOptions options, std::move_only_function<Task<>(EventStream&)> run)
      : last_event_id_(std::move(last_event_id)), options_(options), run_(std::move(run)) {}

  [[nodiscard]] Task<> write_to(BodyWriter& out) override {
    co_await out.flush();  // Sends the head, so the client knows that it is connected.
    Mutex sending;
    EventStream events(out, sending, std::move(last_event_id_));
    const auto run = [&] { return run_(events); };
    const auto end = [&] { return out.until_closing(); };
    if (options_.keep_alive == options_.keep_alive.zero()) {
      co_await race(run, end);
    } else {
      const auto meanwhile = [&] { return keep_alive(events, options_.keep_alive); };
      co_await race(run, end, meanwhile);
    }
  }

 private:
  std::string last_event_id_;
  EventStreamOptions options_;
  std::move_only_function<Task<>(EventStream&)> run_;
};

}  // namespace

Task<> EventStream::send(Event event) {
  std::string lines;
  message::append_event(event, lines);
  return write(std::move(lines));
}

Task<> EventStream::send(std::string_view data) { return send(Event{.data = data}); }

Task<> EventStream::comment(std::string_view text) {
  std::string lines;
  message::append_comment(text, lines);
  return write(std::move(lines));
}

Task<> EventStream::send_lines(std::shared_ptr<const std::string> lines) { co_await transmit(*lines); }

Task<> EventStream::write(std::string lines) { co_await transmit(lines); }

// Shields the write from cancellation. Otherwise an event could be sent only in part, and the next event would be
// appended to it. A client that reads too slowly still ends the write: BodyWriter then throws Disconnected.
Task<> EventStream::transmit(std::string_view lines) {
  const Mutex::Guard turn = co_await sending_.lock();
  const auto write_lines = [&]() -> Task<> {
    co_await out_.write(lines);
    co_await out_.flush();
  };
  co_await shield(write_lines);
}

Response respond_with_events(Request& request, EventStreamOptions options,
                             std::move_only_function<Task<>(EventStream&)> run) {
  std::string last_event_id(request.header("last-event-id").value_or(""));
  auto body = std::make_unique<EventBody>(std::move(last_event_id), options, std::move(run));
  Response response = Response::streamed(std::move(body), "text/event-stream");
  response.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
  response.close();  // until_closing() may have discarded part of a next request
  return response;
}

}  // namespace volt::http
