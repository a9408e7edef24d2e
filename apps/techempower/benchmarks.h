// SPDX-License-Identifier: MIT

// The service: the test types of the TechEmpower benchmarks, by their rules.
#pragma once

#include <http/server/app.h>
#include <pg/pool.h>

namespace techempower {

volt::http::App make_app(volt::pg::Pool db);

}  // namespace techempower
