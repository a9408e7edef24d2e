// SPDX-License-Identifier: MIT

// InProcessApp: calls an app in process, without a socket or a parser; request bodies arrive in pieces.
//
// Threads: the test's thread; handlers run on the workers of a runtime. Lifetime: responses own their data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "http/server/internal/respond.h"
#include "http/server/internal/service.h"
#include "http/web/body_source.h"
#include "http/web/problem.h"
#include "runtime/runtime.h"
#include "tests/http/files/request_fields.h"
#include "tests/support/engine.h"

namespace volt::http {

// A body whose pieces are in separate blocks. Each block is freed when the next piece is read, so that a stale view is
// an error under ASan.
class PiecedBody final : public BodySource {
 public:
  PiecedBody(std::string body, std::size_t piece_bytes) : body_(std::move(body)), piece_bytes_(piece_bytes) {}

  Task<std::optional<std::string_view>> next() override {
    if (at_end()) co_return std::nullopt;
    const std::string_view piece = std::string_view(body_).substr(begin_, piece_bytes_);
    begin_ += piece.size();
    require_room();
    block_ = std::make_unique<char[]>(piece.size());
    std::ranges::copy(piece, block_.get());
    co_return std::string_view(block_.get(), piece.size());
  }
  Task<std::string_view> rest() override {
    rest_ = body_.substr(std::exchange(begin_, body_.size()));
    require_room();
    co_return rest_;
  }
  [[nodiscard]] bool at_end() const noexcept override { return begin_ == body_.size(); }
  void limit(std::uint64_t bytes_max) noexcept override { bytes_max_ = bytes_max; }
  [[nodiscard]] Fields trailers() const noexcept override { return {}; }

 private:
  void require_room() const {
    if (begin_ > bytes_max_) throw Problem(Status::content_too_large);
  }

  std::string body_, rest_;
  std::size_t piece_bytes_;
  std::size_t begin_ = 0;
  std::uint64_t bytes_max_ = 1024 * 1024;
  std::unique_ptr<char[]> block_;
};

struct AppRequest {
  Method method = Method::get;
  std::string path = "/";
  std::string query = {};
  files::FieldPairs fields = {};
  std::string body = {};
  std::size_t piece_bytes = 5;
};

class InProcessApp {
 public:
  explicit InProcessApp(App app) : service_(std::move(app).release()), runtime_(test_options()) {}

  [[nodiscard]] Response ask(const AppRequest& question) {
    const auto asking = [&]() -> Task<Response> {
      const files::RequestFields fields(question.fields);
      PiecedBody body(question.body, question.piece_bytes);
      Request request(message::RequestHead{.method = question.method,
                                           .target = question.path,
                                           .path = question.path,
                                           .query = question.query,
                                           .host = "example.com",
                                           .fields = fields.view()},
                      {}, &body);
      co_return co_await server::respond_later(service_.find(request), request);
    };
    return runtime_.block_on(asking);
  }

 private:
  server::Service service_;
  Runtime runtime_;
};

}  // namespace volt::http
