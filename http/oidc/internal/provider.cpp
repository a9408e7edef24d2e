// SPDX-License-Identifier: MIT

#include "http/oidc/internal/provider.h"

#include <utility>

#include "http/oidc/internal/oidc_log.h"

namespace volt::http::oidc {
namespace {

constexpr std::size_t kAnswerBytesMax = 256 * 1024;

// A response that is not HTTP, or a request that cannot be sent, will not become right by itself.
OidcError error_of(const std::error_code& code) noexcept {
  for (const ClientError lasting : {ClientError::bad_uri, ClientError::no_tls, ClientError::malformed,
                                    ClientError::too_large, ClientError::upgraded}) {
    if (code == make_error_code(lasting)) return OidcError::bad_provider;
  }
  return OidcError::unavailable;
}

}  // namespace

Task<Outcome<Answer>> Provider::send(ClientRequest request) {
  request.deadline(Deadline::after(options_.request_timeout));
  Result<ClientResponse> response = co_await client_->send(std::move(request));
  if (!response) co_return failed(error_of(response.error()), response.error().message());
  Result<std::string> body = co_await response->text(kAnswerBytesMax);
  if (!body) co_return failed(error_of(body.error()), body.error().message());
  const Status status = response->status();
  if (status == Status::too_many_requests || code(status) >= 500) {
    co_return failed(OidcError::unavailable, "the status is " + std::to_string(code(status)));
  }
  co_return Answer{
      .status = status,
      .content_type = std::string(response->header("content-type").value_or("")),
      .body = *std::move(body),
  };
}

Task<Outcome<Metadata>> Provider::fetch() {
  ClientRequest request(Method::get, metadata_uri(options_.issuer));
  request.header("Accept", "application/json");
  Outcome<Answer> answer = co_await send(std::move(request));
  if (!answer) co_return std::unexpected(std::move(answer).error());
  if (answer->status != Status::ok) {  // OpenID Connect Discovery section 4.2
    co_return failed(OidcError::bad_provider, "the status is " + std::to_string(code(answer->status)));
  }
  auto metadata = parse_metadata(answer->body, options_.issuer, options_.allow_http);
  if (!metadata) co_return failed(OidcError::bad_provider, std::move(metadata).error());
  co_return *std::move(metadata);
}

Provider::Found Provider::discovered(Metadata metadata) const {
  // The keys that were fetched stay in use, unless they are published elsewhere now.
  if (found_ && found_->metadata.jwks_uri == metadata.jwks_uri) {
    return std::make_shared<const Discovered>(Discovered{.metadata = std::move(metadata), .keys = found_->keys});
  }
  RemoteKeys keys(client_, metadata.jwks_uri,
                  {.issuer = options_.issuer, .audience = options_.client_id, .leeway = options_.leeway},
                  {.fetch_timeout = options_.request_timeout});
  return std::make_shared<const Discovered>(Discovered{.metadata = std::move(metadata), .keys = std::move(keys)});
}

Task<Outcome<std::shared_ptr<const Discovered>>> Provider::discover() {
  const Mutex::Guard guard = co_await mutex_.lock();
  if (!fetch_from_ || fetch_from_->passed()) {
    Outcome<Metadata> metadata = co_await fetch();
    if (metadata) {
      found_ = discovered(*std::move(metadata));
      failure_.reset();
      fetch_from_ = Deadline::after(options_.metadata_lifetime);
    } else {
      kOidcLog(LogLevel::warning, "cannot fetch the metadata of the provider",
               {{"issuer", options_.issuer}, {"error", metadata.error().reason}});
      failure_ = std::move(metadata).error();
      failure_->reason = "no metadata: " + failure_->reason;
      fetch_from_ = Deadline::after(options_.retry_interval);
    }
  }
  if (!found_) co_return std::unexpected(*failure_);
  co_return found_;
}

}  // namespace volt::http::oidc
