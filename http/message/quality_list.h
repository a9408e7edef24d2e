// SPDX-License-Identifier: MIT

// A client's preferences: the list `gzip;q=0.8, br, *;q=0` of Accept, Accept-Encoding and Accept-Language (RFC 9110
// sections 12.4.2 and 12.5).
//
// Threads: a value. Lifetime: the elements are views into the given lines.
// Errors: none. Malformed elements are skipped, and so are all elements after the first kElementsMax well-formed ones:
// preferences are advice, and refusing the request would help no client.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace volt::http::message {

inline constexpr int kFullQuality = 1000;

struct Weighted {
  std::string_view value;  // includes its parameters except the weight: `gzip`, `text/html;level=1`, `*`
  int q = kFullQuality;    // weight in thousandths, 0 to 1000; 0 means "not acceptable"

  bool operator==(const Weighted&) const = default;
};

// The elements of all lines in the order of the lines: several lines form one list (RFC 9110 section 5.3). Elements are
// neither sorted nor merged.
class QualityList {
 public:
  static constexpr std::size_t kElementsMax = 32;  // browsers send about five

  QualityList() = default;
  explicit QualityList(std::string_view line) noexcept { add(line); }
  // Reads all of `lines`, a range of views such as Fields::all("accept").
  template <class Lines>
    requires requires(const Lines& lines) { std::string_view(*lines.begin()); }
  explicit QualityList(const Lines& lines) noexcept {
    for (const std::string_view line : lines) add(line);
  }

  // Appends the elements of one more line.
  void add(std::string_view line) noexcept;

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const Weighted& operator[](std::size_t index) const noexcept { return elements_[index]; }
  const Weighted* begin() const noexcept { return elements_.data(); }
  const Weighted* end() const noexcept { return elements_.data() + size_; }

 private:
  std::array<Weighted, kElementsMax> elements_{};
  std::size_t size_ = 0;
};

}  // namespace volt::http::message
