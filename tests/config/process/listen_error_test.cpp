// SPDX-License-Identifier: MIT

#include "config/process/listen_error.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "runtime/address.h"
#include "runtime/tcp.h"

namespace volt::config {

TEST_SUITE_BEGIN("config/process/listen_error");

TEST_CASE("an error of listening is explained where its cause is known") {
  const auto explain = [](const std::string& place, std::errc error) {
    return explain_listen_error(place, std::make_error_code(error));
  };
  CHECK(explain("127.0.0.1:80", std::errc::permission_denied).contains("CAP_NET_BIND_SERVICE"));
  CHECK(explain("127.0.0.1:8080", std::errc::permission_denied) ==
        "cannot listen on 127.0.0.1:8080: Permission denied");
  CHECK(explain("unix:/a:80", std::errc::permission_denied) == "cannot listen on unix:/a:80: Permission denied");
  const TcpListener holder = std::move(TcpListener::bind(Address::parse("127.0.0.1:0").value()).value());
  const std::string process = "(process " + std::to_string(::getpid()) + ")";
  CHECK(explain(holder.local_address().to_string(), std::errc::address_in_use).ends_with(process));
  CHECK(explain("127.0.0.1:1", std::errc::address_in_use) == "cannot listen on 127.0.0.1:1: Address already in use");
}

TEST_SUITE_END();

}  // namespace volt::config
