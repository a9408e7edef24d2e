// SPDX-License-Identifier: MIT

// WorkerIdentity: which worker the calling thread is, for code that runs on any thread.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace volt {

struct WorkerIdentity {
  const void* runtime = nullptr;  // identifies the worker's runtime among those that exist; null: not a worker
  std::uint32_t number = 0;       // as this_worker()
};

// The result is valid until the next co_await.
[[nodiscard]] WorkerIdentity worker_identity() noexcept;

}  // namespace volt
