// SPDX-License-Identifier: MIT

#include "http/auth/jwk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "crypto/secret_bytes.h"
#include "http/auth/internal/members.h"
#include "http/json/append.h"

namespace volt::http::auth {
namespace {

using crypto::KeyKind;
using json::Reader;
using json::Step;

// The members of a key that matter here (RFC 7517 section 4, RFC 7518 section 6, RFC 8037 section 2).
struct Jwk {
  Jwk() = default;
  Jwk(Jwk&&) = default;
  Jwk& operator=(Jwk&&) = default;
  ~Jwk() { crypto::wipe(k); }

  std::string kty, use, alg, kid, crv, n, e, x, y, k;
  std::vector<std::string> key_ops;
  bool well_formed = true;  // Whether these members have the right types.
};

std::string* text_member(Jwk& jwk, std::string_view name) noexcept {
  const std::pair<std::string_view, std::string*> members[] = {
      {"kty", &jwk.kty}, {"use", &jwk.use}, {"alg", &jwk.alg}, {"kid", &jwk.kid}, {"crv", &jwk.crv},
      {"n", &jwk.n},     {"e", &jwk.e},     {"x", &jwk.x},     {"y", &jwk.y},     {"k", &jwk.k}};
  const auto* const member = std::ranges::find(members, name, &std::pair<std::string_view, std::string*>::first);
  return member == std::end(members) ? nullptr : member->second;
}

// Reads to the end of the array even if an element is not a text, so that the members behind it can be read.
bool read_operations(Reader& reader, std::vector<std::string>& operations) {
  bool texts = true;
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element()) {
    texts = reader.read_string(operations.emplace_back()) && texts;
  }
  return step == Step::end && texts;
}

std::optional<Jwk> read_jwk(Reader& reader) {
  Jwk jwk;
  const bool sound = read_members(reader, [&jwk](Reader& member, std::string_view name) {
    if (std::string* text = text_member(jwk, name)) {
      jwk.well_formed = member.read_string(*text) && jwk.well_formed;
    } else if (name == "key_ops") {
      jwk.well_formed = read_operations(member, jwk.key_ops) && jwk.well_formed;
    }
    return true;
  });
  if (!sound) return std::nullopt;
  return jwk;
}

std::optional<KeyKind> kind_of(const Jwk& jwk) noexcept {
  if (jwk.kty == "RSA") return KeyKind::rsa;
  if (jwk.kty == "OKP" && jwk.crv == "Ed25519") return KeyKind::ed25519;
  if (jwk.kty != "EC") return std::nullopt;
  if (jwk.crv == "P-256") return KeyKind::p256;
  if (jwk.crv == "P-384") return KeyKind::p384;
  return jwk.crv == "P-521" ? std::optional(KeyKind::p521) : std::nullopt;
}

JwtAlgorithm usual_algorithm(KeyKind kind, const KeySetOptions& options) noexcept {
  switch (kind) {
    case KeyKind::rsa:
      return options.rsa_algorithm;
    case KeyKind::p256:
      return JwtAlgorithm::es256;
    case KeyKind::p384:
      return JwtAlgorithm::es384;
    case KeyKind::p521:
      return JwtAlgorithm::es512;
    case KeyKind::ed25519:
      return JwtAlgorithm::eddsa;
  }
  std::unreachable();
}

// Returns the decoded number; empty if it is missing or malformed, which no key accepts.
std::vector<std::byte> number(std::string_view text) {
  return crypto::base64url_decode(text).value_or(std::vector<std::byte>());
}

std::optional<JwtKey> secret_of(const Jwk& jwk) {
  const auto algorithm = find_algorithm(jwk.alg);
  auto bytes = crypto::base64url_decode(jwk.k);
  if (!algorithm || !bytes) return std::nullopt;
  auto key = JwtKey::from_secret(*algorithm, *bytes, jwk.kid);
  crypto::wipe(*bytes);
  if (!key) return std::nullopt;
  return *std::move(key);
}

std::optional<JwtKey> key_of(const Jwk& jwk, const KeySetOptions& options) {
  const bool verifies = (jwk.use.empty() || jwk.use == "sig") &&
                        (jwk.key_ops.empty() || std::ranges::find(jwk.key_ops, "verify") != jwk.key_ops.end());
  if (!jwk.well_formed || !verifies) return std::nullopt;
  if (jwk.kty == "oct") return options.secrets ? secret_of(jwk) : std::nullopt;
  const auto kind = kind_of(jwk);
  if (!kind) return std::nullopt;
  const auto algorithm = jwk.alg.empty() ? usual_algorithm(*kind, options) : find_algorithm(jwk.alg);
  const bool is_rsa = *kind == KeyKind::rsa;
  auto key = crypto::PublicKey::from_numbers(
      *kind, {number(is_rsa ? jwk.n : jwk.x),
              *kind == KeyKind::ed25519 ? std::vector<std::byte>() : number(is_rsa ? jwk.e : jwk.y)});
  if (!algorithm || !key) return std::nullopt;
  auto made = JwtKey::from_public_key(*algorithm, *std::move(key), jwk.kid);
  if (!made) return std::nullopt;
  return *std::move(made);
}

bool has_id(const std::vector<JwtKey>& keys, std::string_view id) {
  return !id.empty() && std::ranges::find(keys, id, &JwtKey::id) != keys.end();
}

// Reads the array `keys`. Returns the error, if any.
std::optional<KeySetError> read_keys(Reader& reader, const KeySetOptions& options, KeySet& set) {
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element()) {
    if (set.keys.size() + set.skipped == options.keys_max) return KeySetError::too_many;
    const auto jwk = read_jwk(reader);
    if (!jwk) return KeySetError::malformed;
    auto key = key_of(*jwk, options);
    if (key && !has_id(set.keys, key->id())) {
      set.keys.push_back(*std::move(key));
    } else {
      ++set.skipped;
    }
  }
  return step == Step::end ? std::nullopt : std::optional(KeySetError::malformed);
}

