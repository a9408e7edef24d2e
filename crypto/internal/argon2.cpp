// SPDX-License-Identifier: MIT

#include "crypto/internal/argon2.h"

#include <argon2.h>

#include <new>
#include <stdexcept>

namespace volt::crypto::internal {
namespace {

// The library takes pointers to bytes that it does not change without its CLEAR flags.
std::uint8_t* bytes_of(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
}
std::uint32_t size_of(std::span<const std::byte> bytes) noexcept { return static_cast<std::uint32_t>(bytes.size()); }

}  // namespace

void argon2id(const Argon2Input& input, std::span<std::byte> tag) {
  argon2_context context{};
  context.out = reinterpret_cast<std::uint8_t*>(tag.data());
  context.outlen = size_of(tag);
  context.pwd = bytes_of(input.password);
  context.pwdlen = size_of(input.password);
  context.salt = bytes_of(input.salt);
  context.saltlen = size_of(input.salt);
  context.secret = bytes_of(input.secret);
  context.secretlen = size_of(input.secret);
  context.ad = bytes_of(input.associated);
  context.adlen = size_of(input.associated);
  context.t_cost = input.passes;
  context.m_cost = input.memory_kib;
  context.lanes = input.lanes;
  context.threads = 1;  // the calling thread: the number of calls bounds the threads
  context.version = ARGON2_VERSION_13;
  const int status = argon2id_ctx(&context);
  if (status == ARGON2_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (status != ARGON2_OK) throw std::invalid_argument(argon2_error_message(status));
}

}  // namespace volt::crypto::internal
