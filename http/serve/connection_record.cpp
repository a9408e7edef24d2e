#include "http/serve/connection_record.h"

namespace volt::http::serve {

ConnectionRecord::ConnectionRecord(TcpStream& stream, Traffic* traffic) noexcept
    : stream_(stream), traffic_(traffic), task_(this_task_id()), opened_(Clock::now()) {}

ConnectionRecord::~ConnectionRecord() {
  const auto under_way = route();
  if (traffic_ != nullptr && under_way && !answered_) {
    traffic_->record(*under_way, method_, 0, Clock::now() - began_);
  }
  end_request();
}

void ConnectionRecord::begin_request(std::uint32_t route, Method method) noexcept {
  requests_.store(requests_.load(base::relaxed) + 1, base::relaxed);  // relaxed: one writer; readers only report
  route_.store(route, base::relaxed);                                 // relaxed: as above
  if (traffic_ == nullptr) return;
  method_ = method;
  answered_ = false;
  began_ = Clock::now();
  traffic_->enter();
}

void ConnectionRecord::answered(Status status) noexcept {
  if (traffic_ == nullptr) return;
  if (const auto under_way = route()) {
    traffic_->record(*under_way, method_, code(status), Clock::now() - began_);
    answered_ = true;
  } else {
    traffic_->record(traffic_->no_route(), std::nullopt, code(status), std::chrono::nanoseconds(0));
  }
}

void ConnectionRecord::end_request() noexcept {
  if (traffic_ != nullptr && route()) traffic_->leave();
  route_.store(kNoRequest, base::relaxed);  // relaxed: one writer; readers only report
}

std::optional<std::uint32_t> ConnectionRecord::route() const noexcept {
  const std::uint32_t route = route_.load(base::relaxed);  // relaxed: a report
  return route == kNoRequest ? std::nullopt : std::optional(route);
}

ConnectionInfo ConnectionRecord::info() const {
  const Result<Address> peer = stream_.peer_address();
  return {.task = task_,
          .peer = peer ? peer->to_string() : std::string(),
          .age = Clock::now() - opened_,
          .requests = requests_.load(base::relaxed),  // relaxed: a report
          .route = route()};
}

}  // namespace volt::http::serve
