// SPDX-License-Identifier: MIT

#include "config/process/internal/handoff.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace volt::config {
namespace {

// Names the format. A replacement process may be another version of the program; it ignores a format that it does not
// know.
constexpr std::string_view kForm = "volt handoff 1\n";
constexpr off_t kHandoffBytesMax = 64 * 1024;
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

void append(std::string& text, std::string_view part) {
  const auto bytes = static_cast<std::uint32_t>(part.size());
  char length[sizeof bytes];
  std::memcpy(length, &bytes, sizeof bytes);
  text.append(length, sizeof length).append(part);
}

// Removes the next part from the front of `text` and returns it; nothing if it is incomplete.
std::optional<std::string> take_part(std::string_view& text) {
  std::uint32_t bytes = 0;
  if (text.size() < sizeof bytes) return std::nullopt;
  std::memcpy(&bytes, text.data(), sizeof bytes);
  text.remove_prefix(sizeof bytes);
  if (text.size() < bytes) return std::nullopt;
  std::string part(text.substr(0, bytes));
  text.remove_prefix(bytes);
  return part;
}

void wipe(std::string& secret) noexcept { ::explicit_bzero(secret.data(), secret.size()); }

}  // namespace

Result<FileDescriptor> seal(const std::vector<HandoffSecret>& handoff_secrets) {
  FileDescriptor file(::memfd_create("volt-handoff", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return system_error(errno);
  std::size_t bytes = kForm.size();
  for (const HandoffSecret& each : handoff_secrets)
    bytes += 2 * sizeof(std::uint32_t) + each.place.size() + each.secret.size();
  std::string text;
  text.reserve(bytes);  // prevents a reallocation, which would leave a copy of secrets in freed memory
  text.append(kForm);
  for (const HandoffSecret& each : handoff_secrets) {
    append(text, each.place);
    append(text, each.secret);
  }
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  const int failure = written < 0 ? errno : EIO;
  wipe(text);
  if (written != static_cast<ssize_t>(text.size())) return system_error(failure);
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return system_error(errno);
  return file;
}

std::vector<HandoffSecret> unseal(const FileDescriptor& file) {
  struct stat facts{};
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || ::fstat(file.get(), &facts) != 0 || facts.st_size > kHandoffBytesMax)
    return {};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
  std::vector<HandoffSecret> handoff_secrets;
  std::string_view rest = std::string_view(text).substr(0, count < 0 ? 0 : static_cast<std::size_t>(count));
  if (rest.starts_with(kForm)) {
    rest.remove_prefix(kForm.size());
    while (!rest.empty()) {
      auto place = take_part(rest);
      auto secret = take_part(rest);
      if (!place || !secret) break;
      handoff_secrets.push_back({std::move(*place), std::move(*secret)});
    }
  }
  wipe(text);
  return handoff_secrets;
}

void wipe(std::vector<HandoffSecret>& handoff_secrets) noexcept {
  for (HandoffSecret& each : handoff_secrets) wipe(each.secret);
}

}  // namespace volt::config
