// SPDX-License-Identifier: MIT

#include "config/process/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>

namespace volt::config {
namespace {

struct Identity {
  uid_t user = ::geteuid();
  gid_t group = ::getegid();
  std::string name;  // user name; empty if the uid has none
};

std::optional<unsigned> id_in(const std::string& text) {
  unsigned number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<Identity> identify(const std::string& user, const std::string& group) {
  Identity who;
  if (!user.empty()) {
    const auto number = id_in(user);
    const passwd* const entry = number ? ::getpwuid(*number) : ::getpwnam(user.c_str());
    if (entry == nullptr && !number) return error(std::errc::no_such_file_or_directory);
    // The primary group of such a user is not known, and that of root must not stay.
    if (entry == nullptr && group.empty() && *number != who.user) return error(std::errc::invalid_argument);
    who.user = entry != nullptr ? entry->pw_uid : *number;
    if (entry != nullptr) who.group = entry->pw_gid;
    if (entry != nullptr) who.name = entry->pw_name;
  }
  if (!group.empty()) {
    const auto number = id_in(group);
    const ::group* const entry = number ? nullptr : ::getgrnam(group.c_str());
    if (entry == nullptr && !number) return error(std::errc::no_such_file_or_directory);
    who.group = number ? *number : entry->gr_gid;
  }
  return who;
}

}  // namespace

void set_umask(const std::string& octal) noexcept {
  if (octal.empty()) return;
  mode_t mask = 0;
  for (const char digit : octal) mask = mask * 8 + static_cast<mode_t>(digit - '0');
  ::umask(mask);
}

Result<void> drop_privileges(const std::string& user, const std::string& group) {
  if (user.empty() && group.empty()) return {};
  const auto who = identify(user, group);
  if (!who) return std::unexpected(who.error());
  if (who->user == ::geteuid() && who->group == ::getegid()) return {};
  const int grouped = who->name.empty() ? ::setgroups(0, nullptr) : ::initgroups(who->name.c_str(), who->group);
  if (grouped != 0 || ::setresgid(who->group, who->group, who->group) != 0 ||
      ::setresuid(who->user, who->user, who->user) != 0) {
    return system_error(errno);
  }
  if (who->user != 0 && ::setuid(0) == 0) return error(std::errc::operation_not_permitted);
  return {};
}

}  // namespace volt::config
