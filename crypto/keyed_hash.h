// SPDX-License-Identifier: MIT

// A keyed hash for tables whose keys come from clients: without the hash key, a client cannot construct texts that
// collide. SipHash-2-4 (Aumasson and Bernstein, 2012). The result has 64 bits: it selects a place in a table and does
// not authenticate.
//
// Threads: pure functions; a key is a value.
#pragma once

#include <cstdint>
#include <string_view>

namespace volt::crypto {

struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

HashKey random_hash_key();

std::uint64_t keyed_hash(const HashKey& key, std::string_view text) noexcept;

}  // namespace volt::crypto
