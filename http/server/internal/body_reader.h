// SPDX-License-Identifier: MIT

// BodyReader: reads the body of a request while the handler runs.
//
// Threads: the connection's task. Lifetime: that of the connection; it is used for one request after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/transfer_timeout.h"
#include "http/server/server_state.h"
#include "http/web/body_source.h"

namespace volt::http::server {

class RequestWatch;

class BodyReader final : public BodySource {
 public:
  BodyReader(IoChannel& io_channel, RequestContextLease& request_context, ServerState& server_state,
             RequestTimes& times) noexcept
      : channel_(io_channel),
        context_(request_context),
        server_state_(server_state),
        times_(times),
        transfer_timeout_(server_state.options),
        continue_timeout_(server_state.options) {}

  // Sets the watch that is told when the whole body has been received, or null. It must be valid until the next call.
  void set_watch(RequestWatch* watch) noexcept { watch_ = watch; }
  // Prepares for the next request.
  void reset() noexcept {
    continue_ = Continue::none;
    failed_ = false;
    transfer_timeout_.begin();
    continue_timeout_.pause();
  }
  // True if the body is malformed or was not received: no further request can be read from the connection.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  // True if the client waits for a 100 (RFC 9110 section 10.1.1) before it sends the body, and none was composed.
  [[nodiscard]] bool awaits_continue() const noexcept {
    return continue_ == Continue::none && context_->decoder().expect_continue() && !context_->body_done();
  }

  [[nodiscard]] Task<std::optional<std::string_view>> next() override;
  [[nodiscard]] Task<std::string_view> rest() override;
  [[nodiscard]] bool at_end() const noexcept override { return context_->body_done(); }
  void limit(std::uint64_t bytes_max) noexcept override { context_->limit_body(bytes_max); }
  [[nodiscard]] Fields trailers() const noexcept override { return context_->decoder().trailers(); }
  bool send_interim(const Response& interim) override;

 private:
  // How far the 100 has come; `composed`: some of it may not have been sent.
  enum class Continue : std::uint8_t { none, composed, sent };

  [[nodiscard]] Task<> receive();
  void tell_watch();
  [[nodiscard]] Task<> write_continue();
  [[nodiscard]] Task<> await_memory();
  [[noreturn]] void fail(Status status);
  [[noreturn]] void disconnect();

  IoChannel& channel_;
  RequestContextLease& context_;
  ServerState& server_state_;
  RequestTimes& times_;
  TransferTimeout transfer_timeout_;  // of the body
  TransferTimeout continue_timeout_;  // of the 100
  RequestWatch* watch_ = nullptr;
  Continue continue_ = Continue::none;
  bool failed_ = false;
};

}  // namespace volt::http::server
