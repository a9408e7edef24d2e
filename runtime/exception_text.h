// SPDX-License-Identifier: MIT

// ExceptionText: the type and the message of an exception, for log lines.
//
// Threads: a value of one thread. Lifetime: the views are valid as long as the object.
#pragma once

#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>

namespace volt {

class ExceptionText {
 public:
  // `error` must not be null.
  explicit ExceptionText(std::exception_ptr error) noexcept;

  // Returns the name of the type, for example "std::out_of_range".
  [[nodiscard]] std::string_view type() const noexcept { return type_; }
  // Returns the message of a std::exception, or the text if a text was thrown; for other types a text that says so.
  [[nodiscard]] std::string_view message() const noexcept { return message_; }

 private:
  std::exception_ptr error_;  // keeps the message alive
  std::unique_ptr<char, decltype(&std::free)> demangled_{nullptr, &std::free};
  std::string_view type_ = "unknown";  // of an exception from another language
  std::string_view message_ = "an exception without a message";
};

}  // namespace volt
