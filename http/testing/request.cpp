// SPDX-License-Identifier: MIT

#include "http/testing/request.h"

#include "http/http1/chunk_encoder.h"
#include "http/message/cookie.h"
#include "http/message/headers.h"
#include "http/message/percent.h"
#include "http/testing/internal/call.h"
#include "http/testing/internal/multipart_body.h"

namespace volt::http {
namespace {

constexpr std::string_view kHost = "test";  // of a request without a Host field

void append_line(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

// Returns whether requests with this method usually have a body. Then an empty body is sent with `Content-Length: 0`
// (RFC 9110 section 8.6).
bool anticipates_content(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch;
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

TestRequest::TestRequest(testing::Harness& harness, Method method, std::string_view path,
                         std::shared_ptr<TestCookies> cookies)
    : harness_(&harness), method_(method), target_(path), jar_(std::move(cookies)) {
  if (target_.empty() || target_.find_first_of(" \r\n") != std::string::npos) {
    throw std::invalid_argument("a request's path must not be empty or contain a space or a line break");
  }
}

TestRequest::TestRequest(const TestRequest&) = default;
TestRequest::TestRequest(TestRequest&&) noexcept = default;
TestRequest& TestRequest::operator=(const TestRequest&) = default;
TestRequest& TestRequest::operator=(TestRequest&&) noexcept = default;
TestRequest::~TestRequest() = default;

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
  if (!parts_.empty()) throw std::invalid_argument("a request with part() or file() has no other body");
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

void TestRequest::add_part(testing::Part part) {
  if (has_body_) throw std::invalid_argument("a request with a body has no part() or file()");
  require_field("Content-Type", part.content_type);
  parts_.push_back(std::move(part));
}

TestRequest& TestRequest::part(std::string_view name, std::string_view value) {
  add_part({.name = std::string(name), .content = std::string(value), .filename = {}, .content_type = {}});
  return *this;
}

TestRequest& TestRequest::file(std::string_view name, std::string_view filename, std::string content,
                               std::string_view content_type) {
  add_part({.name = std::string(name),
            .content = std::move(content),
            .filename = std::string(filename),
            .content_type = std::string(content_type)});
  return *this;
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

TestRequest& TestRequest::same_origin() {
  site_ = Site::same_origin;
  return *this;
}

TestRequest& TestRequest::cross_site() {
  site_ = Site::cross_site;
  return *this;
}

TestRequest& TestRequest::csrf_token(const TestResponse& page, std::string_view field, std::string_view header_name) {
  const auto token = page.input(field);
  if (!token) throw TestFailure("the page has no form with a field called " + std::string(field));
  return header(header_name, *token);
}

std::string TestRequest::head(std::size_t body_bytes, std::string_view boundary) const {
  std::string head(to_string(method_));
  head.append(" ").append(target_).append(version_ == Version::http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  if (!has("host")) append_line(head, "Host", kHost);
  for (const TestField& field : fields_) append_line(head, field.name, field.value);
  append_site(head);
  if (const std::string cookies = cookie_line(); !cookies.empty()) append_line(head, "Cookie", cookies);
  if (!boundary.empty() && !has("content-type")) {
    append_line(head, "Content-Type", std::string("multipart/form-data; boundary=").append(boundary));
  }
  if (chunked_) {
    append_line(head, "Transfer-Encoding", "chunked");
  } else if ((has_body_ || body_bytes > 0 || anticipates_content(method_)) && !has("content-length")) {
    append_line(head, "Content-Length", std::to_string(body_bytes));
  }
  return head.append("\r\n");
}

// Browsers send Origin with all methods but GET and HEAD (Fetch Standard, section 3.2).
void TestRequest::append_site(std::string& head) const {
  if (site_ == Site::unknown) return;
  const bool ours = site_ == Site::same_origin;
  if (!has("sec-fetch-site")) append_line(head, "Sec-Fetch-Site", ours ? "same-origin" : "cross-site");
  if (has("origin") || method_ == Method::get || method_ == Method::head) return;
  std::string origin = "https://attacker.example";
  if (ours) origin = std::string(field("x-forwarded-proto", "http")).append("://").append(field("host", kHost));
  append_line(head, "Origin", origin);
}

testing::CookieTarget TestRequest::cookie_target() const {
  return testing::cookie_target(field("host", kHost), target_, field("x-forwarded-proto", ""));
}

std::string TestRequest::cookie_line() const {
  std::string line = cookies_;
  if (!jar_) return line;
  for (const TestCookie& cookie : jar_->for_request(cookie_target(), harness_->now())) {
    if (message::find_cookie(cookies_, cookie.name)) continue;
    line.append(line.empty() ? "" : "; ").append(cookie.name).append("=").append(cookie.value);
  }
  return line;
}

testing::WireRequest TestRequest::compose() const {
  testing::WireRequest request{.method = method_,
                               .name = std::string(to_string(method_)).append(" ").append(target_),
                               .head = {},
                               .body = body_,
                               .awaits_continue = expects_continue_ && version_ == Version::http_1_1,
                               .cookies = jar_,
                               .cookie_target = cookie_target()};
  const std::string boundary = parts_.empty() ? std::string() : testing::boundary_for(parts_);
  if (!boundary.empty()) request.body = testing::multipart_body(parts_, boundary);
  if (chunked_) http1::append_last_chunk(trailer_lines_, request.body);
  request.head = head(request.body.size(), boundary);
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
