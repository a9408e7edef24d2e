// SPDX-License-Identifier: MIT

// How a session is saved, and why it was not.
#pragma once

#include <cstdint>

namespace volt::http::cookies {

enum class Renewal : bool { keep_cookie, new_cookie };

enum class SaveError : std::uint8_t {
  too_long,  // The data is too long.
  gone,      // The session has ended, or has been given another cookie.
  full,      // There is no room for another session.
};

}  // namespace volt::http::cookies
