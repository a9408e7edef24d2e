// SPDX-License-Identifier: MIT

// IdentityProvider: a small OpenID provider on a loopback port, whose faults a test chooses. The test plays the user:
// log_in() does what the login page of a provider does.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "http/auth/jwt_signer.h"
#include "http/jwks/key_set.h"
#include "http/oidc/internal/id_token.h"
#include "http/server/app.h"
#include "http/web/extract.h"
#include "http/web/query_fields.h"
#include "tests/support/served_app.h"

namespace volt::http {

using Parameters = std::map<std::string, std::string, std::less<>>;

inline Parameters parameters_of(std::string_view text) {
  Parameters found;
  const auto fields = web::parse_query_fields(text);
  for (const auto& [name, value] : fields.value()) {
    CHECK_MESSAGE(found.emplace(name, value).second, "repeated: " << name);
  }
  return found;
}

// The members of a JSON object: name -> JSON; an empty value leaves the member out.
using Members = std::map<std::string, std::string>;

inline std::string object_of(const Members& members) {
  std::string json;
  for (const auto& [name, value] : members) {
    if (!value.empty()) json += (json.empty() ? "" : ",") + to_json(name) + ":" + value;
  }
  return "{" + json + "}";
}

inline auth::JwtSigningKey provider_key(const std::string& id,
                                        auth::JwtAlgorithm algorithm = auth::JwtAlgorithm::eddsa) {
  return auth::JwtSigningKey::generate(algorithm, id);
}

class IdentityProvider {
 public:
  struct Authorization {
    Parameters request;
    std::string subject;
  };

  // The behavior of the provider, and the requests to it.
  struct Script {
    std::mutex mutex;  // guards the members below
    std::string issuer;
    std::shared_ptr<auth::JwtSigner> keys = std::make_shared<auth::JwtSigner>(provider_key("1"));  // those published
    auth::JwtSigningKey signing_key = provider_key("1");
    Members metadata;                            // members that replace those of the document
    Members claims;                              // of ID tokens, likewise
    Members tokens;                              // of token responses, likewise
    std::string user_info = R"({"sub":"ann"})";  // the UserInfo response
    Status metadata_status = Status::ok;
    Status token_status = Status::ok;
    std::string token_error = "invalid_client";  // if token_status is not 200
    std::map<std::string, Authorization> codes;
    int metadata_requests = 0;
    Parameters last_token_request;
    std::string last_authorization;  // the field of the last token request
  };

  IdentityProvider() : served_(app_of(script_)) {
    script_->issuer = "http://" + served_.address().to_string();
    rotate_keys("1");
  }

  [[nodiscard]] const std::string& issuer() const { return script_->issuer; }

  // Changes the behavior: provider.set(&IdentityProvider::Script::user_info, "{}").
  template <class T>
  void set(T Script::* member, std::type_identity_t<T> value) {
    const std::scoped_lock lock(script_->mutex);
    script_.get()->*member = std::move(value);
  }
  template <class T>
  [[nodiscard]] T get(T Script::* member) const {
    const std::scoped_lock lock(script_->mutex);
    return script_.get()->*member;
  }
  // Signs with a new key, and publishes only that.
  void rotate_keys(const std::string& id) {
    auth::JwtSigningKey key = provider_key(id);
    const std::scoped_lock lock(script_->mutex);
    script_->keys = std::make_shared<auth::JwtSigner>(key);
    script_->signing_key = std::move(key);
  }

  // Logs the user in who was redirected to `location`. Returns the query of the callback.
  [[nodiscard]] std::string log_in(std::string_view location, const std::string& subject = "ann") {
    const std::scoped_lock lock(script_->mutex);
    const std::string begin = script_->issuer + "/authorize?";
    REQUIRE(location.starts_with(begin));
    Parameters request = parameters_of(location.substr(begin.size()));
    const std::string code = "code-" + std::to_string(script_->codes.size() + 1);
    const std::string state = request["state"];
    script_->codes.emplace(code, Authorization{.request = std::move(request), .subject = subject});
    return "code=" + code + "&state=" + state;
  }

