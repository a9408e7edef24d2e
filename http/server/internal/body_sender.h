// BodySender: the body of an answer that is produced while it is sent.
//
// Threads: the connection's task. Lifetime: while the body is produced.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/message/headers.h"
#include "http/server/internal/exchange.h"
#include "http/server/internal/patience.h"
#include "http/server/internal/wire.h"
#include "http/server/response_encoder.h"
#include "http/server/site.h"
#include "http/web/body_writer.h"

namespace volt::http::server {

class BodySender final : public BodyWriter {
 public:
  // `size` counts if the body's end is told by its length.
  BodySender(Wire& wire, Exchange& exchange, Site& site, server::BodyEnd end, std::uint64_t size) noexcept
      : wire_(wire), exchange_(exchange), site_(site), patience_(site.options), end_(end), left_bytes_(size) {}

  [[nodiscard]] Task<> write(std::string_view data) override;
  [[nodiscard]] Task<> flush() override;
  [[nodiscard]] Task<> write_file(int fd, std::uint64_t offset, std::uint64_t size) override;
  void trailer(std::string_view name, std::string_view value) override;
  [[nodiscard]] Task<> until_closing() override;

  // The producer is done: sends the rest. Throws std::length_error if it wrote less than it had said.
  [[nodiscard]] Task<> finish();

  // Something of the answer may have left.
  [[nodiscard]] bool has_begun() const noexcept { return begun_; }
  // Bytes of the client were dropped: what follows cannot be read as a request.
  [[nodiscard]] bool has_dropped() const noexcept { return dropped_; }

 private:
  void compose(std::string_view data);
  [[nodiscard]] Task<> send_file(int fd, std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Task<> copy_file(int fd, std::uint64_t offset, std::uint64_t size);
  void take_from_promised(std::uint64_t size);

  Wire& wire_;
  Exchange& exchange_;
  Site& site_;
  Patience patience_;
  const server::BodyEnd end_;
  std::uint64_t left_bytes_;
  bool begun_ = false;
  bool dropped_ = false;
  FieldList trailers_;
};

}  // namespace volt::http::server
