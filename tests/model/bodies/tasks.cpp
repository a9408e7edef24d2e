// SPDX-License-Identifier: MIT

#include "tests/model/bodies/tasks.h"

namespace volt::sched {

void enqueue(TaskHeader& task) noexcept { static_cast<model::Tasklet&>(task).enqueue(); }

}  // namespace volt::sched
