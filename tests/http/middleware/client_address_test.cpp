// SPDX-License-Identifier: MIT

#include "http/middleware/client_address.h"

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "http/server/app.h"
#include "tests/support/in_process_app.h"

namespace volt::http {

TEST_SUITE_BEGIN("http/middleware/client_address");

TEST_CASE("the client's address is the peer's, or the one that trusted proxies report") {
  const std::optional<ProxyField> no_proxy;
  const struct {
    std::string_view why;
    std::optional<ProxyField> field;
    std::string peer;
    FieldsOf fields;
    std::string want;
  } cases[] = {
      {"no proxy is trusted", no_proxy, "10.0.0.1:80", {{"X-Forwarded-For", "192.0.2.1"}}, "10.0.0.1"},
      {"a proxy that reports its client",
       ProxyField::x_forwarded_for,
       "10.0.0.1:80",
       {{"X-Forwarded-For", "192.0.2.1"}},
       "192.0.2.1"},
      {"a proxy that reports no client", ProxyField::x_forwarded_for, "10.0.0.1:80", {}, "10.0.0.1"},
      {"a field of a client that is not a proxy",
       ProxyField::x_forwarded_for,
       "192.0.2.9:80",
       {{"X-Forwarded-For", "10.0.0.2"}},
       "192.0.2.9"},
      {"7239 8.1: the client's own part of the field is ignored",
       ProxyField::x_forwarded_for,
       "10.0.0.1:80",
       {{"X-Forwarded-For", "1.2.3.4, 192.0.2.1, 10.0.0.2"}},
       "192.0.2.1"},
      {"a field that the proxies do not write",
       ProxyField::forwarded,
       "10.0.0.1:80",
       {{"X-Forwarded-For", "192.0.2.1"}},
       "10.0.0.1"},
      {"7239 4: Forwarded",
       ProxyField::forwarded,
       "10.0.0.1:80",
       {{"Forwarded", R"(for="[2001:db8::1]:9")"}},
       "2001:db8::1"},
      {"a unix socket has no address", ProxyField::forwarded, "unix:", {{"Forwarded", "for=192.0.2.1"}}, ""},
  };
  for (const auto& [why, field, peer, fields, want] : cases) {
    CAPTURE(why);
    App app;
    if (field) app.use(trust_proxies({"10.0.0.0/8", "fd00::/8"}, *field));
    app.get("/", [](ClientAddress client) { return client.text(); });
    test::InProcessApp asked(std::move(app));
    CHECK(asked.ask({.fields = fields, .peer = peer}).body() == want);
  }
}

TEST_CASE("invalid blocks of addresses are refused when the app is built") {
  for (const std::string block : {"10.0.0.0/33", "10.1.0.0/8", "proxy", ""}) {
    CAPTURE(block);
    CHECK_THROWS_AS(static_cast<void>(trust_proxies({block})), std::invalid_argument);
  }
}

TEST_SUITE_END();
}  // namespace volt::http
