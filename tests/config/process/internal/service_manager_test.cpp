// SPDX-License-Identifier: MIT

#include "config/process/internal/service_manager.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <string>

#include "tests/support/directory.h"
#include "tests/support/sockets.h"

namespace volt::config {
namespace {

// Receives the notifications in place of systemd.
class Manager {
 public:
  Manager() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const Address address = Address::parse(folder_.unix_address("notify")).value();
    REQUIRE(::bind(socket_.get(), address.data(), address.size_bytes()) == 0);
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "notify").string(); }
  [[nodiscard]] std::string received() const {
    char message[256];
    const ssize_t count = ::recv(socket_.get(), message, sizeof message, 0);
    return count < 0 ? "nothing" : std::string(message, static_cast<std::size_t>(count));
  }

 private:
  test::Directory folder_;
  test::Descriptor socket_;
};

}  // namespace

TEST_SUITE_BEGIN("config/process/internal/service_manager");

TEST_CASE("notifications have the form of sd_notify(3)") {
  const Manager systemd;
  ServiceManager manager(systemd.path().c_str(), nullptr, nullptr);
  manager.ready();
  CHECK(systemd.received() == "READY=1");
  manager.stopping();
  CHECK(systemd.received() == "STOPPING=1");
  manager.alive();
  CHECK(systemd.received() == "WATCHDOG=1");
  manager.reloading();
  const std::string reloading = systemd.received();
  CHECK(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="));
  CHECK(reloading.find_first_not_of("0123456789", reloading.find("USEC=") + 5) == std::string::npos);
  manager.handed_over(42);
  CHECK(systemd.received() == "MAINPID=42\nREADY=1");
  CHECK(systemd.received() == "nothing");
}

TEST_CASE("a missing manager, or one that does not read, does not block the sender") {
  ServiceManager none(nullptr, "1000", nullptr);
  none.ready();
  CHECK(!none.watchdog_interval());
  ServiceManager absent("/none/notify", nullptr, nullptr);
  absent.ready();
  const std::string too_long(200, 'a');
  ServiceManager wrong(too_long.c_str(), nullptr, nullptr);
  wrong.ready();
  const Manager systemd;
  ServiceManager manager(systemd.path().c_str(), nullptr, nullptr);
  for (int i = 0; i != 10'000; ++i) manager.alive();
  CHECK(systemd.received() == "WATCHDOG=1");
}

TEST_CASE("the watchdog interval is half the timeout, if it applies to this process") {
  const Manager systemd;
  const std::string ours = std::to_string(::getpid());
  const struct {
    std::string why;
    const char* usec;
    const char* process;
    std::optional<std::chrono::microseconds> want;
  } cases[] = {
      {"no watchdog", nullptr, nullptr, {}},
      {"for any process", "30000000", nullptr, std::chrono::seconds(15)},
      {"for this process", "30000000", ours.c_str(), std::chrono::seconds(15)},
      {"for another process", "30000000", "1", {}},
      {"not a number", "30s", nullptr, {}},
      {"zero", "0", nullptr, {}},
      {"negative", "-5", nullptr, {}},
      {"out of range", "99999999999999999999", nullptr, {}},
      {"a malformed process id", "30000000", "me", {}},
  };
  for (const auto& [why, usec, process, want] : cases) {
    CAPTURE(why);
    CHECK(ServiceManager(systemd.path().c_str(), usec, process).watchdog_interval() == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::config