 private:
  using Shared = std::shared_ptr<Script>;

  static Members replaced(Members members, const Members& others) {
    for (const auto& [name, value] : others) members.insert_or_assign(name, value);
    return members;
  }

  static Response metadata(const Shared& script) {
    const std::scoped_lock lock(script->mutex);
    ++script->metadata_requests;
    if (script->metadata_status != Status::ok) return Response::plain(script->metadata_status);
    const auto at = [&](const char* path) { return to_json(script->issuer + path); };
    const Members usual = {{"issuer", at("")},
                           {"authorization_endpoint", at("/authorize")},
                           {"token_endpoint", at("/token")},
                           {"jwks_uri", at("/jwks")},
                           {"userinfo_endpoint", at("/me")},
                           {"end_session_endpoint", at("/logout")},
                           {"response_types_supported", R"(["code","id_token"])"},
                           {"subject_types_supported", R"(["public"])"}};
    return Response::json(object_of(replaced(usual, script->metadata)));
  }

  static Response token(const Shared& script, const Request& request) {
    const std::scoped_lock lock(script->mutex);
    script->last_token_request = parameters_of(request.body());
    script->last_authorization = request.header("authorization").value_or("");
    if (script->token_status != Status::ok) {
      return Response::json(object_of({{"error", to_json(script->token_error)}, {"error_description", "\"no\""}}),
                            script->token_status);
    }
    Parameters& asked = script->last_token_request;
    if (asked["grant_type"] == "refresh_token") return answer(*script, "ann", "");
    const auto found = script->codes.extract(asked["code"]);
    if (found.empty()) return Response::json(R"({"error":"invalid_grant"})", Status::bad_request);
    Authorization& given = found.mapped();
    CHECK(asked["redirect_uri"] == given.request["redirect_uri"]);
    CHECK(given.request["code_challenge_method"] == "S256");
    CHECK(crypto::base64url_encode(crypto::sha256(asked["code_verifier"])) == given.request["code_challenge"]);
    return answer(*script, given.subject, given.request["nonce"]);
  }

  // `nonce` is empty at a refresh.
  static Response answer(const Script& script, const std::string& subject, const std::string& nonce) {
    const std::string access_token = "access of " + subject;
    const Members usual = {{"sub", to_json(subject)},
                           {"nonce", nonce.empty() ? "" : to_json(nonce)},
                           {"at_hash", to_json(oidc::access_token_hash(access_token, script.signing_key.algorithm()))}};
    // Signed with the time of the provider, and verified by the clock of the service, which tests advance.
    const auth::JwtSigner signer(script.signing_key,
                                 {.issuer = script.issuer, .audience = "shop", .lifetime = std::chrono::hours(24)});
    const std::string id_token = signer.sign_object(object_of(replaced(usual, script.claims)));
    const Members tokens = {{"access_token", to_json(access_token)},
                            {"token_type", "\"bearer\""},
                            {"expires_in", "600"},
                            {"refresh_token", "\"again\""},
                            {"id_token", to_json(id_token)}};
    return Response::json(object_of(replaced(tokens, script.tokens)));
  }

  static App app_of(const Shared& script) {
    App app;
    app.get("/.well-known/openid-configuration", [script] { return metadata(script); });
    app.get("/jwks", [script] {
      const std::scoped_lock lock(script->mutex);
      return PublishKeys(script->keys, std::chrono::minutes(5))();
    });
    app.post("/token", [script](Request& request) { return token(script, request); });
    app.get("/me", [script](Request& request) {
      const std::scoped_lock lock(script->mutex);
      CHECK(request.bearer() == "access of ann");
      return Response::json(script->user_info);
    });
    return app;
  }

  Shared script_ = std::make_shared<Script>();
  test::ServedApp served_;
};

}  // namespace volt::http
