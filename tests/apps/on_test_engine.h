// SPDX-License-Identifier: MIT

// Options of a TestClient: on the reactor that this run of the tests is about.
#pragma once

#include "http/testing/test_client.h"
#include "tests/support/engine.h"

namespace test {

inline volt::http::TestClientOptions on_test_engine() { return {.io = volt::test_options().io}; }

}  // namespace test
