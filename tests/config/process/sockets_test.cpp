// SPDX-License-Identifier: MIT

#include "config/process/sockets.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/directory.h"
#include "tests/support/sockets.h"

namespace volt::config {
namespace {

using test::Directory;

TcpListener bound(const std::string& address = "127.0.0.1:0") {
  return std::move(TcpListener::bind(Address::parse(address).value()).value());
}

bool accepts(const Address& address) {
  const test::Descriptor client(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(client.get(), address.data(), address.size_bytes()) == 0;
}

// Returns a copy of `listener` in the form in which a replaced process passes it.
std::vector<InheritedListener> passed(const std::string& place, TcpListener& listener) {
  std::vector<InheritedListener> inherited;
  inherited.push_back({listen_fd_name(place), std::move(*TcpListener::adopt(*listener.duplicate()))});
  return inherited;
}

}  // namespace

TEST_SUITE_BEGIN("config/process/sockets");

TEST_CASE("places are encoded as distinct names without colons") {
  const std::pair<std::string, std::string> cases[] = {
      {"127.0.0.1:80", "127.0.0.1%3A80"}, {"[::1]:80", "[%3A%3A1]%3A80"}, {"unix:/a%3Ab", "unix%3A/a%253Ab"}, {"", ""}};
  for (const auto& [place, name] : cases) CHECK(listen_fd_name(place) == name);
}

TEST_CASE("a place without inherited sockets is bound with the requested number of sockets") {
  Sockets sockets({}, false);
  const auto opened = sockets.open("127.0.0.1:0", 3);
  REQUIRE(opened.has_value());
  CHECK(!opened->inherited);
  REQUIRE(opened->listeners.size() == 3);
  for (const TcpListener& listener : opened->listeners) {
    CHECK(listener.local_address().port() == opened->listeners.front().local_address().port());
  }
  CHECK(sockets.copies().size() == 3);
  Sockets others({}, false);
  const auto taken = others.open(opened->listeners.front().local_address().to_string(), 1);
  REQUIRE(!taken.has_value());
  CHECK(taken.error() == std::errc::address_in_use);
}

TEST_CASE("a place that cannot be opened is an error") {
  Sockets sockets({}, false);
  CHECK(sockets.open("nowhere", 1).error() == std::errc::invalid_argument);
  CHECK(sockets.open("192.0.2.1:80", 1).error() == std::errc::address_not_available);
  CHECK(sockets.open("systemd:", 1).error() == std::errc::no_such_file_or_directory);
}

TEST_CASE("a place gets exactly the sockets that the replaced process passed for it") {
  TcpListener old = bound();
  Sockets sockets(passed("127.0.0.1:0", old), true);
  const auto other = sockets.open("127.0.0.2:0", 1);
  REQUIRE(other.has_value());
  CHECK(!other->inherited);
  const auto opened = sockets.open("127.0.0.1:0", 4);
  REQUIRE(opened.has_value());
  CHECK(opened->inherited);
  REQUIRE(opened->listeners.size() == 1);
  CHECK(opened->listeners.front().local_address().port() == old.local_address().port());
  CHECK(!sockets.open("127.0.0.1:0", 1)->inherited);  // inherited sockets are used once
}

TEST_CASE("systemd: gets all sockets of systemd under any name, and its replacement process inherits them") {
  TcpListener made = bound();
  auto inherited = passed("", made);
  inherited.front().name = "hello.socket";
  Sockets first(std::move(inherited), false);
  auto opened = first.open("systemd:", 1);
  REQUIRE(opened.has_value());
  CHECK(opened->inherited);
  REQUIRE(first.copies().size() == 1);
  CHECK(first.copies().front().name == "systemd%3A");
  Sockets second(passed("systemd:", opened->listeners.front()), true);
  CHECK(second.open("systemd:", 1)->inherited);
}

TEST_CASE("a socket listens until its last copy is closed") {
  Sockets sockets({}, false);
  auto opened = sockets.open("127.0.0.1:0", 1);
  REQUIRE(opened.has_value());
  const Address address = opened->listeners.front().local_address();
  opened->listeners.clear();
  CHECK(accepts(address));
  sockets.close_copies();
  CHECK(!accepts(address));
}

TEST_CASE("a listener whose copies are closed is the only one of its socket, unless they were handed over") {
  for (const bool hands_over : {false, true}) {
    CAPTURE(hands_over);
    Sockets sockets({}, false);
    auto opened = sockets.open("127.0.0.1:0", 1);
    REQUIRE(opened.has_value());
    TcpListener& listener = opened->listeners.front();
    CHECK_FALSE(listener.ignore_new_clients());
    if (hands_over) sockets.hand_over();
    CHECK(sockets.close_copies() == !hands_over);
    if (hands_over) continue;
    listener.note_duplicates_closed();
    CHECK(listener.ignore_new_clients());
  }
}

TEST_CASE("the file of a unix socket is removed by the last process that uses it") {
  const Directory folder;
  const std::string place = folder.unix_address("app.sock");
  const auto file = folder.path() / "app.sock";
  std::vector<InheritedListener> inherited;
  {
    Sockets first({}, false);
    auto opened = first.open(place, 2);
    REQUIRE(opened.has_value());
    REQUIRE(opened->listeners.size() == 1);
    inherited = passed(place, opened->listeners.front());
    opened->listeners.clear();
    CHECK(std::filesystem::exists(file));
    first.hand_over();
  }
  CHECK(std::filesystem::exists(file));
  {
    Sockets second(std::move(inherited), true);
    const auto opened = second.open(place, 1);
    REQUIRE(opened.has_value());
    CHECK(opened->inherited);
    CHECK(accepts(Address::parse(place).value()));
  }
  CHECK(!std::filesystem::exists(file));
}

TEST_CASE("a place with a host name stands for all addresses of the host") {
  Sockets sockets({}, false);
  const auto opened = sockets.open("localhost:0", 2);
  REQUIRE(opened);
  REQUIRE(opened->listeners.size() >= 2);
  for (const TcpListener& listener : opened->listeners) CHECK(accepts(listener.local_address()));
  CHECK(sockets.open("no-such-host.invalid:0", 1).error() == std::errc::address_not_available);
}

TEST_SUITE_END();
}  // namespace volt::config
