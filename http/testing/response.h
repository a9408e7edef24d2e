// SPDX-License-Identifier: MIT

// TestResponse: a response that a TestClient received.
//
// Threads: a value. Errors: TestFailure, which fails a test that does not expect it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/message/status.h"
#include "http/message/version.h"

namespace volt::http {

// Thrown if the server misbehaves: it sends no response in time or an invalid one, or closes the connection too early.
class TestFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A status that can be compared with numbers and names: `response.status() == 201`.
class TestStatus {
 public:
  constexpr TestStatus(Status status = Status{}) noexcept : status_(status) {}  // NOLINT: implicit by design
  constexpr operator int() const noexcept { return code(status_); }             // NOLINT: so is this
  friend constexpr bool operator==(TestStatus a, Status b) noexcept { return a.status_ == b; }
  friend constexpr bool operator==(TestStatus a, TestStatus b) noexcept { return a.status_ == b.status_; }

 private:
  Status status_;
};

struct TestField {
  std::string name;
  std::string value;

  bool operator==(const TestField&) const = default;
};

// Returns the value of the first field of that name (case-insensitive). Valid as long as the fields.
std::optional<std::string_view> find_field(const std::vector<TestField>& fields, std::string_view name) noexcept;

namespace testing {
class ResponseReader;
}

class TestResponse {
 public:
  TestStatus status() const noexcept { return status_; }
  const std::string& reason() const noexcept { return reason_; }
  Version version() const noexcept { return version_; }

  // Returns the value of the first field of that name (case-insensitive). Valid as long as the response.
  std::optional<std::string_view> header(std::string_view name) const noexcept { return find_field(headers_, name); }
  // The fields in the order of the response.
  const std::vector<TestField>& headers() const noexcept { return headers_; }

  const std::string& body() const noexcept { return body_; }
  // Reads the body as JSON. Throws TestFailure if it is not the JSON of a T.
  template <class T>
  T json() const {
    auto value = from_json<T>(body_);
    if (!value) throw_no_json(value.error());
    return *std::move(value);
  }

  // Returns the value of the first <input> element with this name in a page, with its character references decoded.
  std::optional<std::string> input(std::string_view name) const;

  std::optional<std::string_view> trailer(std::string_view name) const noexcept { return find_field(trailers_, name); }
  const std::vector<TestField>& trailers() const noexcept { return trailers_; }

  // The interim (1xx) responses before this one.
  const std::vector<TestStatus>& interim() const noexcept { return interim_; }
  // Returns whether the connection ends after this response.
  bool closes() const noexcept { return closes_; }

 private:
  friend class testing::ResponseReader;
  [[noreturn]] void throw_no_json(const JsonError& error) const;

  TestStatus status_;
  std::string reason_;
  Version version_ = Version::http_1_1;
  std::vector<TestField> headers_;
  std::string body_;
  std::vector<TestField> trailers_;
  std::vector<TestStatus> interim_;
  bool closes_ = false;
};

}  // namespace volt::http
