// SPDX-License-Identifier: MIT

// require_memory: for calls of libcrypto that fail only if it cannot allocate memory.
#pragma once

#include <openssl/err.h>

#include <new>

namespace volt::crypto {

// Throws std::bad_alloc unless the call was `done`.
inline void require_memory(bool done) {
  if (done) [[likely]]
    return;
  ERR_clear_error();  // the error queue belongs to the thread, and its TLS connections read it
  throw std::bad_alloc();
}

}  // namespace volt::crypto
