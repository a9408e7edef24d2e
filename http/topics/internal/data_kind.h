// SPDX-License-Identifier: MIT

// DataKind: how the messages of topics are written as bytes.
#pragma once

#include <cstdint>

namespace volt::http::topics {

enum class DataKind : std::uint8_t {
  json,   // a JSON document
  text,   // a std::string: UTF-8
  bytes,  // a std::vector<std::byte>
};

}  // namespace volt::http::topics
