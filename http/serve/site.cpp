#include "http/serve/site.h"

#include "http/serve/wire.h"

namespace volt::http::serve {

std::string_view DateCache::view(std::chrono::nanoseconds monotonic_now) noexcept {
  if (monotonic_now >= next_) {
    using namespace std::chrono;
    const auto now = system_clock::now();
    const auto second = floor<seconds>(now);
    date_ = codec::HttpDate(second);
    next_ = monotonic_now + duration_cast<nanoseconds>(second + seconds(1) - now);
  }
  return date_.view();
}

std::unique_ptr<Exchange> Site::take_exchange() {
  auto& exchanges = shelves_.local().exchanges;
  if (exchanges.empty()) return std::make_unique<Exchange>(options.limits);
  auto exchange = std::move(exchanges.back());
  exchanges.pop_back();
  return exchange;
}

void Site::put_exchange(std::unique_ptr<Exchange> exchange) noexcept {
  auto& exchanges = shelves_.local().exchanges;
  if (exchanges.size() >= Shelf::kExchangesMax || !exchange->recycle()) return;
  exchanges.push_back(std::move(exchange));  // within what Shelf() reserved
}

void Site::add_connection(Wire& wire) {
  const std::scoped_lock lock(mutex_);
  connections_.insert(&wire);
}

void Site::remove_connection(Wire& wire) noexcept {
  const std::scoped_lock lock(mutex_);
  connections_.erase(&wire);
}

std::size_t Site::connection_count() const noexcept {
  const std::scoped_lock lock(mutex_);
  return connections_.size();
}

void Site::interrupt_connections() noexcept {
  const std::scoped_lock lock(mutex_);
  for (Wire* wire : connections_) wire->interrupt_read();
}

}  // namespace volt::http::serve
