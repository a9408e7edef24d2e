// How a Runtime is made.
#pragma once

#include "runtime/sched/options.h"  // IWYU pragma: export
