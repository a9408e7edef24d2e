// SPDX-License-Identifier: MIT

// TLS when allocations fail: whichever allocation fails, the session fails or continues, and the next one is served.
#include <doctest/doctest.h>

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/forwarding_stream.h"
#include "tests/allocations/failing.h"
#include "tests/tls/client_server_pair.h"

namespace volt::tls {
namespace {

using test::ClientOptions;
using test::OpensslClient;
using test::TestCertificate;
using volt::test::Counted;
using volt::test::FailingAllocation;
using volt::test::NotCounted;

// Counts libcrypto's allocations from the first one on.
[[maybe_unused]] const bool kCounted = (volt::test::count_libcrypto(), true);

// A stream whose buffers are not counted: they stand for the peer's memory.
class PeerStream final : public ForwardingStream {
 public:
  PeerStream() noexcept : ForwardingStream(transport) {}
  Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    const NotCounted not_counted;
    return transport.try_read(into);
  }
  Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    const NotCounted not_counted;
    return transport.try_write(from);
  }
  test::MemoryStream transport;
};

struct Conversation {
  bool echoed = false;  // the server completed handshake and echo
  bool out_of_memory = false;
};

class Peers {
 public:
  explicit Peers(std::shared_ptr<const Context> context, const ClientOptions& options)
      : client_(options), server_(std::move(context)) {}

  // Performs a handshake, an echo and a close. All of the server's allocations count.
  bool converse() {
    if (!shake_hands()) return false;
    {
      const NotCounted not_counted;
      client_.write("hello");
      carry();
    }
    std::byte bytes[64];
    const auto count = server_.read(transport_, bytes);
    if (!count) return false;
    const auto written = server_.write(transport_, std::span(bytes).first(*count));
    if (!written) return false;
    server_.close_notify(transport_);
    const NotCounted not_counted;
    carry();
    return client_.read() == "hello";
  }

 private:
  bool shake_hands() {
    for (int round = 0; round != 20; ++round) {
      {
        const NotCounted not_counted;
        client_.handshake();
        carry();
        if (client_.failed()) return false;
      }
      const Result<internal::Progress> progress = server_.handshake(transport_);
      if (!progress) return false;
      const NotCounted not_counted;
      carry();
      client_.handshake();
      if (*progress == internal::Progress::done && client_.done()) return true;
    }
    return false;
  }
  void carry() {
    client_.feed(std::exchange(transport_.transport.outgoing, {}));
    transport_.transport.incoming += client_.take_output();
  }

  OpensslClient client_;
  internal::Session server_;
  PeerStream transport_;
};

}  // namespace

TEST_SUITE_BEGIN("allocations/tls");

TEST_CASE("a session with a failed allocation fails or continues, and the next session is served") {
  const TestCertificate site({.common_name = "site", .names = "DNS:site.example"});
  const auto context = test::load(test::options_for(site));
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    CAPTURE(version);
    const ClientOptions options{.server_name = "site.example", .protocols = "\x08http/1.1", .version = version};
    REQUIRE(Peers(context, options).converse());  // makes the allocations that are made only once
    std::uint64_t refused = 0;
    bool met = true;
    for (std::uint64_t number = 1; met; ++number) {
      CAPTURE(number);
      REQUIRE(number < 100'000);
      {
        Peers peers(context, options);
        const FailingAllocation failing(Counted::this_thread, number);
        bool served = false;
        try {
          served = peers.converse();
        } catch (const std::bad_alloc&) {  // decided: the connection's task would end with it
        }
        met = failing.met();
        REQUIRE((served || met));
        refused += served ? 0 : 1;
      }
      REQUIRE(Peers(context, options).converse());
    }
    CHECK(refused > 10);
  }
}

TEST_SUITE_END();

}  // namespace volt::tls
