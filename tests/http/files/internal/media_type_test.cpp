// SPDX-License-Identifier: MIT

#include "http/files/internal/media_type.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/internal/media_type");

TEST_CASE("the extension determines the media type, RFC 9110 section 8.3") {
  const struct {
    std::string_view why, path, want;
  } cases[] = {
      {"text has a charset", "index.html", "text/html; charset=utf-8"},
      {"a style sheet", "site.css", "text/css; charset=utf-8"},
      {"RFC 9239: scripts are text/javascript", "app.js", "text/javascript; charset=utf-8"},
      {"a module", "app.mjs", "text/javascript; charset=utf-8"},
      {"the type that module loaders require", "app.wasm", "application/wasm"},
      {"JSON has no charset", "data.json", "application/json"},
      {"a source map is JSON", "app.js.map", "application/json"},
      {"a manifest", "site.webmanifest", "application/manifest+json"},
      {"a digit in the extension", "font.woff2", "font/woff2"},
      {"the extension without the digit", "font.woff", "font/woff"},
      {"new images", "a.avif", "image/avif"},
      {"WebP", "a.webp", "image/webp"},
      {"SVG", "a.svg", "image/svg+xml"},
      {"the first of the table", "a.7z", "application/x-7z-compressed"},
      {"the last of the table", "a.zst", "application/zstd"},
      {"case-insensitive", "README.TXT", "text/plain; charset=utf-8"},
      {"the last extension counts", "a.html.gz", "application/gzip"},
      {"in a folder", "a.b/c.png", "image/png"},
      {"a dot in the folder only", "a.html/readme", kUnknownMediaType},
      {"no extension", "LICENSE", kUnknownMediaType},
      {"an empty extension", "a.", kUnknownMediaType},
      {"only an extension", ".html", "text/html; charset=utf-8"},
      {"nothing", "", kUnknownMediaType},
      {"not known", "a.xyzzy", kUnknownMediaType},
      {"only the beginning of an extension", "a.htm5", kUnknownMediaType},
      {"after the last of the table", "a.zzz", kUnknownMediaType},
      {"the longest extension", "a.webmanifest", "application/manifest+json"},
      {"longer than any extension", "a.webmanifests", kUnknownMediaType},
      {"obs-text", "a.\xff\xff", kUnknownMediaType},
  };
  for (const auto& [why, path, want] : cases) {
    CAPTURE(why);
    CHECK(media_type(path) == want);
  }
  CHECK(media_type("a." + std::string(100'000, 'x')) == kUnknownMediaType);
}

TEST_SUITE_END();
}  // namespace volt::http::files
