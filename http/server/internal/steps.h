// SPDX-License-Identifier: MIT

// Runs the steps of App::before_listen() and App::after_drain().
//
// Threads: a thread that is not a worker; the functions block it. `proceed` is called every few milliseconds, unless it
// is empty; if it returns false, the step is cancelled, and no further one runs.
#pragma once

#include <functional>
#include <memory>

#include "http/server/app_hooks.h"
#include "runtime/runtime.h"

namespace volt::http::server {

// Returns false if `proceed` did. Throws std::runtime_error with the place of the step that failed and the reason.
bool run_before_listen(Runtime& runtime, const std::shared_ptr<AppHooks>& hooks, const std::function<bool()>& proceed);
// Returns false if a step failed, took longer than its limit, or was cancelled; each of these is logged.
bool run_after_drain(Runtime& runtime, const std::shared_ptr<AppHooks>& hooks, const std::function<bool()>& proceed);

}  // namespace volt::http::server
