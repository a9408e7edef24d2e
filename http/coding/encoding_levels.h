// SPDX-License-Identifier: MIT

// The compression levels of the encoders.
//
// Threads: values.
#pragma once

#include <utility>

#include "http/coding/content_coding.h"

namespace volt::http::coding {

// Returns a level that is fast enough for content generated for each request.
constexpr int default_level(ContentCoding coding) noexcept {
  switch (coding) {
      // clang-format off
    case ContentCoding::gzip:     return 5;
    case ContentCoding::br:       return 4;
    case ContentCoding::zstd:     return 3;
    case ContentCoding::identity: return 0;
    case ContentCoding::deflate:  return 0;
      // clang-format on
  }
  std::unreachable();
}

struct EncodingLevels {
  int gzip = default_level(ContentCoding::gzip);
  int br = default_level(ContentCoding::br);
  int zstd = default_level(ContentCoding::zstd);
};

}  // namespace volt::http::coding
