// SPDX-License-Identifier: MIT

// Provider: sends requests to an OpenID provider, and keeps its metadata and keys current.
//
// The metadata is fetched by the first login, and again after OidcOptions::metadata_lifetime. Logins that need it at
// the same time wait for one fetch. If a fetch fails, the metadata before it is used on; without any, the login fails,
// and so do those of the next OidcOptions::retry_interval, without a request. Rejected: the lifetime of the response's
// Cache-Control, because providers mark the document as uncacheable, or as cacheable for a day, at will.
//
// Threads: any task. Lifetime: must outlive its calls.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/client/client.h"
#include "http/jwks/remote_keys.h"
#include "http/oidc/internal/failure.h"
#include "http/oidc/internal/metadata.h"
#include "http/oidc/oidc_options.h"
#include "runtime/deadline.h"
#include "runtime/mutex.h"

namespace volt::http::oidc {

struct Discovered {
  Metadata metadata;
  RemoteKeys keys;
};

struct Answer {
  Status status;
  std::string content_type;
  std::string body;
};

class Provider {
 public:
  // `options` must outlive the provider.
  Provider(std::shared_ptr<HttpClient> client, const OidcOptions& options)
      : client_(std::move(client)), options_(options) {}

  [[nodiscard]] Task<Outcome<std::shared_ptr<const Discovered>>> discover();

  // Returns the response, whatever its status is, except 429 and 5xx, which are `unavailable`.
  [[nodiscard]] Task<Outcome<Answer>> send(ClientRequest request);

 private:
  using Found = std::shared_ptr<const Discovered>;

  [[nodiscard]] Task<Outcome<Metadata>> fetch();
  [[nodiscard]] Found discovered(Metadata metadata) const;

  const std::shared_ptr<HttpClient> client_;
  const OidcOptions& options_;
  Mutex mutex_;                         // held while the metadata is fetched
  Found found_;                         // under mutex_; null before the first success
  std::optional<Failure> failure_;      // under mutex_; that of the last fetch
  std::optional<Deadline> fetch_from_;  // under mutex_; fetched again from then on; none before the first fetch
};

}  // namespace volt::http::oidc
