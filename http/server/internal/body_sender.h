// SPDX-License-Identifier: MIT

// BodySender: sends the body of a response while its producer writes it.
//
// Threads: the connection's task. Lifetime: until the body has been sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/headers.h"
#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/request_watch.h"
#include "http/server/internal/transfer_timeout.h"
#include "http/server/response_encoder.h"
#include "http/server/server_state.h"
#include "http/web/body_writer.h"

namespace volt::http::server {

class BodySender final : public BodyWriter {
 public:
  // `size` is the body's size in bytes; ignored unless `end` is BodyFraming::length.
  // From the producer's first write() or flush() on, `watch` counts a FIN as a hangup: the producer may then wait for
  // something else than the client. While a file is sent, no FIN is counted: the sender waits only for the client, and
  // the connection of a client that has disappeared is reset.
  BodySender(IoChannel& io_channel, RequestContext& request_context, ServerState& server_state, RequestWatch& watch,
             server::BodyFraming end, std::uint64_t size) noexcept
      : channel_(io_channel),
        context_(request_context),
        server_state_(server_state),
        watch_(watch),
        transfer_timeout_(server_state.options),
        end_(end),
        left_bytes_(size) {}

  [[nodiscard]] Task<> write(std::string_view data) override;
  [[nodiscard]] Task<> flush() override;
  [[nodiscard]] Task<> write_file(int fd, std::uint64_t offset, std::uint64_t size) override;
  void trailer(std::string_view name, std::string_view value) override;
  [[nodiscard]] Task<> until_closing() override;

  // Sends the rest of the body. Must be called after the producer has returned. Throws std::length_error if the
  // producer wrote less than the size that the head announces, and std::runtime_error if one of its writes did not take
  // all of its data: the client must not take what it has for the whole body.
  [[nodiscard]] Task<> finish();

  // True if the client has taken the body too slowly, so that the last call has thrown Disconnected.
  [[nodiscard]] bool timed_out() const noexcept { return timed_out_; }
  // True if bytes of the client were dropped. The bytes after them cannot be read as a request, so the connection must
  // be closed.
  [[nodiscard]] bool has_dropped() const noexcept { return dropped_; }

 private:
  void compose(std::string_view data);
  [[nodiscard]] Task<> send();
  [[noreturn]] void give_up(const Result<void>& sent);
  [[nodiscard]] Task<> send_file(int fd, std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Task<> copy_file(int fd, std::uint64_t offset, std::uint64_t size);
  // Composes the next part of the file. Returns its size in bytes, which is not 0.
  [[nodiscard]] std::size_t compose_file(int fd, std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Result<std::size_t> drop_received();
  void take_from_content_length(std::uint64_t size);
  void require_complete() const;

  IoChannel& channel_;
  RequestContext& context_;
  ServerState& server_state_;
  RequestWatch& watch_;
  TransferTimeout transfer_timeout_;
  const server::BodyFraming end_;
  std::uint64_t left_bytes_;
  bool timed_out_ = false;
  bool dropped_ = false;
  bool incomplete_ = false;  // a write has not taken all of its data
  FieldList trailers_;
};

}  // namespace volt::http::server
