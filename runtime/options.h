// SPDX-License-Identifier: MIT

// RuntimeOptions: the configuration of a Runtime.
#pragma once

#include "runtime/sched/options.h"  // IWYU pragma: export
