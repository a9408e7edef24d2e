// SPDX-License-Identifier: MIT

#include "http/auth/jwt_signer.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "http/auth/internal/members.h"
#include "http/json/append.h"
#include "runtime/base/wall_clock.h"

namespace volt::http::auth {
namespace {

constexpr std::string_view kAddedClaims[] = {"iss", "aud", "iat", "exp"};

// Adds a member to the JSON of an object without its closing brace.
void add_text(std::string& object, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  object += object.ends_with('{') ? "\"" : ",\"";
  object.append(name).append("\":");
  json::append_string(text, object);
}

void add_time(std::string& object, std::string_view name, std::chrono::sys_seconds time) {
  object += object.ends_with('{') ? "\"" : ",\"";
  object.append(name).append("\":");
  json::append_integer(std::int64_t{time.time_since_epoch().count()}, object);
}

std::string header_of(const JwtSigningKey& key, std::string_view type) {
  std::string header = "{";
  add_text(header, "alg", algorithm_name(key.algorithm()));
  add_text(header, "typ", type);
  add_text(header, "kid", key.id());
  return header + "}";
}

// Returns the members of the object `json`, without its braces.
std::string_view members_of(std::string_view json) {
  bool reserved = false;
  bool any = false;
  json::Reader reader(kJoseJson);
  const bool sound = reader.parse(json) && read_members(reader, [&](json::Reader&, std::string_view name) {
                       any = true;
                       reserved = reserved || std::ranges::find(kAddedClaims, name) != std::end(kAddedClaims);
                       return true;
                     });
  if (!sound) throw std::invalid_argument("JwtSigner: the claims are no JSON object, or a member is repeated");
  if (reserved) {
    throw std::invalid_argument("JwtSigner: the claims have iss, aud, iat or exp, which JwtSignerOptions set");
  }
  const std::size_t begin = json.find('{') + 1;
  return any ? json.substr(begin, json.rfind('}') - begin) : std::string_view();
}

}  // namespace

JwtSigner::JwtSigner(JwtSigningKey key, JwtSignerOptions options)
    : options_(std::move(options)), keys_(std::make_shared<const Keys>(Keys{std::move(key)})) {
  if (options_.lifetime <= std::chrono::seconds(0)) throw std::invalid_argument("JwtSigner: lifetime must be positive");
  if (options_.keys_max == 0) throw std::invalid_argument("JwtSigner: keys_max must be at least 1");
}

JwtSigner::Moment JwtSigner::current_time() noexcept { return wall_second(); }

std::string JwtSigner::payload_of(std::string_view claims, Moment now) const {
  const std::string_view members = members_of(claims);
  std::string payload = "{";
  add_text(payload, "iss", options_.issuer);
  add_text(payload, "aud", options_.audience);
  add_time(payload, "iat", now);
  add_time(payload, "exp", now + options_.lifetime);
  if (!members.empty()) payload.append(",").append(members);
  return payload + "}";
}

std::string JwtSigner::sign_object(std::string_view claims, Moment now) const {
  const auto keys = this->keys();
  const JwtSigningKey& key = keys->front();
  std::string token = crypto::base64url_encode(crypto::as_bytes(header_of(key, options_.type)));
  token += '.';
  token += crypto::base64url_encode(crypto::as_bytes(payload_of(claims, now)));
  const std::string signature = crypto::base64url_encode(key.sign(crypto::as_bytes(token)));
  return token + "." + signature;
}

void JwtSigner::rotate(JwtSigningKey next) {
  const std::scoped_lock lock(mutex_);
  Keys keys = *keys_;
  std::erase_if(keys, [&](const JwtSigningKey& key) { return key.id() == next.id(); });
  keys.insert(keys.begin(), std::move(next));
  if (keys.size() > options_.keys_max)
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(options_.keys_max), keys.end());
  keys_ = std::make_shared<const Keys>(std::move(keys));
}

// The place behind the key that signs, so that the oldest key is the last one.
void JwtSigner::announce(JwtSigningKey next) {
  const std::scoped_lock lock(mutex_);
  Keys keys = *keys_;
  if (std::ranges::find(keys, next.id(), &JwtSigningKey::id) != keys.end()) return;
  if (options_.keys_max == 1) throw std::logic_error("JwtSigner: announce() needs a keys_max of at least 2");
  keys.insert(keys.begin() + 1, std::move(next));
  if (keys.size() > options_.keys_max) keys.pop_back();
  keys_ = std::make_shared<const Keys>(std::move(keys));
}

std::vector<JwtKey> JwtSigner::verification_keys() const {
  std::vector<JwtKey> out;
  for (const JwtSigningKey& key : *keys()) out.push_back(key.verification_key());
  return out;
}

std::shared_ptr<const JwtSigner::Keys> JwtSigner::keys() const {
  const std::scoped_lock lock(mutex_);
  return keys_;
}

}  // namespace volt::http::auth
