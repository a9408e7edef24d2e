// BodyReader: the body of a request that is read while the request is served.
//
// Threads: the connection's task. Lifetime: beside the connection's wire; for one request after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/server/internal/exchange.h"
#include "http/server/internal/patience.h"
#include "http/server/internal/wire.h"
#include "http/server/site.h"
#include "http/web/body_source.h"

namespace volt::http::server {

class BodyReader final : public BodySource {
 public:
  BodyReader(Wire& wire, ExchangeLease& exchange, Site& site) noexcept
      : wire_(wire), exchange_(exchange), site_(site), patience_(site.options) {}

  // A request begins.
  void reset() noexcept {
    promised_ = failed_ = false;
    patience_.begin();
  }
  // The connection cannot go on: the body is not as it should be.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  // The client waits to hear that its body is wanted.
  [[nodiscard]] bool awaits_promise() const noexcept {
    return !promised_ && exchange_->decoder().expect_continue() && !exchange_->body_done();
  }

  [[nodiscard]] Task<std::optional<std::string_view>> next() override;
  [[nodiscard]] Task<std::string_view> rest() override;
  [[nodiscard]] bool at_end() const noexcept override { return exchange_->body_done(); }
  void limit(std::uint64_t bytes_max) noexcept override { exchange_->limit_body(bytes_max); }
  [[nodiscard]] Fields trailers() const noexcept override { return exchange_->decoder().trailers(); }

 private:
  [[nodiscard]] Task<> receive();
  [[nodiscard]] Task<> promise_to_read();
  [[nodiscard]] Task<> await_memory();
  [[noreturn]] void fail(Status status);
  [[noreturn]] void disconnect();

  Wire& wire_;
  ExchangeLease& exchange_;
  Site& site_;
  Patience patience_;
  bool promised_ = false;
  bool failed_ = false;
};

}  // namespace volt::http::server
