#include "http/serve/connection_record.h"

namespace volt::http::serve {

ConnectionRecord::ConnectionRecord(TcpStream& stream, Traffic* traffic) noexcept
    : stream_(stream), traffic_(traffic), task_(this_task_id()), opened_(Clock::now()) {}

ConnectionRecord::~ConnectionRecord() {
  if (under_way() && !answered_) record(0);
  end_request();
}

void ConnectionRecord::begin_request(std::uint32_t route, Method method) noexcept {
  requests_.store(requests_.load(base::relaxed) + 1, base::relaxed);  // relaxed: one writer; readers only report
  route_.store(route, base::relaxed);                                 // relaxed: as above
  under_way_.store(true, base::relaxed);                              // relaxed: as above
  if (traffic_ == nullptr) return;
  method_ = method;
  answered_ = false;
  began_ = Clock::now();
  traffic_->enter();
}

void ConnectionRecord::answered(Status status) noexcept {
  record(code(status));
  answered_ = true;
}

void ConnectionRecord::record(unsigned status) noexcept {
  if (traffic_ == nullptr) return;
  if (under_way()) {
    traffic_->record(*last_route(), method_, status, Clock::now() - began_);
  } else {
    traffic_->record(traffic_->no_route(), std::nullopt, status, std::chrono::nanoseconds(0));
  }
}

void ConnectionRecord::end_request() noexcept {
  if (!under_way()) return;
  if (traffic_ != nullptr) traffic_->leave();
  under_way_.store(false, base::relaxed);  // relaxed: one writer; readers only report
}

std::optional<std::uint32_t> ConnectionRecord::last_route() const noexcept {
  const std::uint32_t route = route_.load(base::relaxed);  // relaxed: a report
  return route == kNone ? std::nullopt : std::optional(route);
}

ConnectionInfo ConnectionRecord::info() const {
  const Result<Address> peer = stream_.peer_address();
  return {.task = task_,
          .peer = peer ? peer->to_string() : std::string(),
          .age = Clock::now() - opened_,
          .requests = requests_.load(base::relaxed),  // relaxed: a report
          .route = under_way() ? last_route() : std::nullopt};
}

}  // namespace volt::http::serve
