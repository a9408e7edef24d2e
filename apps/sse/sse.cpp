// SPDX-License-Identifier: MIT

#include "apps/sse/sse.h"

#include <http/http.h>
#include <http/middleware/limits.h>
#include <http/topics/topics.h>
#include <runtime/time.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "apps/sse/page.h"

namespace sse {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using http::EventStream;
using http::Json;
using http::State;
using http::Topics;
using volt::Task;

struct Said {
  std::string text;
};

// Returns the count with which to continue. A reconnecting browser sends the id of the last event that it received.
std::uint64_t count_after(std::string_view last_event_id) {
  std::uint64_t count = 0;
  std::from_chars(last_event_id.data(), last_event_id.data() + last_event_id.size(), count);
  return count + 1;
}

Task<> send_count(EventStream& out, std::uint64_t count) {
  return out.send({.event = "count", .data = std::to_string(count), .id = std::to_string(count)});
}

Task<> count(EventStream& out) {
  for (std::uint64_t next = count_after(out.last_event_id());; ++next) {
    co_await send_count(out, next);
    co_await volt::sleep_for(1s);
  }
}

Task<> news(EventStream& out, State<Topics<Said>> said) {
  auto subscription = co_await said->subscribe("news", {.after = out.last_event_id()});
  co_await http::serve(out, subscription);
}

Task<> say(Json<Said> said, State<Topics<Said>> topics) { co_await topics->publish("news", *said); }

}  // namespace

http::App make_app() {
  http::App app;
  app.state<Topics<Said>>();
  app.use(http::body_limit(4 * 1024));
  app.get("/", [] { return http::Response::fixed(kPage, "text/html; charset=utf-8"); });
  app.get("/events", count);
  app.get("/news", news);
  app.post("/say", say);
  return app;
}

}  // namespace sse
