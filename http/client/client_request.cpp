#include <stdexcept>

#include "http/client.h"
#include "http/client/request_encoder.h"
#include "http/codec/host.h"
#include "http/message/ascii.h"

namespace volt::http {
namespace {

void require_own(std::string_view name, std::string_view value) {
  if (client::is_connection_field(name)) {
    throw std::invalid_argument("the client writes the field " + std::string(name) + " itself");
  }
  if (message::equal_ignoring_case(name, "host") && !codec::valid_host(value)) {
    throw std::invalid_argument("this is no host");
  }
}

// Whether Connection names the field, for the hop that is over.
bool named_by_connection(const Fields& fields, std::string_view name) {
  for (std::string_view list : fields.all("connection")) {
    while (!list.empty()) {
      if (message::equal_ignoring_case(message::take_list_element(list), name)) return true;
    }
  }
  return false;
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

ClientRequest& ClientRequest::forward(const Fields& fields) & {
  for (const Field& field : fields) {
    const bool stays = client::is_connection_field(field.name) || message::equal_ignoring_case(field.name, "host") ||
                       named_by_connection(fields, field.name);
    if (!stays) fields_.add(field.name, field.value);
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

ClientRequest& ClientRequest::via(const Address& address) & {
  via_ = address;
  return *this;
}

}  // namespace volt::http
