// SPDX-License-Identifier: MIT

#include "tls/internal/ticket_keys.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace volt::tls::internal {

TEST_SUITE_BEGIN("tls/internal/ticket_keys");

using namespace std::chrono_literals;

TEST_CASE("a key encrypts for one lifetime and decrypts for two more") {
  TicketKeys keys(1h);
  const auto begin = TicketKeys::Clock::now();
  const auto first = keys.newest(begin);
  REQUIRE(first.has_value());
  CHECK(keys.newest(begin + 59min)->name == first->name);
  CHECK(keys.find(first->name, begin + 59min)->newest);
  CHECK_FALSE(keys.find(first->name, begin + 61min)->newest);  // expired, though newest() has not been called yet

  const auto second = keys.newest(begin + 61min);
  CHECK(second->name != first->name);
  CHECK(second->cipher != first->cipher);
  CHECK(second->mac != first->mac);
  REQUIRE(keys.find(first->name, begin + 62min).has_value());
  CHECK_FALSE(keys.find(first->name, begin + 62min)->newest);
  CHECK(keys.find(first->name, begin + 62min)->key.cipher == first->cipher);
  CHECK(keys.find(second->name, begin + 62min)->newest);

  CHECK(keys.find(first->name, begin + 179min).has_value());
  CHECK_FALSE(keys.find(first->name, begin + 180min).has_value());
  CHECK(keys.find(second->name, begin + 180min).has_value());
}

TEST_CASE("after a long pause no old key is kept") {
  TicketKeys keys(1h);
  const auto begin = TicketKeys::Clock::now();
  const auto first = keys.newest(begin);
  CHECK_FALSE(keys.find(first->name, begin + 100h).has_value());
  CHECK(keys.newest(begin + 100h)->name != first->name);
}

TEST_CASE("at most three keys are kept, however short the lifetime") {
  TicketKeys keys(0s);
  const auto begin = TicketKeys::Clock::now();
  std::set<std::array<unsigned char, 16>> names;
  for (int i = 0; i != 100; ++i) names.insert(keys.newest(begin)->name);
  int found = 0;
  for (const auto& name : names) found += keys.find(name, begin) ? 1 : 0;
  CHECK(names.size() == 100);
  CHECK(found <= TicketKeys::kKept);
}

TEST_CASE("a ticket expires before its key is dropped, and after at most seven days, RFC 8446 section 4.6.1") {
  using std::chrono::days;
  using std::chrono::seconds;
  for (const seconds lifetime : {seconds(1s), seconds(1h), seconds(days(2)), seconds(days(30))}) {
    CAPTURE(lifetime.count());
    TicketKeys keys(lifetime);
    const auto begin = TicketKeys::Clock::now();
    const auto key = keys.newest(begin);
    const auto encrypted = begin + lifetime - 1ms;  // the last moment at which the first key encrypts tickets
    REQUIRE(keys.newest(encrypted)->name == key->name);
    const auto expiry = encrypted + keys.ticket_lifetime();
    for (auto now = begin + lifetime; now < expiry; now += lifetime) static_cast<void>(keys.newest(now));
    CHECK(keys.find(key->name, expiry).has_value());
    CHECK(keys.ticket_lifetime() >= std::min<seconds>(lifetime, days(7)));
    CHECK(keys.ticket_lifetime() <= days(7));
  }
}

TEST_CASE("a key is found with a time before its creation, as read by another thread") {
  TicketKeys keys(1h);
  const auto begin = TicketKeys::Clock::now();
  const auto key = keys.newest(begin);
  CHECK(keys.find(key->name, begin - 1ms).has_value());
  CHECK(keys.newest(begin - 1ms)->name == key->name);
}

TEST_CASE("an unknown name finds no key") {
  TicketKeys keys(1h);
  const std::array<unsigned char, 16> unknown{};
  CHECK_FALSE(keys.find(unknown, TicketKeys::Clock::now()).has_value());
}

TEST_CASE("imported keys decrypt tickets for their remaining time") {
  const auto begin = TicketKeys::Clock::now();
  TicketKeys before(1h);
  const auto old = before.newest(begin);
  const auto newest = before.newest(begin + 61min);
  TicketKeys after(1h);
  REQUIRE(after.import_keys(before.export_keys(), begin + 70min));
  CHECK(after.newest(begin + 70min)->name == newest->name);
  REQUIRE(after.find(old->name, begin + 70min).has_value());
  CHECK(after.find(old->name, begin + 70min)->key.cipher == old->cipher);
  CHECK(after.find(old->name, begin + 70min)->key.mac == old->mac);
  CHECK_FALSE(after.find(old->name, begin + 181min).has_value());
  CHECK(after.newest(begin + 122min)->name != newest->name);  // rotation continues
}

TEST_CASE("an invalid secret changes nothing") {
  const auto now = TicketKeys::Clock::now();
  TicketKeys others(1h);
  static_cast<void>(others.newest(now));
  const std::string secret = others.export_keys();
  TicketKeys keys(1h);
  const auto own = keys.newest(now);
  CHECK_FALSE(keys.import_keys("", now));
  CHECK_FALSE(keys.import_keys(secret.substr(1), now));
  CHECK_FALSE(keys.import_keys(secret + secret + secret + secret, now));  // more keys than are kept
  CHECK_FALSE(keys.import_keys(secret, now - 1s));                        // made by another clock
  CHECK(keys.newest(now)->name == own->name);
}

}  // namespace volt::tls::internal