void add(std::string& json, std::string_view name, std::string_view text) {
  json += json.ends_with('{') ? "" : ",";
  json::append_string(name, json);
  json += ':';
  json::append_string(text, json);
}

// Adds the members that identify a key, in the order of their names, as RFC 7638 section 3.2 requires.
void add_numbers(std::string& json, const crypto::PublicKey& key) {
  const auto [first, second] = key.numbers();
  const std::string one = crypto::base64url_encode(first);
  const std::string two = crypto::base64url_encode(second);
  if (key.kind() == KeyKind::rsa) {
    add(json, "e", two);
    add(json, "kty", "RSA");
    add(json, "n", one);
    return;
  }
  const bool is_edwards = key.kind() == KeyKind::ed25519;
  const std::string_view curve = is_edwards                    ? "Ed25519"
                                 : key.kind() == KeyKind::p256 ? "P-256"
                                 : key.kind() == KeyKind::p384 ? "P-384"
                                                               : "P-521";
  add(json, "crv", curve);
  add(json, "kty", is_edwards ? "OKP" : "EC");
  add(json, "x", one);
  if (!is_edwards) add(json, "y", two);
}

}  // namespace

std::expected<KeySet, KeySetError> parse_key_set(std::string_view json, const KeySetOptions& options) {
  if (json.size() > options.bytes_max) return std::unexpected(KeySetError::too_long);
  Reader reader(kJoseJson);
  if (!reader.parse(json)) return std::unexpected(KeySetError::malformed);
  KeySet set;
  bool found = false;
  std::optional<KeySetError> error;
  const bool sound = read_members(reader, [&](Reader& member, std::string_view name) {
    if (name != "keys") return true;
    found = true;
    error = read_keys(member, options, set);
    return !error;
  });
  if (error) return std::unexpected(*error);
  if (!sound || !found) return std::unexpected(KeySetError::malformed);
  return set;
}

std::string format_key_set(std::span<const JwtKey> keys) {
  std::string json = R"({"keys":[)";
  for (const JwtKey& key : keys) {
    if (key.public_key() == nullptr) continue;
    if (!json.ends_with('[')) json += ',';
    json += '{';
    add_numbers(json, *key.public_key());
    add(json, "use", "sig");
    add(json, "alg", algorithm_name(key.algorithm()));
    if (!key.id().empty()) add(json, "kid", key.id());
    json += '}';
  }
  return json + "]}";
}

std::string jwk_thumbprint(const crypto::PublicKey& key) {
  std::string json = "{";
  add_numbers(json, key);
  return crypto::base64url_encode(crypto::sha256(json + "}"));
}

}  // namespace volt::http::auth
