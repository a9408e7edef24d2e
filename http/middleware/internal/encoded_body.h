// SPDX-License-Identifier: MIT

// EncodedBody: a streamed body that is encoded in a content coding while it is written.
//
// Threads: as for StreamBody (http/web/body_writer.h). Lifetime: the encoders must outlive the body.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "http/coding/encoder_pool.h"
#include "http/web/body_writer.h"
#include "runtime/per_worker.h"

namespace volt::http::middleware {

// The idle encoders, in one pool per worker. Spare workers keep none.
class WorkerEncoders {
 public:
  explicit WorkerEncoders(const coding::EncoderPoolOptions& options) noexcept : options_(options) {}

  [[nodiscard]] std::unique_ptr<coding::Encoder> take(coding::ContentCoding coding) {
    return pools_.local(options_).take(coding);
  }
  void give_back(std::unique_ptr<coding::Encoder> encoder) {
    if (on_spare_worker()) return;  // nothing would free its pool when its thread has ended
    pools_.local(options_).give_back(std::move(encoder), coarse_now());
  }

  // Returns the number of idle encoders of all workers. No worker may use its encoders at the same time.
  [[nodiscard]] std::size_t idle(coding::ContentCoding coding) const {
    std::size_t count = 0;
    pools_.for_each([&](const coding::EncoderPool& pool) { count += pool.idle(coding); });
    return count;
  }

 private:
  coding::EncoderPoolOptions options_;
  PerWorker<coding::EncoderPool> pools_;
};

class EncodedBody final : public StreamBody {
 public:
  // If `flush_each_event` is true, flushes the encoder after each write that ends with an empty line. An empty line
  // ends a server-sent event, and an event must not wait inside the encoder.
  EncodedBody(std::unique_ptr<StreamBody> plain, coding::ContentCoding coding, bool flush_each_event,
              WorkerEncoders& encoders) noexcept
      : plain_(std::move(plain)), coding_(coding), flush_each_event_(flush_each_event), encoders_(encoders) {}

  [[nodiscard]] Task<> write_to(BodyWriter& out) override;

 private:
  std::unique_ptr<StreamBody> plain_;
  coding::ContentCoding coding_;
  bool flush_each_event_;
  WorkerEncoders& encoders_;
};

}  // namespace volt::http::middleware
