// SPDX-License-Identifier: MIT

#include <stdexcept>

#include "http/client/client.h"
#include "http/message/ascii.h"
#include "http/message/hop_by_hop.h"
#include "http/message/host.h"

namespace volt::http {
namespace {

void require_own(std::string_view name, std::string_view value) {
  if (message::is_connection_field(name)) {
    throw std::invalid_argument("the client writes the field " + std::string(name) + " itself: do not set it");
  }
  if (message::equal_ignoring_case(name, "host") && !message::valid_host(value)) {
    throw std::invalid_argument("the Host field is not a valid host");
  }
}

}  // namespace

ClientRequest& ClientRequest::header(std::string_view name, std::string_view value) & {
  require_own(name, value);
  fields_.set(name, value);
  return *this;
}

ClientRequest& ClientRequest::add_header(std::string_view name, std::string_view value) & {
  if (message::equal_ignoring_case(name, "host")) return header(name, value);
  require_own(name, value);
  fields_.add(name, value);
  return *this;
}

ClientRequest& ClientRequest::remove_header(std::string_view name) & {
  fields_.remove(name);
  return *this;
}

ClientRequest& ClientRequest::forward(const Fields& fields) & {
  const message::EndToEndFields end_to_end(fields);
  for (const Field& field : fields) {
    const bool is_host = message::equal_ignoring_case(field.name, "host");
    const bool is_ambiguous = field.name.contains('_');
    if (!is_host && !is_ambiguous && end_to_end.contains(field.name)) fields_.add(field.name, field.value);
  }
  return *this;
}

ClientRequest& ClientRequest::body(std::string body, std::string_view content_type) & {
  fields_.set("Content-Type", content_type);
  body_ = std::move(body);
  stream_.reset();
  return *this;
}

ClientRequest& ClientRequest::body(std::unique_ptr<ClientBody> body) & {
  body_.clear();
  stream_ = std::move(body);
  return *this;
}

ClientRequest& ClientRequest::upgrade(std::string_view protocol) & {
  if (!message::is_token(protocol)) throw std::invalid_argument("the protocol to upgrade to is not a token");
  upgrade_ = protocol;
  return *this;
}

ClientRequest& ClientRequest::on_interim(std::function<void(Status, const Fields&)> function) & {
  on_interim_ = std::move(function);
  return *this;
}

ClientRequest& ClientRequest::idempotent() & {
  idempotent_ = true;
  return *this;
}

ClientRequest& ClientRequest::hedge_after(std::chrono::nanoseconds delay) & {
  if (delay < std::chrono::nanoseconds(0)) throw std::invalid_argument("the delay of a hedge is negative");
  hedge_after_ = delay;
  return *this;
}

ClientRequest& ClientRequest::deadline(Deadline deadline) & {
  deadline_ = deadline;
  return *this;
}

ClientRequest& ClientRequest::via(const Address& address) & {
  via_ = address;
  return *this;
}

}  // namespace volt::http
