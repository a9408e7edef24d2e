// SPDX-License-Identifier: MIT

#include "config/process/privileges.h"

#include <doctest/doctest.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace volt::config {
namespace {

// Returns the exit status of a child process that runs `body`.
template <class Body>
int status_of_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether this process can change its user. The root user of a container may lack the capabilities, or other users.
bool may_become_another() {
  return status_of_child(
             [] { return ::setgroups(0, nullptr) == 0 && ::setgid(12345) == 0 && ::setuid(65534) == 0 ? 0 : 1; }) == 0;
}

}  // namespace

TEST_SUITE_BEGIN("config/process/privileges");

TEST_CASE("dropping privileges to no user or to the current user is a no-op") {
  CHECK(drop_privileges("", "").has_value());
  CHECK(drop_privileges(std::to_string(::geteuid()), std::to_string(::getegid())).has_value());
}

TEST_CASE("an unknown user or group is an error") {
  CHECK(drop_privileges("no-such-user", "").error() == std::errc::no_such_file_or_directory);
  CHECK(drop_privileges("", "no-such-group").error() == std::errc::no_such_file_or_directory);
}

TEST_CASE("a user whose primary group is not known needs a group") {
  if (!may_become_another()) return;
  const int status = status_of_child([] {
    const auto alone = drop_privileges("65533", "");
    if (alone || alone.error() != std::errc::invalid_argument || ::geteuid() != 0) return 1;
    return drop_privileges("65533", "65533") && ::getegid() == 65533 ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("root irrevocably becomes another user without root's groups") {
  if (!may_become_another()) return;
  const int status = status_of_child([] {
    if (!drop_privileges("65534", "12345")) return 1;
    uid_t users[3];
    gid_t groups[3];
    ::getresuid(&users[0], &users[1], &users[2]);
    ::getresgid(&groups[0], &groups[1], &groups[2]);
    for (const uid_t user : users) {
      if (user != 65534) return 2;
    }
    for (const gid_t group : groups) {
      if (group != 12345) return 3;
    }
    gid_t further[64];
    const int count = ::getgroups(64, further);
    for (int i = 0; i < count; ++i) {
      if (further[i] == 0) return 4;
    }
    return ::setuid(0) == 0 ? 5 : 0;
  });
  CHECK(status == 0);
}

TEST_CASE("an unprivileged process cannot become another user") {
  if (!may_become_another()) return;
  const int status = status_of_child([] {
    if (!drop_privileges("65534", "")) return 1;
    const auto again = drop_privileges("65533", "65533");
    return !again && again.error() == std::errc::operation_not_permitted ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("set_umask sets the umask from octal digits, and ignores an empty text") {
  const mode_t before = ::umask(0);
  for (const auto& [octal, want] : {std::pair("027", 027), {"0", 0}, {"0777", 0777}, {"", 0777}}) {
    set_umask(octal);
    const mode_t now = ::umask(0);
    ::umask(now);
    CHECK(now == static_cast<mode_t>(want));
  }
  ::umask(before);
}

TEST_SUITE_END();
}  // namespace volt::config
