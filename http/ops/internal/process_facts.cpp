// SPDX-License-Identifier: MIT

#include "http/ops/internal/process_facts.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace volt::http::ops {
namespace {

// Returns the beginning of a file of /proc, at most 16 KiB; empty if it cannot be read.
std::string read_start(const char* path) {
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "re"));
  if (!file) return {};
  std::string text(16 * 1024, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

// Returns the number that is the word at `place`, counted from 0.
std::uint64_t number_at(std::string_view text, std::size_t place) noexcept {
  for (; place != 0; --place) text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint64_t count_descriptors() noexcept {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  std::uint64_t count = 0;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  ::closedir(folder);
  return count - 1;  // excludes the descriptor of `folder` itself
}

double boot_seconds() {
  constexpr std::string_view kName = "\nbtime ";
  const std::string text = read_start("/proc/stat");
  const std::size_t at = text.find(kName);
  return at == std::string::npos ? 0 : static_cast<double>(number_at(std::string_view(text).substr(at + 7), 0));
}

}  // namespace

ProcessFacts process_facts() {
  ProcessFacts facts;
  facts.open_descriptors = count_descriptors();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.descriptors_max = limit.rlim_cur;

  const std::string stat = read_start("/proc/self/stat");
  const std::size_t name_end = stat.rfind(')');  // the name may contain spaces and parentheses
  if (name_end == std::string::npos || name_end + 2 > stat.size()) return facts;
  const std::string_view fields =
      std::string_view(stat).substr(name_end + 2);  // fields from the third on; numbered as in proc(5)
  const auto field = [fields](std::size_t number) { return number_at(fields, number - 3); };
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  facts.cpu_seconds = static_cast<double>(field(14) + field(15)) / ticks;
  facts.threads = field(20);
  facts.start_seconds = boot_seconds() + static_cast<double>(field(22)) / ticks;
  facts.virtual_bytes = field(23);
  facts.resident_bytes = field(24) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return facts;
}

}  // namespace volt::http::ops
