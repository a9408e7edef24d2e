// SPDX-License-Identifier: MIT

// The service under simulation: a route for each way of reading a request and sending a response.
#pragma once

#include <string>
#include <string_view>

#include "http/server/app.h"

namespace volt::simulation {

class Exchanges;

// `observer` observes all exchanges; null: none.
[[nodiscard]] http::App make_service(const std::string& file, Exchanges* observer);

// Returns the first `size` bytes of the body of /stream/{size} and of /packed/big.
[[nodiscard]] std::string pattern(std::size_t size);

// The handlers that keep their thread: /keep/{how}/{microseconds}.
inline constexpr std::string_view kKeepingHandlers[] = {"compute", "sleep",   "in_place", "lock",
                                                        "steps",   "learned", "light"};

inline constexpr std::size_t kBigBytes = 20'000;
inline constexpr std::size_t kFileBytes = 150'000;

}  // namespace volt::simulation
