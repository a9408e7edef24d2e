// SPDX-License-Identifier: MIT

#include "crypto/password_hash.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <vector>

#include "crypto/base64.h"
#include "crypto/constant_time_equal.h"
#include "crypto/internal/argon2.h"
#include "crypto/random.h"

namespace volt::crypto {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kTagBytes = 32;
constexpr std::size_t kPartBytesMax = 64;  // of the salt and of the tag of a hash from elsewhere
constexpr PasswordCost kCostMost{.memory_kib = 4 * 1024 * 1024, .passes = 100, .lanes = 16};

struct Parsed {
  PasswordCost cost;
  std::string pepper;  // its id; empty: none
  std::vector<std::byte> salt;
  std::vector<std::byte> tag;
};

// The PHC format uses base64 without padding.
std::string encoded(std::span<const std::byte> bytes) {
  std::string text = base64_encode(bytes);
  text.resize(std::min(text.find('='), text.size()));
  return text;
}

std::optional<std::vector<std::byte>> decoded(std::string_view text) {
  if (text.contains('=')) return std::nullopt;
  return base64_decode(std::string(text).append((4 - text.size() % 4) % 4, '='));
}

bool within(const PasswordCost& cost, const PasswordCost& most) noexcept {
  return cost.passes >= 1 && cost.passes <= most.passes && cost.lanes >= 1 && cost.lanes <= most.lanes &&
         cost.memory_kib >= 8 * cost.lanes && cost.memory_kib <= most.memory_kib;
}

// Takes `prefix` off the front of `text`. Returns false if it is not there.
bool take(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_number(std::string_view& text, std::uint32_t& number) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// Takes a base64 text that ends before the next '$'.
std::optional<std::vector<std::byte>> take_bytes(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find('$'));
  text.remove_prefix(part.size());
  return decoded(part);
}

std::optional<Parsed> parse(std::string_view hash) {
  Parsed parsed;
  PasswordCost& cost = parsed.cost;
  const bool head = take(hash, "$argon2id$v=19$m=") && take_number(hash, cost.memory_kib) && take(hash, ",t=") &&
                    take_number(hash, cost.passes) && take(hash, ",p=") && take_number(hash, cost.lanes);
  if (!head) return std::nullopt;
  if (take(hash, ",keyid=")) {
    const auto id = take_bytes(hash);
    if (!id || id->empty()) return std::nullopt;
    parsed.pepper.assign(reinterpret_cast<const char*>(id->data()), id->size());
  }
  if (!take(hash, "$")) return std::nullopt;
  auto salt = take_bytes(hash);
  if (!salt || !take(hash, "$")) return std::nullopt;
  auto tag = take_bytes(hash);
  const auto sound = [](const std::vector<std::byte>& bytes) {
    return bytes.size() >= 8 && bytes.size() <= kPartBytesMax;
  };
  if (!tag || !hash.empty() || !sound(*salt) || !sound(*tag)) return std::nullopt;
  parsed.salt = *std::move(salt);
  parsed.tag = *std::move(tag);
  return parsed;
}

const Pepper* find_pepper(std::span<const Pepper> peppers, std::string_view id) noexcept {
  const auto found = std::ranges::find(peppers, id, &Pepper::id);
  return found == peppers.end() ? nullptr : &*found;
}

// Returns nothing if the hash is malformed, costs too much, or has an unknown pepper.
std::optional<Parsed> parse_verifiable(std::string_view hash, std::span<const Pepper> peppers,
                                       const PasswordCost& cost_max) {
  std::optional<Parsed> parsed = parse(hash);
  if (!parsed || !within(parsed->cost, cost_max)) return std::nullopt;
  if (!parsed->pepper.empty() && find_pepper(peppers, parsed->pepper) == nullptr) return std::nullopt;
  return parsed;
}

void check(const Pepper& pepper) {
  const bool sound = !pepper.id.empty() && pepper.id.size() <= 8 && std::ranges::all_of(pepper.id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!sound) throw std::invalid_argument("the id of a pepper must have 1 to 8 letters and digits");
}

void compute(std::string_view password, const Pepper* pepper, const PasswordCost& cost, std::span<const std::byte> salt,
             std::span<std::byte> tag) {
  internal::argon2id({.password = std::as_bytes(std::span(password)),
                      .salt = salt,
                      .secret = pepper != nullptr ? pepper->secret.view() : std::span<const std::byte>(),
                      .memory_kib = cost.memory_kib,
                      .passes = cost.passes,
                      .lanes = cost.lanes},
                     tag);
}

}  // namespace

std::string hash_password(std::string_view password, const PasswordCost& cost, std::span<const Pepper> peppers) {
  if (!within(cost, kCostMost)) throw std::invalid_argument("the cost of a password hash is out of range");
  if (password.size() > kPasswordBytesMax) throw std::invalid_argument("the password is too long");
  const Pepper* const pepper = peppers.empty() ? nullptr : &peppers.front();
  if (pepper != nullptr) check(*pepper);
  std::array<std::byte, kSaltBytes> salt;
  fill_random(salt);
  std::array<std::byte, kTagBytes> tag;
  compute(password, pepper, cost, salt, tag);
  std::string hash = "$argon2id$v=19$m=" + std::to_string(cost.memory_kib) + ",t=" + std::to_string(cost.passes) +
                     ",p=" + std::to_string(cost.lanes);
  if (pepper != nullptr) hash += ",keyid=" + encoded(std::as_bytes(std::span(pepper->id)));
  return hash + "$" + encoded(salt) + "$" + encoded(tag);
}

bool verify_password(std::string_view password, std::string_view hash, std::span<const Pepper> peppers,
                     const PasswordCost& cost_max) {
  const std::optional<Parsed> parsed = parse_verifiable(hash, peppers, cost_max);
  if (!parsed || password.size() > kPasswordBytesMax) return false;
  const Pepper* const pepper = find_pepper(peppers, parsed->pepper);
  std::vector<std::byte> tag(parsed->tag.size());
  compute(password, parsed->pepper.empty() ? nullptr : pepper, parsed->cost, parsed->salt, tag);
  const auto text = [](const std::vector<std::byte>& bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  return constant_time_equal(text(tag), text(parsed->tag));
}

bool is_verifiable(std::string_view hash, std::span<const Pepper> peppers, const PasswordCost& cost_max) {
  return parse_verifiable(hash, peppers, cost_max).has_value();
}

bool needs_rehash(std::string_view hash, const PasswordCost& cost, std::span<const Pepper> peppers) {
  const std::optional<Parsed> parsed = parse(hash);
  const std::string_view pepper = peppers.empty() ? std::string_view() : std::string_view(peppers.front().id);
  return !parsed || parsed->cost != cost || parsed->pepper != pepper || parsed->tag.size() < kTagBytes ||
         parsed->salt.size() < kSaltBytes;
}

}  // namespace volt::crypto
