// SPDX-License-Identifier: MIT

#include "http/jwks/key_set.h"

#include <string>

#include "http/auth/jwk.h"

namespace volt::http {

Response PublishKeys::operator()() const {
  Response response(Status::ok);
  response.header("Cache-Control", "public, max-age=" + std::to_string(max_age_.count()));
  response.body(auth::format_key_set(signer_->verification_keys()), "application/jwk-set+json");
  return response;
}

}  // namespace volt::http
