// SPDX-License-Identifier: MIT

#include "apps/proxy/upstream_request.h"

#include <http/middleware/client_address.h>
#include <http/web/problem.h>
#include <http/web/response.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace proxy {
namespace {

namespace http = volt::http;
using http::ClientRequest;
using http::Request;
using http::Response;
using volt::Task;

class ClientsBody final : public http::ClientBody {
 public:
  ClientsBody(Request& request, BodyProgress& progress) noexcept : request_(request), progress_(progress) {}

  [[nodiscard]] Task<std::optional<std::string_view>> next() override {
    progress_.begun = true;
    return request_.read_body_piece();
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override {
    const auto length = request_.header("content-length");
    if (!length) return std::nullopt;
    std::uint64_t size = 0;  // the server has validated it
    std::from_chars(length->data(), length->data() + length->size(), size);
    return size;
  }
  [[nodiscard]] http::FieldList trailers() const override {
    http::FieldList trailers;
    for (const http::Field& field : request_.trailers()) {
      if (is_forwarded_trailer(field.name)) trailers.add(field.name, field.value);
    }
    return trailers;
  }

 private:
  Request& request_;
  BodyProgress& progress_;
};

// Returns the value of Max-Forwards; none if there is no such field, or if the method ignores it.
std::optional<std::uint64_t> max_forwards(const Request& request) {
  const auto text = request.header("max-forwards");
  if (!text || request.method() != http::Method::options) return std::nullopt;
  std::uint64_t value = 0;
  const auto [stop, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failure != std::errc{} || stop != text->data() + text->size()) {
    throw http::bad_request("Max-Forwards is not a number");
  }
  return value;
}

// Returns the request target as the client sent it. An absolute target becomes path and query.
std::string target_of(const Request& request) {
  if (request.target().starts_with('/')) return std::string(request.target());
  std::string target(request.path());
  if (!request.query().empty()) target.append("?").append(request.query());
  return target;
}

void add_forwarding_fields(const Request& request, const Options& options, ClientRequest& upstream_request) {
  if (!options.trust_forwarded) {
    for (const http::Field& field : request.headers()) {
      if (is_forwarding_field(field.name)) upstream_request.remove_header(field.name);
    }
  }
  const std::string address = http::ClientAddress::from(request).text();
  const std::string node = address.empty() ? "unknown" : address;
  const std::string_view scheme = request.secure() ? "https" : "http";
  upstream_request.add_header("X-Forwarded-For", node);
  const auto said = [&](std::string_view name) { return options.trust_forwarded && request.header(name); };
  if (!said("x-forwarded-proto")) upstream_request.header("X-Forwarded-Proto", scheme);
  if (!said("x-forwarded-host") && !request.host().empty()) upstream_request.header("X-Forwarded-Host", request.host());
  std::string forwarded = "for=";  // RFC 7239 section 4: a value with a colon is quoted
  forwarded += node.contains(':') ? "\"[" + node + "]\"" : node;
  forwarded.append(";proto=").append(scheme);
  if (!request.host().empty()) forwarded.append(";host=\"").append(request.host()).append("\"");
  upstream_request.add_header("Forwarded", forwarded);
}

}  // namespace

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_forwarding_field(std::string_view name) {
  const std::string lower = lowered(name);
  return lower == "forwarded" || lower.starts_with("x-forwarded-") || lower == "x-real-ip";
}

bool is_forwarded_trailer(std::string_view name) { return !name.contains('_') && !is_forwarding_field(name); }

bool may_be_forwarded(const Request& request) { return max_forwards(request) != std::uint64_t{0}; }

std::string_view upgrade_of(const Request& request, const Options& options) {
  for (const std::string& protocol : options.upgrades) {
    if (request.requests_upgrade(protocol)) return protocol;
  }
  return {};
}

ClientRequest make_upstream_request(Request& request, const std::string& upstream, const Options& options) {
  ClientRequest upstream_request(request.method(), upstream + target_of(request));
  if (options.keep_host && !request.host().empty()) upstream_request.header("Host", request.host());
  upstream_request.forward(request.headers());
  add_forwarding_fields(request, options, upstream_request);
  if (const auto left = max_forwards(request)) upstream_request.header("Max-Forwards", std::to_string(*left - 1));
  upstream_request.add_header("Via", request.version() == http::Version::http_1_0 ? "1.0 volt-proxy" : kVia);
  if (const auto protocol = upgrade_of(request, options); !protocol.empty()) upstream_request.upgrade(protocol);
  upstream_request.on_interim([&request](http::Status status, const http::Fields& fields) {
    if (status == http::Status::continue_) return;  // the server itself sends it, when the body is read
    Response interim(status);
    request.send_interim(interim.forward(fields));
  });
  const bool has_body = request.header("transfer-encoding") || request.header("content-length");
  if (has_body && !(request.has_whole_body() && request.body().empty())) {
    upstream_request.body(std::make_unique<ClientsBody>(request, request.put(BodyProgress{})));
  }
  return upstream_request;
}

}  // namespace proxy
