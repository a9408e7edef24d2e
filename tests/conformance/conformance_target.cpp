// SPDX-License-Identifier: MIT

// conformance_target: the server that raw-request suites are replayed against. Takes the flags of volt::run.
//
//   any path   GET and HEAD: 200 `OK`; other methods: 200 with the request's body
//   any GET that asks for a WebSocket gets one, which echoes messages of at most 1 MiB; /large: 16 MiB; /deflate and
//   /deflate-context: compressed, without and with the windows kept
//   /private   401 before the body of a POST is read
//   /echo      the request's header fields, `Name: value` a line
//   /cookie    the pairs of its Cookie fields, `name=value` a line
//   /static/*  the files of the folder that the environment variable VOLT_STATIC_DIR names, if it does
#include <config/run.h>
#include <http/server/app.h>
#include <http/web/extract.h>
#include <http/websocket/websocket.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using volt::http::Method;
using volt::http::Request;
using volt::http::Response;

Response echo_headers(const Request& request) {
  std::string lines;
  for (const volt::http::Field& field : request.headers()) {
    lines.append(field.name).append(": ").append(field.value).append("\n");
  }
  return Response::text(std::move(lines));
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// cookie-string (RFC 6265 section 4.2.1), as lax as servers are about the space between pairs.
Response list_cookies(const Request& request) {
  std::string lines;
  for (std::string_view pairs : request.headers().all("cookie")) {
    while (!pairs.empty()) {
      const std::size_t semicolon = pairs.find(';');
      const std::string_view pair = trimmed(pairs.substr(0, semicolon));
      pairs = semicolon == std::string_view::npos ? std::string_view() : pairs.substr(semicolon + 1);
      if (!pair.empty()) lines.append(pair).append("\n");
    }
  }
  return Response::text(std::move(lines));
}

volt::Task<> echo(volt::http::WebSocket& socket) {
  while (const auto message = co_await socket.receive()) {
    co_await (message->text ? socket.send_text(message->data) : socket.send_binary(message->data));
  }
}

const volt::http::WebSocketOptions& websocket_options(std::string_view path) {
  static const volt::http::WebSocketOptions usual;
  static const volt::http::WebSocketOptions large{.message_bytes_max = 16 * 1024 * 1024};
  static const volt::http::WebSocketOptions deflate{.deflate = true};
  static const volt::http::WebSocketOptions deflate_context{.deflate = true, .deflate_context = true};
  if (path == "/large") return large;
  if (path == "/deflate") return deflate;
  return path == "/deflate-context" ? deflate_context : usual;
}

Response respond(Request& request) {
  if (request.method() == Method::get && request.requests_upgrade("websocket")) {
    return volt::http::respond_with_websocket(request, websocket_options(request.path()), echo);
  }
  if (request.path() == "/echo") return echo_headers(request);
  if (request.path() == "/cookie") return list_cookies(request);
  const bool reads = request.method() == Method::get || request.method() == Method::head;
  return reads ? Response::fixed("OK") : Response::text(std::string(request.body()));
}

// The parameter has the handler called before the body has arrived.
Response demand_login(volt::http::BodyStream) { return Response(volt::http::Status::unauthorized); }

}  // namespace

int main(int argc, char** argv) {
  volt::http::App app;
  app.post("/private", demand_login);
  app.fallback(respond);
  if (const char* folder = std::getenv("VOLT_STATIC_DIR")) {
    app.files("/static", folder);
    app.route({}, "/static/{path...}", respond);  // for the methods that files have no answer to
  }
  return volt::run(app, argc, argv);
}
