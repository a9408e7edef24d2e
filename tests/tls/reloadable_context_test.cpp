// SPDX-License-Identifier: MIT

#include "tls/reloadable_context.h"

#include <doctest/doctest.h>

#include <fstream>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/directory.h"
#include "tests/tls/client_server_pair.h"

namespace volt::tls {
namespace {

using test::ClientServerPair;
using test::TestCertificate;

struct Files {
  volt::test::Directory directory;

  [[nodiscard]] Options options() const { return {.certificate = path("site.pem"), .key = path("site.key")}; }
  void write(const TestCertificate& certificate) const {
    std::ofstream(path("site.pem")) << certificate.pem();
    std::ofstream(path("site.key")) << certificate.key_pem();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (directory.path() / name).string(); }
};

std::string served(const ReloadableContext& contexts) {
  ClientServerPair peers(contexts.current());
  return peers.shake_hands() ? peers.client.server_common_name() : "nothing";
}

}  // namespace

TEST_SUITE_BEGIN("tls/reloadable_context");

TEST_CASE("after a reload new connections use the new certificate, and earlier ones continue") {
  const Files files;
  files.write(TestCertificate({.common_name = "old", .names = "DNS:site.example"}));
  const auto contexts = ReloadableContext::load(files.options());
  REQUIRE(contexts.has_value());
  ClientServerPair before((*contexts)->current());
  REQUIRE(before.shake_hands());
  ClientServerPair between((*contexts)->current());  // its handshake begins after the reload

  files.write(TestCertificate({.common_name = "new", .names = "DNS:site.example"}));
  CHECK(served(**contexts) == "old");
  REQUIRE((*contexts)->reload().has_value());
  CHECK(served(**contexts) == "new");

  CHECK(between.shake_hands());
  CHECK(between.client.server_common_name() == "old");
  before.client.write("still here");
  before.carry();
  CHECK(before.server_read() == std::string("still here"));
}

TEST_CASE("a reload with a broken file fails and keeps the current context") {
  const Files files;
  files.write(TestCertificate({.common_name = "good", .names = "DNS:site.example"}));
  const auto contexts = ReloadableContext::load(files.options());
  REQUIRE(contexts.has_value());
  const auto before = (*contexts)->current();

  std::ofstream(files.path("site.pem")) << "half a certific";
  const auto reloaded = (*contexts)->reload();
  REQUIRE_FALSE(reloaded);
  CHECK(reloaded.error() == "certificate " + files.path("site.pem") + ": contains no PEM certificate");
  CHECK((*contexts)->current() == before);
  CHECK(served(**contexts) == "good");

  files.write(TestCertificate({.common_name = "better", .names = "DNS:site.example"}));
  CHECK((*contexts)->reload().has_value());
  CHECK(served(**contexts) == "better");
}

TEST_CASE("loading with missing files fails") {
  const auto contexts = ReloadableContext::load({.certificate = "/nowhere", .key = "/nowhere"});
  REQUIRE_FALSE(contexts);
  CHECK(contexts.error() == "certificate /nowhere: No such file or directory");
}

TEST_CASE("a ticket from before a reload resumes after the reload") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const Files files;
    files.write(TestCertificate({.common_name = "old", .names = "DNS:site.example"}));
    const auto contexts = ReloadableContext::load(files.options());
    REQUIRE(contexts.has_value());
    ClientServerPair first((*contexts)->current(), {.server_name = "site.example", .version = version});
    REQUIRE(first.shake_hands());
    const test::SessionHandle session = first.client.session();
    files.write(TestCertificate({.common_name = "new", .names = "DNS:site.example"}));
    REQUIRE((*contexts)->reload().has_value());
    ClientServerPair second((*contexts)->current(),
                            {.server_name = "site.example", .version = version, .session = session.get()});
    REQUIRE(second.shake_hands());
    CHECK(second.client.resumed());
  }
}

TEST_CASE("handshakes on several threads succeed during reloads") {
  const Files files;
  files.write(TestCertificate({.common_name = "site", .names = "DNS:site.example"}));
  const auto contexts = ReloadableContext::load(files.options());
  REQUIRE(contexts.has_value());
  std::vector<std::string> names(2);
  std::vector<std::thread> threads;
  for (std::string& name : names) {
    threads.emplace_back([&] {
      name = "site";
      for (int i = 0; i != 20; ++i) {
        const std::string now = served(**contexts);
        if (now != "site") name = now;
      }
    });
  }
  for (int i = 0; i != 20; ++i) CHECK((*contexts)->reload().has_value());
  for (std::thread& thread : threads) thread.join();
  CHECK(names == std::vector<std::string>{"site", "site"});
}

}  // namespace volt::tls
