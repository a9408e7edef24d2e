// SPDX-License-Identifier: MIT

#include "http/testing/request.h"

#include <algorithm>
#include <stdexcept>

#include "http/http1/chunk_encoder.h"
#include "http/message/headers.h"
#include "http/message/percent.h"
#include "http/testing/internal/call.h"

namespace volt::http {
namespace {

void append_line(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

// Returns whether requests with this method usually have a body. Then an empty body is sent with `Content-Length: 0`
// (RFC 9110 section 8.6).
bool anticipates_content(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch;
}

// Appends a name within a Content-Disposition field, encoded as browsers do (HTML Standard, section 4.10.22.8).
void append_quoted(std::string& text, std::string_view name) {
  text += '"';
  for (const char c : name) {
    if (c == '"' || c == '\r' || c == '\n') {
      text.append(c == '"' ? "%22" : c == '\r' ? "%0D" : "%0A");
    } else {
      text += c;
    }
  }
  text += '"';
}

void append_part(std::string& text, const TestPart& part) {
  text.append("Content-Disposition: form-data; name=");
  append_quoted(text, part.name);
  if (part.file_name) append_quoted(text.append("; filename="), *part.file_name);
  text.append("\r\n");
  if (!part.content_type.empty()) append_line(text, "Content-Type", part.content_type);
  text.append("\r\n").append(part.content).append("\r\n");
}

// Returns a boundary that occurs in no part.
std::string boundary_of(std::initializer_list<TestPart> parts) {
  std::string boundary = "part";
  const auto contains = [&boundary](const TestPart& part) { return part.content.contains(boundary); };
  while (std::ranges::any_of(parts, contains)) boundary += '-';
  return boundary;
}

}  // namespace

PendingResponse::PendingResponse(std::unique_ptr<testing::Call> call) noexcept : call_(std::move(call)) {}
PendingResponse::PendingResponse(PendingResponse&&) noexcept = default;
PendingResponse& PendingResponse::operator=(PendingResponse&&) noexcept = default;
PendingResponse::~PendingResponse() = default;

bool PendingResponse::done() {
  do {
    call_->harness().settle();
  } while (call_->step());
  return call_->over();
}

TestResponse PendingResponse::wait() {
  call_->await_all();
  return call_->reader().take();
}

TestRequest::TestRequest(testing::Harness& harness, Method method, std::string_view path)
    : harness_(&harness), method_(method), target_(path) {
  if (target_.empty() || target_.find_first_of(" \r\n") != std::string::npos) {
    throw std::invalid_argument("a request's path must not be empty or contain a space or a line break");
  }
}

TestRequest& TestRequest::header(std::string_view name, std::string_view value) {
  require_field(name, value);
  fields_.push_back({std::string(name), std::string(value)});
  return *this;
}

TestRequest& TestRequest::bearer(std::string_view token) {
  return header("Authorization", std::string("Bearer ").append(token));
}

TestRequest& TestRequest::cookie(std::string_view name, std::string_view value) {
  require_field("Cookie", std::string(name).append(value));
  cookies_.append(cookies_.empty() ? "" : "; ").append(name).append("=").append(value);
  return *this;
}

TestRequest& TestRequest::query(std::string_view name, std::string_view value) {
  target_ += target_.find('?') == std::string::npos ? '?' : '&';
  message::append_percent_encoded(name, target_);
  target_ += '=';
  message::append_percent_encoded(value, target_);
  return *this;
}

TestRequest& TestRequest::body(std::string body, std::string_view content_type) {
  if (!content_type.empty() && !has("content-type")) header("Content-Type", content_type);
  body_ = std::move(body);
  has_body_ = true;
  return *this;
}

TestRequest& TestRequest::form(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!text.empty()) text += '&';
    message::append_percent_encoded(name, text);
    text += '=';
    message::append_percent_encoded(value, text);
  }
  return body(std::move(text), "application/x-www-form-urlencoded");
}

TestRequest& TestRequest::multipart(std::initializer_list<TestPart> parts) {
  const std::string boundary = boundary_of(parts);
  std::string text;
  for (const TestPart& part : parts) append_part(text.append("--").append(boundary).append("\r\n"), part);
  text.append("--").append(boundary).append("--\r\n");
  return body(std::move(text), "multipart/form-data; boundary=" + boundary);
}

TestRequest& TestRequest::chunked(std::vector<std::string> pieces, std::string_view content_type) {
  std::string chunks;
  for (const std::string& piece : pieces) http1::append_chunk(piece, chunks);
  chunked_ = true;
  return body(std::move(chunks), content_type);
}

TestRequest& TestRequest::trailer(std::string_view name, std::string_view value) {
  require_field(name, value);
  append_line(trailer_lines_, name, value);
  return *this;
}

TestRequest& TestRequest::expect_continue() {
  expects_continue_ = true;
  return header("Expect", "100-continue");
}

TestRequest& TestRequest::version_1_0() {
  version_ = Version::http_1_0;
  return *this;
}

TestRequest& TestRequest::close() { return header("Connection", "close"); }

std::string TestRequest::head() const {
  std::string head(to_string(method_));
  head.append(" ").append(target_).append(version_ == Version::http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  if (!has("host")) append_line(head, "Host", "test");
  for (const TestField& field : fields_) append_line(head, field.name, field.value);
  if (harness_->is_same_origin() && !has("sec-fetch-site")) append_line(head, "Sec-Fetch-Site", "same-origin");
  if (const std::string cookies = cookie_line(); !cookies.empty()) append_line(head, "Cookie", cookies);
  if (chunked_) {
    append_line(head, "Transfer-Encoding", "chunked");
  } else if ((has_body_ || anticipates_content(method_)) && !has("content-length")) {
    append_line(head, "Content-Length", std::to_string(body_.size()));
  }
  return head.append("\r\n");
}

std::string TestRequest::cookie_line() const {
  std::string line = cookies_;
  for (const TestField& cookie : harness_->cookies()) {
    line.append(line.empty() ? "" : "; ").append(cookie.name).append("=").append(cookie.value);
  }
  return line;
}

testing::WireRequest TestRequest::compose() const {
  testing::WireRequest request{.method = method_,
                               .name = std::string(to_string(method_)).append(" ").append(target_),
                               .head = head(),
                               .body = body_,
                               .awaits_continue = expects_continue_ && version_ == Version::http_1_1};
  if (chunked_) http1::append_last_chunk(trailer_lines_, request.body);
  return request;
}

std::unique_ptr<testing::Call> TestRequest::call() const {
  return std::make_unique<testing::Call>(*harness_, compose());
}

TestResponse TestRequest::send() const { return PendingResponse(call()).wait(); }

PendingResponse TestRequest::start() const {
  PendingResponse pending(call());
  harness_->settle();
  return pending;
}

TestStream TestRequest::open() const {
  TestStream stream(call());
  return stream;
}

}  // namespace volt::http
