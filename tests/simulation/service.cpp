// SPDX-License-Identifier: MIT

#include "tests/simulation/service.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "http/http.h"
#include "http/json/json.h"
#include "http/middleware/compress.h"
#include "http/middleware/limits.h"
#include "http/multipart/multipart.h"
#include "http/web/event_stream.h"
#include "http/web/extract.h"
#include "http/web/file.h"
#include "http/web/stream.h"
#include "http/websocket/websocket.h"
#include "runtime/blocking.h"
#include "runtime/broadcast.h"
#include "runtime/concurrent.h"
#include "runtime/time.h"
#include "tests/simulation/exchanges.h"
#include "tests/simulation/kernel.h"
#include "tests/simulation/trace.h"

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;
using http::Json;
using http::Path;
using http::Request;
using http::Response;
using http::State;

struct Order {
  std::int64_t number = 0;
  std::string text;
};

Response echo(Json<Order> order) {
  ++order->number;
  return Response::json(http::to_json(*order));
}

Task<> write_pattern(http::BodyWriter& out, std::size_t size) {
  const std::string bytes = pattern(size);
  for (std::size_t at = 0; at < size; at += 3'000) {
    co_await out.write(std::string_view(bytes).substr(at, 3'000));
    if (at % 9'000 == 0) co_await out.flush();
    co_await sleep_for(1ms);
  }
}

// Reads more slowly than the client sends, so that the client has to wait.
Task<std::string> upload(http::BodyStream body) {
  std::uint64_t hash = hash_of({});
  std::size_t size = 0;
  for (;;) {
    const auto piece = co_await body.read();
    if (!piece) break;
    hash = hash_of(*piece, hash);
    size += piece->size();
    co_await sleep_for(200us);
  }
  co_return std::to_string(size) + " " + std::to_string(hash);
}

Task<std::string> form(http::Multipart form) {
  std::string seen;
  for (;;) {
    auto part = co_await form.next();
    if (!part) break;
    const std::string text = co_await part->text();
    seen += part->name() + "=" + text + ";";
  }
  co_return seen;
}

Task<std::string> sleep_millis(Path<std::uint32_t> millis) {
  co_await sleep_for(std::chrono::milliseconds(*millis));
  co_return "slept";
}

// Runs two children concurrently, one of which is cancelled.
Task<std::string> race_two() {
  const auto first = []() -> Task<int> {
    co_await sleep_for(3ms);
    co_return 1;
  };
  const auto second = []() -> Task<int> {
    co_await sleep_for(7s);
    co_return 2;
  };
  const auto winner = co_await race(first, second);
  co_return std::to_string(winner.index());
}

using News = Broadcaster<std::string>;

Task<std::optional<Delivery<std::string>>> next_of(Subscriber<std::string>& news) { co_return co_await news.receive(); }

Task<> send_count(http::EventStream& out, int number) {
  return out.send({.event = "count", .data = std::to_string(number)});
}

Task<> tell_news(http::EventStream& out, State<News> news) {
  auto subscription = news->subscribe();
  const auto next = [&] { return next_of(subscription); };
  for (int number = 0;; ++number) {
    co_await send_count(out, number);
    const auto waited = co_await within(300ms, next);
    if (waited && *waited) co_await out.send(*(*waited)->value);
  }
}

Task<> echo_messages(http::WebSocket& socket) {
  while (const auto message = co_await socket.receive()) {
    co_await (message->text ? socket.send_text(message->data) : socket.send_binary(message->data));
  }
}

// ---- handlers that keep their thread ----

void sleep_on_thread(std::chrono::nanoseconds duration) { std::this_thread::sleep_for(duration); }

std::string keep_computing(Path<std::uint32_t> micros) {
  compute(std::chrono::microseconds(*micros));
  return "kept";
}

std::string keep_sleeping(Path<std::uint32_t> micros) {
  sleep_on_thread(std::chrono::microseconds(*micros));
  return "kept";
}

std::string keep_in_place(Path<std::uint32_t> micros) {
  block_in_place([&] { sleep_on_thread(std::chrono::microseconds(*micros)); });
  return "kept";
}

// Each step is a turn of its own.
Task<std::string> keep_in_steps(Path<std::uint32_t> micros) {
  compute(std::chrono::microseconds(*micros / 2));
  co_await sleep_for(1ms);
  sleep_on_thread(std::chrono::microseconds(*micros / 2));
  co_await yield();
  co_return "kept";
}

}  // namespace

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i != size; ++i) bytes[i] = static_cast<char>('a' + i % 23);
  return bytes;
}

http::App make_service(const std::string& file, Exchanges* observer) {
  http::App app;
  if (observer != nullptr) {
    app.use([observer](Request& request, http::Next next) { return observer->observe(request, next); });
  }
  app.state(News(16));
  app.get("/plain", [] { return "plain"; });
  app.post("/echo", echo);
  app.get("/stream/{size}", [](Path<std::size_t> size) { return http::stream("text/x", write_pattern, *size); });
  app.post("/upload", upload);
  app.post("/form", form);
  app.get("/race", race_two);
  app.get("/throw", []() -> std::string { throw std::runtime_error("thrown on purpose"); });
  app.get("/file", [file] { return http::File(file); });
  app.get("/events", tell_news);
  app.post("/say", [](Request& request, State<News> news) { news->send(std::string(request.body())); });
  app.ws("/ws", {.ping = 2s, .pong_timeout = 3s, .close_timeout = 1s}, echo_messages);
  app.get("/keep/compute/{micros}", keep_computing).heavy();
  app.get("/keep/sleep/{micros}", keep_sleeping).light();
  app.get("/keep/in_place/{micros}", keep_in_place);
  app.get("/keep/lock/{micros}", [mutex = std::make_shared<std::mutex>()](Path<std::uint32_t> micros) {
    const std::scoped_lock lock(*mutex);
    return keep_sleeping(Path<std::uint32_t>(*micros / 4));
  });
  app.get("/keep/steps/{micros}", keep_in_steps);
  app.get("/keep/learned/{micros}", keep_computing);
  app.get("/keep/light/{micros}", keep_computing).light();
  auto timed = app.group("/timed");
  timed.use(http::timeout(1s));
  timed.get("/{millis}", sleep_millis);
  auto packed = app.group("/packed");
  packed.use(http::compress());
  packed.get("/big", [] { return pattern(kBigBytes); });
  return app;
}

}  // namespace volt::simulation
