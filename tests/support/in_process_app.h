// SPDX-License-Identifier: MIT

// Asks an app one thing, in process: its service, its middleware and its handlers, but no connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "http/server/internal/respond.h"
#include "http/server/internal/service.h"
#include "http/web/body_writer.h"
#include "runtime/runtime.h"
#include "tests/http/message/fields_of.h"
#include "tests/support/engine.h"

namespace volt::test {

// A connection whose other end is at that address.
class PeerAt final : public http::ConnectionAttributes {
 public:
  PeerAt(std::string_view address, bool secure) : address_(*Address::parse(address)), secure_(secure) {}
  [[nodiscard]] std::optional<Address> peer() const noexcept override { return address_; }
  [[nodiscard]] bool secure() const noexcept override { return secure_; }

 private:
  Address address_;
  bool secure_;
};

// The bytes that a streamed body wrote, and when they were flushed.
class CollectingWriter final : public http::BodyWriter {
 public:
  [[nodiscard]] Task<> write(std::string_view data) override {
    text += data;
    ++writes;
    co_return;
  }
  [[nodiscard]] Task<> flush() override {
    flushed_at.push_back(text.size());
    co_return;
  }
  [[nodiscard]] Task<> write_file(int, std::uint64_t, std::uint64_t) override { throw http::Disconnected(); }
  void trailer(std::string_view name, std::string_view value) override { trailers.add(name, value); }
  [[nodiscard]] Task<> until_closing() override { co_return; }

  std::string text;
  int writes = 0;
  std::vector<std::size_t> flushed_at;  // sizes of `text`
  http::FieldList trailers;
};

struct AppRequest {
  http::Method method = http::Method::get;
  std::string path = "/";
  http::FieldsOf fields = {};
  std::string body = {};
  std::string peer = "192.0.2.1:1234";
  std::string host = "a";
  bool secure = false;
};

class InProcessApp {
 public:
  explicit InProcessApp(http::App app, RuntimeOptions options = test_options())
      : service_(std::move(app).release()), runtime_(options) {}

  [[nodiscard]] http::Response ask(const AppRequest& question) {
    return runtime_.block_on([&] { return respond(question); });
  }
  [[nodiscard]] http::Response get(std::string path, http::FieldsOf fields = {}) {
    return ask({.path = std::move(path), .fields = std::move(fields)});
  }
  // All of a body, streamed or not.
  [[nodiscard]] std::string body_of(http::Response& response) {
    if (response.stream() == nullptr) return std::string(response.body());
    CollectingWriter writer;
    runtime_.block_on([&] { return response.stream()->write_to(writer); });
    return writer.text;
  }

  // In a task.
  [[nodiscard]] Task<http::Response> respond(const AppRequest& question) {
    const std::size_t mark = question.path.find('?');
    const std::string_view path = std::string_view(question.path).substr(0, mark);
    const std::string_view query = mark == std::string::npos ? "" : std::string_view(question.path).substr(mark + 1);
    PeerAt peer(question.peer, question.secure);
    http::Request request({.method = question.method,
                           .target = question.path,
                           .path = path,
                           .query = query,
                           .host = question.host,
                           .fields = question.fields.view()},
                          question.body);
    request.set_connection(peer);
    http::Response response = co_await http::server::respond_later(service_.find(request), request);
    const bool has_body = question.method != http::Method::head && response.status() != http::Status::no_content;
    request.end_exchange({.outcome = http::ExchangeOutcome::complete,
                          .status = response.status(),
                          .body_bytes = has_body ? response.body().size() : 0});
    co_return response;
  }

  [[nodiscard]] Runtime& runtime() noexcept { return runtime_; }

 private:
  http::server::Service service_;  // before the runtime, whose tasks use it
  Runtime runtime_;
};

}  // namespace volt::test
