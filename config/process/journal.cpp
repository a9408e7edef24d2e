// SPDX-License-Identifier: MIT

#include "config/process/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace volt::config {
namespace {

// Returns true if `text` is the whole number.
bool says(std::string_view text, std::uint64_t number) noexcept {
  std::uint64_t said = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), said);
  return error == std::errc() && stop == text.data() + text.size() && said == number;
}

}  // namespace

// The variable has the device and the inode of the stream: "8:27163".
bool stderr_is_journal() noexcept {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat file{};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &file) != 0) return false;
  const std::string_view text(stream);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  return says(text.substr(0, colon), file.st_dev) && says(text.substr(colon + 1), file.st_ino);
}

}  // namespace volt::config
