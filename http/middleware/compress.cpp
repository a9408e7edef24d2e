// SPDX-License-Identifier: MIT

#include "http/middleware/compress.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "http/coding/coded_entity_tag.h"
#include "http/coding/compressible.h"
#include "http/coding/negotiation.h"
#include "http/files/entity_tag.h"
#include "http/middleware/internal/encoded_body.h"
#include "http/middleware/internal/vary.h"
#include "http/web/body_writer.h"

namespace volt::http {
namespace {

using middleware::EncodedBody;
using middleware::WorkerEncoders;

constexpr std::size_t kSliceBytes = 64 * 1024;  // bytes that are compressed between two yields to other tasks

// Returns whether the client already has this response, by its If-None-Match (RFC 9110 section 13.1.2).
bool client_has(const Request& request, const Response& response) noexcept {
  const bool reads = request.method() == Method::get || request.method() == Method::head;
  const auto field = response.header("etag");
  if (!reads || response.status() != Status::ok || !field || !request.headers().contains("if-none-match")) return false;
  const files::Existing existing{.tag = files::parse_entity_tag(*field)};
  return files::match_tags(request.headers().all("if-none-match"), existing, files::weakly_equal) ==
         files::TagMatch::some;
}

Task<std::string> encode(std::string_view plain, coding::Encoder& encoder) {
  std::string coded;
  while (plain.size() > kSliceBytes) {
    encoder.update(plain.substr(0, kSliceBytes), coded);
    plain.remove_prefix(kSliceBytes);
    co_await yield();
  }
  encoder.finish(plain, coded);
  co_return coded;
}

class Compress {
 public:
  explicit Compress(CompressOptions options)
      : options_(std::move(options)),
        encoders_(std::make_unique<WorkerEncoders>(
            coding::EncoderPoolOptions{.idle_max = options_.idle_encoders_max, .levels = options_.levels})) {}

  Task<Response> operator()(Request& request, Next next) {
    Response response = co_await next(request);
    if (response.status() == Status::not_modified) middleware::vary_on(response, "Accept-Encoding");
    if (!is_worth_it(response)) co_return response;
    middleware::vary_on(response, "Accept-Encoding");
    const ContentCoding coding =
        coding::choose_coding(request.headers(), options_.codings).value_or(ContentCoding::identity);
    if (coding == ContentCoding::identity) co_return response;
    if (response.stream() != nullptr) {
      const bool events = coding::needs_flush_per_event(response.content_type());
      response.replace_body(std::make_unique<EncodedBody>(response.take_stream(), coding, events, *encoders_));
    } else {
      std::unique_ptr<coding::Encoder> encoder = encoders_->take(coding);
      std::string coded = co_await encode(response.body(), *encoder);
      encoders_->give_back(std::move(encoder));
      if (coded.size() >= response.body().size()) co_return response;
      response.replace_body(std::move(coded));
    }
    describe(response, coding);
    if (client_has(request, response)) response.status(Status::not_modified).replace_body(std::string());
    co_return response;
  }

 private:
  bool is_worth_it(const Response& response) const noexcept {
    if (!options_.event_streams && coding::needs_flush_per_event(response.content_type())) return false;
    return coding::worth_compressing(response.status(), response.content_type(), response.headers(),
                                     response.body_size(), {.bytes_min = options_.bytes_min});
  }

  static void describe(Response& response, ContentCoding coding) {
    response.header("Content-Encoding", to_string(coding));
    response.remove_header("Accept-Ranges");
    const auto tag = response.header("etag");
    if (!tag) return;
    const std::string coded_tag = coding::coded_entity_tag(*tag, coding);
    response.header("ETag", coded_tag);
  }

  CompressOptions options_;
  std::unique_ptr<WorkerEncoders> encoders_;
};

}  // namespace

Middleware compress(CompressOptions options) {
  if (!std::ranges::all_of(options.codings, coding::can_encode)) {
    throw std::invalid_argument("compress: only gzip, br and zstd can be encoded");
  }
  return Middleware(Compress(std::move(options)));
}

}  // namespace volt::http
