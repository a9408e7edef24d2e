// SPDX-License-Identifier: MIT

#include "runtime/worker_identity.h"

#include "runtime/sched/current.h"

namespace volt {

WorkerIdentity worker_identity() noexcept {
  const sched::Context* const context = sched::current();
  if (context == nullptr) return {};
  return {.runtime = context->scheduler, .number = context->worker_index};
}

}  // namespace volt
