// SPDX-License-Identifier: MIT

#include "http/http1/internal/host_check.h"

#include <algorithm>

#include "http/message/host.h"

namespace volt::http::http1 {

bool HostCheck::valid(std::string_view host) noexcept {
  if (size_ != 0 && host == std::string_view(bytes_.data(), size_)) return true;
  if (!message::valid_host(host)) return false;
  if (host.size() <= kBytesMax) {
    std::ranges::copy(host, bytes_.begin());
    size_ = host.size();
  }
  return true;
}

}  // namespace volt::http::http1
