// SPDX-License-Identifier: MIT

#include "apps/sse/sse.h"

#include <http/http.h>
#include <http/middleware/limits.h>
#include <runtime/broadcast.h>
#include <runtime/concurrent.h>
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
using volt::Subscriber;
using volt::Task;

using News = volt::Broadcaster<std::string>;

constexpr std::size_t kNewsBehindMax = 64;  // a client that falls further behind loses the oldest messages

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

Task<> send_news(EventStream& out, const std::string& text) { return out.send({.event = "said", .data = text}); }

Task<> count(EventStream& out) {
  for (std::uint64_t next = count_after(out.last_event_id());; ++next) {
    co_await send_count(out, next);
    co_await volt::sleep_for(1s);
  }
}

Task<> tell(EventStream& out, Subscriber<std::string>& news) {
  while (const auto one = co_await news.receive()) co_await send_news(out, *one->value);
}

Task<> events(EventStream& out, State<News> news) {
  auto subscription = news->subscribe();
  co_await volt::race([&] { return count(out); }, [&] { return tell(out, subscription); });
}

void say(Json<Said> said, State<News> news) { news->send(std::move(said->text)); }

}  // namespace

http::App make_app() {
  http::App app;
  app.state(News(kNewsBehindMax));
  app.use(http::body_limit(4 * 1024));
  app.get("/", [] { return http::Response::fixed(kPage, "text/html; charset=utf-8"); });
  app.get("/events", events);
  app.post("/say", say);
  return app;
}

}  // namespace sse
