// SPDX-License-Identifier: MIT

#include "runtime/inherited.h"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "runtime/internal/inherited_names.h"

namespace volt {
namespace {

constexpr int kFirstDescriptor = 3;  // SD_LISTEN_FDS_START
constexpr std::uint32_t kInheritedMax = 1024;

std::optional<std::uint32_t> number_in(std::string_view text) noexcept {
  std::uint32_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t colon = names.find(':');
    parts.emplace_back(names.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    names.remove_prefix(colon + 1);
  }
}

}  // namespace

Result<std::vector<std::string>> net::inherited_names(const char* listen_pid, const char* listen_fds,
                                                      const char* listen_names, pid_t this_process) {
  if (listen_pid == nullptr || listen_fds == nullptr) return {};
  const auto process = number_in(listen_pid);
  if (!process) return error(std::errc::invalid_argument);
  if (*process != static_cast<std::uint32_t>(this_process)) return {};
  const auto count = number_in(listen_fds);
  if (!count || *count > kInheritedMax) return error(std::errc::invalid_argument);
  if (listen_names == nullptr || *count == 0) return std::vector<std::string>(*count, "unknown");
  std::vector<std::string> names = split(listen_names);
  if (names.size() != *count) return error(std::errc::invalid_argument);
  return names;
}

Result<std::vector<InheritedListener>> inherited_listeners() {
  constexpr const char* kPid = "LISTEN_PID";
  constexpr const char* kCount = "LISTEN_FDS";
  constexpr const char* kNames = "LISTEN_FDNAMES";
  auto names = net::inherited_names(std::getenv(kPid), std::getenv(kCount), std::getenv(kNames), ::getpid());
  for (const char* variable : {kPid, kCount, kNames}) ::unsetenv(variable);
  if (!names) return std::unexpected(names.error());
  std::vector<InheritedListener> listeners;
  for (std::string& name : *names) {
    const int fd = kFirstDescriptor + static_cast<int>(listeners.size());
    Result<TcpListener> listener = TcpListener::adopt(fd);
    if (!listener) return std::unexpected(listener.error());
    listeners.push_back({std::move(name), std::move(*listener)});
  }
  return listeners;
}

}  // namespace volt
