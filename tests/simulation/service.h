// The service under simulation: a route for each way of reading a request and giving an answer.
#pragma once

#include <string>
#include <string_view>

#include "http/server/app.h"

namespace volt::simulation {

[[nodiscard]] http::App make_service(const std::string& file);

// The body of /stream/{n} and of /big: so many bytes of it.
[[nodiscard]] std::string pattern(std::size_t size);

inline constexpr std::size_t kBigBytes = 20'000;
inline constexpr std::size_t kFileBytes = 150'000;

}  // namespace volt::simulation
