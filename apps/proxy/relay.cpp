// SPDX-License-Identifier: MIT

#include "apps/proxy/relay.h"

#include <http/middleware/client_address.h>
#include <http/web/body_writer.h>
#include <http/web/problem.h>
#include <runtime/log.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <expected>
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
// Maximum size of a request body that is received before the request takes a place, and of a response for which its
// client needs no place for bodies, because the kernel takes it without waiting.
constexpr std::uint64_t kQuickBytesMax = 16 * 1024;

class UpstreamsBody final : public http::StreamBody {
 public:
  UpstreamsBody(ClientResponse upstream_response, Lease place) noexcept
      : response_(std::move(upstream_response)), place_(std::move(place)) {}

  [[nodiscard]] Task<> write_to(http::BodyWriter& out) override {
    // A response whose size is unknown or large may take as long as the client wants.
    const bool is_quick = size().value_or(kQuickBytesMax + 1) <= kQuickBytesMax;
    if (!is_quick) static_cast<void>(place_.try_move_to(Place::body));  // without one, it keeps the place that it has
    for (;;) {
      Result<std::optional<std::string_view>> piece = response_.try_next();
      if (volt::would_block(piece)) {
        co_await out.flush();  // a client that waits for an event gets all data received so far
        piece = co_await response_.next();
      }
      if (!piece) {  // the client gets this problem, unless part of the response has been sent already
        place_.failed();
        throw Problem(Status::bad_gateway, "the upstream's response is incomplete");
      }
      if (!*piece) break;
      co_await out.write(**piece);
    }
    for (const http::Field& field : response_.trailers()) {
      if (is_forwarded_trailer(field.name)) out.trailer(field.name, field.value);
    }
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

Response pass_on(ClientResponse upstream_response, Lease place, std::string_view upgrade, const Options& options) {
  if (http::code(upstream_response.status()) > kStatusMax)
    throw Problem(Status::bad_gateway, "the upstream's status code is invalid");
  const Status status = upstream_response.status();
  std::optional<Response> response;
  if (status == Status::switching_protocols) {
    const auto protocol = upstream_response.header("upgrade");
    if (!protocol || lowered(*protocol) != lowered(upgrade)) {
      throw Problem(Status::bad_gateway, "the upstream switched to another protocol than the client requested");
    }
    auto stream = upstream_response.take_stream();
    response = Response::upgrade(std::make_unique<Tunnel>(std::string(upgrade), std::move(stream), std::move(place),
                                                          *options.tunnel_idle_timeout));
    response->forward(upstream_response.headers());
  } else {
    const http::Fields fields = upstream_response.headers();  // valid after the move below
    response = Response::streamed(std::make_unique<UpstreamsBody>(std::move(upstream_response), std::move(place)), {});
    response->status(status).forward(fields);
  }
  response->add_header("Via", kVia);
  return std::move(*response);
}

// Returns the response of the proxy itself to OPTIONS, as the final recipient.
Response describe_proxy() {
  Response response(Status::no_content);
  response.header("Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH").header("Via", kVia);
  return response;
}

// Returns the key under which the places of the client are counted. Of an IPv6 address only the first 64 bits count,
// because one client usually has all addresses with those bits. Empty if the address of the client is not known, as
// behind trusted proxies (TRUST_FORWARDED).
std::string client_key(const Request& request, const Options& options) {
  const auto address = http::ClientAddress::from(request).ip();
  if (!address || options.trust_forwarded) return {};
  constexpr std::size_t kPrefixBytes = 8;
  const auto& bytes = address->bytes();
  const std::size_t count = address->is_v4() ? bytes.size() : kPrefixBytes;
  return {reinterpret_cast<const char*>(bytes.data()), count};
}

// Returns whether the body is so small that it is received before the request takes a place, so that its client cannot
// hold a place by sending it slowly. Returns false for a request with Expect, whose client asks first whether an
// upstream takes the body.
bool is_small(const Request& request) {
  const auto length = request.header("content-length");
  if (!length || request.header("expect")) return false;
  std::uint64_t bytes = 0;  // the server has validated it
  std::from_chars(length->data(), length->data() + length->size(), bytes);
  return bytes <= kQuickBytesMax;
}

// Returns the kind of place that the request needs. A request that may become a tunnel has the place from its
// beginning, since the upstream has already switched protocols when the response is received.
Place kind_of(const Request& request, const Options& options) {
  if (!upgrade_of(request, options).empty()) return Place::tunnel;
  return request.has_whole_body() ? Place::request : Place::body;
}

Problem problem_of(NoPlace reason) {
  switch (reason) {
    case NoPlace::unavailable:
      return http::unavailable("no upstream is available");
    case NoPlace::client_share:
      return http::too_many_requests(std::chrono::seconds(1));
  }
  std::unreachable();
}

}  // namespace

Task<Response> relay(Request& request, const RelayContext& way) {
  const Options& options = *way.options;
  if (!serves(options, request.host())) throw Problem(Status::misdirected_request, "this host is not served here");
  request.limit_body(options.body_bytes_max);
  if (!may_be_forwarded(request)) co_return describe_proxy();
  const std::string client = client_key(request, options);
  if (is_small(request)) static_cast<void>(co_await request.read_body());
  const Place kind = kind_of(request, options);
  std::expected<Lease, NoPlace> taken = co_await way.upstreams->take(kind, client);
  if (!taken) throw problem_of(taken.error());
  std::optional<Lease> place = std::move(*taken);
  for (std::vector<std::size_t> tried;;) {
    Result<ClientResponse> upstream_response =
        co_await way.client->send(make_upstream_request(request, place->uri(), options));
    if (upstream_response) {
      place->succeeded();
      co_return pass_on(std::move(*upstream_response), *std::move(place), upgrade_of(request, options), options);
    }
    place->failed();
    volt::log(volt::LogLevel::warning, "a request to an upstream failed",
              {{"upstream", place->uri()}, {"error", upstream_response.error().message()}});
    tried.push_back(place->index());
    const auto* body = request.find<BodyProgress>();
    const bool again = idempotent(request.method()) && !(body && body->begun) && tried.size() < options.tries_max;
    place.reset();  // before another one is taken, since the client may have as many as it may
    std::expected<Lease, NoPlace> other = std::unexpected(NoPlace::unavailable);
    if (again) other = way.upstreams->try_take(kind, client, tried);
    if (!other) throw problem_of(upstream_response.error());
    place.emplace(std::move(*other));
  }
}

}  // namespace proxy
