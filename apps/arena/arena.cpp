// SPDX-License-Identifier: MIT

#include "apps/arena/arena.h"

#include <http/http.h>
#include <http/middleware/compress.h>
#include <http/websocket/websocket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "apps/arena/dataset.h"
#include "apps/arena/items.h"

namespace arena {
namespace {

namespace http = volt::http;
using http::BodyStream;
using http::Path;
using http::Query;
using http::Response;
using http::State;
using http::WebSocket;
using volt::Task;
using namespace std::chrono_literals;

using Dataset = std::vector<Item>;

struct Operands {
  std::int64_t a = 0;
  std::int64_t b = 0;
};

struct Multiplier {
  double m = 1;
};

std::string add(Query<Operands> operands) { return std::to_string(operands->a + operands->b); }

std::string add_body(Query<Operands> operands, const http::Request& request) {
  std::string_view digits = request.body();
  digits.remove_prefix(std::min(digits.find_first_not_of(" \t\r\n"), digits.size()));
  std::int64_t body = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), body);
  if (failure != std::errc{}) throw http::bad_request("the body is not a number");
  return std::to_string(operands->a + operands->b + body);
}

PricedItems show_items(Path<std::uint32_t> count, Query<Multiplier> multiplier, State<Dataset> items) {
  return priced(*items, *count, multiplier->m);
}

Task<std::string> count_bytes(BodyStream body) {
  std::uint64_t bytes = 0;
  while (const auto piece = co_await body.read()) bytes += piece->size();
  co_return std::to_string(bytes);
}

Task<> echo(WebSocket& socket) {
  while (const auto message = co_await socket.receive()) {
    if (message->text) {
      co_await socket.send_text(message->data);
    } else {
      co_await socket.send_binary(message->data);
    }
  }
}

}  // namespace

http::App make_app(const Options& options) {
  http::App app;
  app.get("/baseline11", add);
  app.post("/baseline11", add_body);
  app.get("/pipeline", [] { return Response::fixed("ok"); });
  app.ws("/ws", echo);
  app.post("/upload", count_bytes);
  if (std::filesystem::exists(options.dataset)) {
    app.state(read_dataset(options.dataset));
    auto json = app.group("/json");
    json.use(http::compress());
    json.get("/{count}", show_items);
  }
  if (std::filesystem::exists(options.files)) {
    // Files are not cached, because the benchmark's rules for production entries require that each response is read
    // from the disk.
    app.files("/static", options.files, {.precompressed = true, .cache_bytes_max = 0, .reload_after = 0ms});
  }
  if (!options.database.url.empty()) add_items(app, volt::pg::Pool(options.database));
  return app;
}

}  // namespace arena
