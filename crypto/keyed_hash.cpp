// SPDX-License-Identifier: MIT

#include "crypto/keyed_hash.h"

#include <bit>
#include <cstddef>
#include <span>

#include "crypto/random.h"

namespace volt::crypto {
namespace {

// The four state words of SipHash; initialized and mixed as in the paper.
class State {
 public:
  explicit State(const HashKey& key) noexcept
      : v0_(key.low ^ 0x736f6d6570736575),
        v1_(key.high ^ 0x646f72616e646f6d),
        v2_(key.low ^ 0x6c7967656e657261),
        v3_(key.high ^ 0x7465646279746573) {}

  void absorb(std::uint64_t word) noexcept {
    v3_ ^= word;
    mix(2);
    v0_ ^= word;
  }

  std::uint64_t finish() noexcept {
    v2_ ^= 0xff;
    mix(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void mix(int rounds) noexcept {
    for (; rounds > 0; --rounds) {
      v0_ += v1_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v3_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

std::uint64_t little_endian(std::string_view bytes) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) word = word << 8 | static_cast<std::uint8_t>(bytes[i - 1]);
  return word;
}

}  // namespace

HashKey random_hash_key() {
  HashKey key;
  fill_random(std::as_writable_bytes(std::span(&key, 1)));
  return key;
}

std::uint64_t keyed_hash(const HashKey& key, std::string_view text) noexcept {
  State state(key);
  const std::uint64_t length = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) state.absorb(little_endian(text.substr(0, 8)));
  state.absorb(length << 56 | little_endian(text));
  return state.finish();
}

}  // namespace volt::crypto
