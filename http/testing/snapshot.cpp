// SPDX-License-Identifier: MIT

#include "http/testing/snapshot.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "http/testing/internal/json_lines.h"
#include "http/testing/internal/line_difference.h"
#include "http/testing/response.h"

namespace volt::http {
namespace {

constexpr const char* kUpdateVariable = "VOLT_UPDATE_SNAPSHOTS";

bool is_update_wanted() noexcept {
  const char* const value = std::getenv(kUpdateVariable);
  return value != nullptr && std::string_view(value) == "1";
}

// Returns none if the file does not exist.
std::optional<std::string> read_snapshot(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::system_error(errno, std::generic_category(), "read " + path.string());
  return text;
}

void write_snapshot(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) throw std::system_error(errno, std::generic_category(), "write " + path.string());
}

}  // namespace

void require_json_snapshot(std::string_view json, std::string_view path, std::source_location where) {
  const std::filesystem::path file = std::filesystem::path(where.file_name()).parent_path() / path;
  const std::string now = testing::json_lines(json);
  const std::optional<std::string> before = read_snapshot(file);
  if (before == now) return;
  if (is_update_wanted()) return write_snapshot(file, now);
  const std::string remedy = std::string("\nTo accept this, run the test with ").append(kUpdateVariable).append("=1.");
  if (!before) throw TestFailure("there is no snapshot " + file.string() + remedy);
  const std::string difference = testing::line_difference(*before, now);
  throw TestFailure("the document differs from the snapshot " + file.string() + " (- snapshot, + document):\n" +
                    (difference.empty() ? "the line ends\n" : difference) + remedy);
}

}  // namespace volt::http
