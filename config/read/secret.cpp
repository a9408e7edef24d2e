// SPDX-License-Identifier: MIT

#include "config/read/secret.h"

#include <cstddef>
#include <stdexcept>

#include "config/read/internal/text_file.h"

namespace volt::config {

std::string secret_from_file(const std::string& path) {
  constexpr std::size_t kBytesMax = 64 * 1024;
  Result<std::string> text = read_text_file(path, kBytesMax);
  if (!text) throw std::invalid_argument("secret " + path + ": " + text.error().message());
  if (text->ends_with('\n')) text->pop_back();
  if (text->empty()) throw std::invalid_argument("secret " + path + ": the file is empty");
  return *std::move(text);
}

}  // namespace volt::config
