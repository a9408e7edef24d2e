// SPDX-License-Identifier: MIT

// Secrets of a program. Secret is the type of a setting that --print-config, messages and JSON do not show. The setting
// `token` has a second one, `token_file`: a file with the secret, such as those that Docker and Kubernetes mount, and
// systemd's credentials. Unlike a flag or an environment variable, such a file's content does not appear in ps(1), in
// /proc or in a dump. secret_from_file() reads such a file without a setting.
//
//   struct Shop { volt::Secret token; };       // SHOP_TOKEN_FILE=/run/secrets/token
//   app.use(http::sessions({.keys = http::CookieKeys({config::secret_from_file("/run/secrets/cookies")})}));
//
// Threads: a Secret is a value. secret_from_file() blocks on the file, so call it while the app is built.
#pragma once

#include <string>
#include <utility>

#include "crypto/secret_bytes.h"

namespace volt {

// Overwrites its text when it is destroyed.
class Secret {
 public:
  Secret() = default;
  Secret(std::string text, std::string file = {})  // NOLINT: implicit, so that a member can have an initializer
      : text_(std::move(text)), file_(std::move(file)) {}
  Secret(const Secret&) = default;
  Secret(Secret&&) noexcept = default;
  Secret& operator=(Secret other) noexcept {
    text_.swap(other.text_);  // `other` overwrites the previous text
    file_.swap(other.file_);
    return *this;
  }
  ~Secret() { crypto::wipe(text_); }

  // Returns the secret. The reference is valid as long as this object.
  [[nodiscard]] const std::string& reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  // Returns the path of the file from which the secret was read; empty if it came from elsewhere.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  std::string text_;
  std::string file_;
};

}  // namespace volt

namespace volt::config {

// Returns the content of a file, at most 64 KiB, without one trailing newline. Throws std::invalid_argument, which
// names the file and the error, if the file cannot be read, is empty or is larger.
[[nodiscard]] std::string secret_from_file(const std::string& path);

}  // namespace volt::config
