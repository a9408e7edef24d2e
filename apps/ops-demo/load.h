// The load: clients that come and go like waves, and ask for whatever there is.
#pragma once

#include <runtime/address.h>
#include <runtime/oneshot.h>
#include <runtime/task.h>

namespace demo {

// Asks whoever serves at the address that comes. Until it is cancelled.
[[nodiscard]] volt::Task<> generate_load(volt::OneshotReceiver<volt::Address> place);

}  // namespace demo
