// What the calling fiber is to the scheduler: runtime/sched/current.cpp keeps that by thread, and here is only one.
#include "runtime/sched/current.h"

#include <array>

#include "tests/model/explorer/memory.h"
#include "tests/model/explorer/operations.h"

namespace volt::sched {
namespace {
std::array<Context*, model::kThreadsMax> contexts;
}

Context* current() noexcept { return contexts[model::calling_thread()]; }
void set_current(Context* context) noexcept { contexts[model::calling_thread()] = context; }

}  // namespace volt::sched
