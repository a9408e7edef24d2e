// SPDX-License-Identifier: MIT

#include "http/server/internal/request_context_pool.h"

#include <algorithm>
#include <utility>

namespace volt::http::server {

std::unique_ptr<RequestContext> RequestContextPool::take() noexcept {
  if (contexts_.empty()) return nullptr;
  auto context = std::move(contexts_.back());
  contexts_.pop_back();
  bytes_ -= context->kept_bytes();
  surplus_ = std::min(surplus_, contexts_.size());
  return context;
}

void RequestContextPool::put(std::unique_ptr<RequestContext> context, std::chrono::nanoseconds now) noexcept {
  if (context->recycle() && contexts_.size() < kContextsMax && bytes_ + context->kept_bytes() <= kBytesMax) {
    bytes_ += context->kept_bytes();
    contexts_.push_back(std::move(context));  // never allocates: the constructor has reserved the room
  }
  if (now >= next_free_) free_surplus(now);
}

void RequestContextPool::clear() noexcept {
  contexts_.clear();
  bytes_ = surplus_ = 0;
}

void RequestContextPool::free_surplus(std::chrono::nanoseconds now) noexcept {
  const auto end = contexts_.begin() + static_cast<std::ptrdiff_t>(surplus_);
  std::for_each(contexts_.begin(), end, [this](const auto& context) { bytes_ -= context->kept_bytes(); });
  contexts_.erase(contexts_.begin(), end);
  surplus_ = contexts_.size();
  next_free_ = now + kSurplusInterval;
}

}  // namespace volt::http::server
