// SPDX-License-Identifier: MIT

// The load: clients that send requests to all routes, at a rate that rises and falls.
#pragma once

#include <runtime/address.h>
#include <runtime/oneshot.h>
#include <runtime/task.h>

namespace demo {

// Sends requests to the server at the address that `place` receives, until the task is cancelled.
[[nodiscard]] volt::Task<> generate_load(volt::OneshotReceiver<volt::Address> place);

}  // namespace demo
