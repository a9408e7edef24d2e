// SPDX-License-Identifier: MIT

#include "apps/proxy/relay.h"

#include <http/web/body_writer.h>
#include <http/web/problem.h>
#include <runtime/log.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/proxy/tunnel.h"
#include "apps/proxy/upstream_request.h"

namespace proxy {
namespace {

namespace http = volt::http;
using http::ClientResponse;
using http::Problem;
using http::Request;
using http::Response;
using http::Status;
using volt::Result;
using volt::Task;
using Lease = Upstreams::Lease;

constexpr int kStatusMax = 599;

class UpstreamsBody final : public http::StreamBody {
 public:
  UpstreamsBody(ClientResponse upstream_response, Lease place) noexcept
      : response_(std::move(upstream_response)), place_(std::move(place)) {}

  [[nodiscard]] Task<> write_to(http::BodyWriter& out) override {
    for (;;) {
      Result<std::optional<std::string_view>> piece = response_.try_next();
      if (volt::would_block(piece)) {
        auto flushing = out.flush();  // a client that waits for an event gets all data received so far
        co_await std::move(flushing);
        auto receiving = response_.next();
        piece = co_await std::move(receiving);
      }
      if (!piece) {  // the client gets this problem, unless part of the response has been sent already
        place_.failed();
        throw Problem(Status::bad_gateway, "the upstream's response is incomplete");
      }
      if (!*piece) break;
      auto writing = out.write(**piece);
      co_await std::move(writing);
    }
    for (const http::Field& field : response_.trailers()) out.trailer(field.name, field.value);
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override {
    const auto length = response_.header("content-length");
    if (!length || response_.headers().contains("transfer-encoding")) return std::nullopt;
    std::uint64_t size = 0;  // HttpClient has validated it
    std::from_chars(length->data(), length->data() + length->size(), size);
    return size;
  }

 private:
  ClientResponse response_;
  Lease place_;
};

// Returns whether the method is idempotent (RFC 9110 section 9.2.2). Unknown methods are not.
bool idempotent(http::Method method) noexcept {
  using enum http::Method;
  return method == get || method == head || method == put || method == del || method == options;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool serves(const Options& options, std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  const std::string name = lowered(host.substr(0, host.find(':', bracket)));
  return options.hosts.empty() ||
         std::ranges::any_of(options.hosts, [&](const std::string& own) { return lowered(own) == name; });
}

Problem problem_of(const std::error_code& error) {
  if (error == std::errc::timed_out) return Problem(Status::gateway_timeout, "the upstream did not respond in time");
  return Problem(Status::bad_gateway, "the upstream cannot be reached, or its response is invalid");
}

Response pass_on(ClientResponse upstream_response, Lease place, std::string_view upgrade) {
  if (http::code(upstream_response.status()) > kStatusMax)
    throw Problem(Status::bad_gateway, "the upstream's status code is invalid");
  const Status status = upstream_response.status();
  std::optional<Response> response;
  if (status == Status::switching_protocols) {
    auto stream = upstream_response.take_stream();
    response = Response::upgrade(std::make_unique<Tunnel>(std::string(upgrade), std::move(stream), std::move(place)));
    response->forward(upstream_response.headers());
  } else {
    const http::Fields fields = upstream_response.headers();  // valid after the move below
    response = Response::streamed(std::make_unique<UpstreamsBody>(std::move(upstream_response), std::move(place)), {});
    response->status(status).forward(fields);
  }
  response->add_header("Via", kVia);
  return std::move(*response);
}

}  // namespace

Task<Response> relay(Request& request, const RelayContext& way) {
  const Options& options = *way.options;
  if (!serves(options, request.host())) throw Problem(Status::misdirected_request, "this host is not served here");
  request.limit_body(options.body_bytes_max);
  auto taking = way.upstreams->take();
  std::optional<Lease> place = co_await std::move(taking);
  if (!place) throw http::unavailable("no upstream is available");
  for (std::vector<std::size_t> tried;;) {
    auto sending = way.client->send(make_upstream_request(request, place->uri(), options));
    Result<ClientResponse> upstream_response = co_await std::move(sending);
    if (upstream_response) {
      place->succeeded();
      co_return pass_on(std::move(*upstream_response), std::move(*place), upgrade_of(request, options));
    }
    place->failed();
    volt::log(volt::LogLevel::warning, "a request to an upstream failed",
              {{"upstream", place->uri()}, {"error", upstream_response.error().message()}});
    tried.push_back(place->index());
    const auto* body = request.find<BodyProgress>();
    const bool again = idempotent(request.method()) && !(body && body->begun) && tried.size() < options.tries_max;
    std::optional<Lease> other = again ? way.upstreams->try_take(tried) : std::nullopt;
    if (!other) throw problem_of(upstream_response.error());
    place = std::move(other);
  }
}

}  // namespace proxy
