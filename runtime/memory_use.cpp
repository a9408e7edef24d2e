// SPDX-License-Identifier: MIT

#include "runtime/memory_use.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace volt {
namespace {

// cgroup v1 reports "no limit" as a number close to the largest that it can count.
constexpr std::uint64_t kNoLimitBytes = std::uint64_t{1} << 60;

// The content of a small file, in a buffer on the stack. Reading the file allocates nothing, because the functions
// below must work when memory is short.
class SmallFile {
 public:
  explicit SmallFile(const char* path) noexcept {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    while (size_ != bytes_.size()) {
      const ssize_t count = ::read(fd, bytes_.data() + size_, bytes_.size() - size_);
      if (count <= 0) break;
      size_ += static_cast<std::size_t>(count);
    }
    ::close(fd);
  }
  // Returns the beginning of the file; empty if the file cannot be read.
  [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, 8 * 1024> bytes_;
  std::size_t size_ = 0;
};

std::optional<std::uint64_t> leading_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} ? std::optional(number) : std::nullopt;
}

// Returns the number after `name` in the line "name number"; 0 if there is no such line.
std::uint64_t field(std::string_view lines, std::string_view name) noexcept {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') {
      return leading_number(line.substr(name.size() + 1)).value_or(0);
    }
  }
  return 0;
}

std::uint64_t less(std::uint64_t whole, std::uint64_t part) noexcept { return whole - std::min(whole, part); }

// Returns the resident memory that does not belong to files, in bytes. `statm` is the text "size resident shared ...",
// whose numbers count pages.
std::uint64_t process_bytes(std::string_view statm) noexcept {
  const auto word_after = [statm](std::size_t at) { return std::min(statm.size(), statm.find(' ', at) + 1); };
  const std::size_t resident_at = word_after(0);
  const std::size_t shared_at = word_after(resident_at);
  const auto resident = leading_number(statm.substr(resident_at)).value_or(0);
  const auto shared = leading_number(statm.substr(shared_at)).value_or(0);
  return less(resident, shared) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Returns the path of the cgroup in the text of /proc/self/cgroup. Version 2 has the line "0::PATH", without a
// controller; version 1 has one line "N:CONTROLLER,...:PATH" for each hierarchy.
std::optional<std::string> path_of(std::string_view membership, std::string_view controller) {
  while (!membership.empty()) {
    const std::string_view line = membership.substr(0, membership.find('\n'));
    membership.remove_prefix(std::min(membership.size(), line.size() + 1));
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (names == "," + std::string(controller) + "," ||
        (!controller.empty() && names.find("," + std::string(controller) + ",") != std::string::npos)) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

struct MemoryUse::Version {
  std::string_view limit_file;
  std::string_view usage_file;
};

std::optional<MemoryUse> MemoryUse::of_cgroup(const std::string& mounted_at, const std::string& membership) {
  constexpr Version kV2{.limit_file = "/memory.max", .usage_file = "/memory.current"};
  constexpr Version kV1{.limit_file = "/memory.limit_in_bytes", .usage_file = "/memory.usage_in_bytes"};
  const SmallFile lines(membership.c_str());
  if (const auto path = path_of(lines.text(), "")) {
    if (auto found = lowest(kV2, mounted_at, *path)) return found;
  }
  if (const auto path = path_of(lines.text(), "memory")) return lowest(kV1, mounted_at + "/memory", *path);
  return std::nullopt;
}

// A folder that does not exist counts as a cgroup without a limit. Folders may be missing in a container, which may see
// its own cgroup as the root while the membership file contains the path on the host.
std::optional<MemoryUse> MemoryUse::lowest(const Version& version, const std::string& mounted_at, std::string path) {
  std::optional<MemoryUse> found;
  for (;;) {
    if (path.ends_with('/')) path.pop_back();
    const std::string folder = mounted_at + path;
    const auto limit = leading_number(SmallFile((folder + std::string(version.limit_file)).c_str()).text());
    if (limit && *limit < (found ? found->limit_bytes_ : kNoLimitBytes)) {
      found = MemoryUse(*limit, folder + std::string(version.usage_file), folder + "/memory.stat");
    }
    if (path.empty()) return found;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

std::uint64_t MemoryUse::used_bytes() const noexcept {
  const SmallFile usage(usage_file_.c_str());
  if (stat_file_.empty()) return process_bytes(usage.text());
  const SmallFile stat(stat_file_.c_str());
  // Version 1 has each count twice: for the cgroup alone, and as total_... for the cgroup with its descendants. Version
  // 2 has only the count with descendants, without the prefix.
  const auto files = [&](std::string_view total, std::string_view sum) {
    return std::max(field(stat.text(), total), field(stat.text(), sum));
  };
  return less(leading_number(usage.text()).value_or(0),
              files("total_active_file", "active_file") + files("total_inactive_file", "inactive_file"));
}

}  // namespace volt
