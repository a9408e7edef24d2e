// SPDX-License-Identifier: MIT

// libFuzzer: text that a client writes before the part that a trusted proxy appends never changes the proxy's
// statement.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/forwarded.h"
#include "runtime/base/check.h"
#include "tests/http/message/fields_of.h"

namespace volt::http::message {
namespace {

const IpAddress kPeer = IpAddress::parse("10.0.0.1").value();
const IpAddress kClient = IpAddress::parse("203.0.113.7").value();
const std::vector kTrusted{Cidr::parse("10.0.0.0/8").value()};

IpAddress client(const std::string& name, const std::string& value, ForwardedField field) {
  const FieldsOf fields{{name, value}};
  return client_address(kPeer, fields.view(), field, kTrusted);
}

void check(const std::string& written) {
  using enum ForwardedField;
  client("Forwarded", written, forwarded);
  client("X-Forwarded-For", written, x_forwarded_for);
  parse_node(written);
  VOLT_CHECK(client("X-Forwarded-For", written + ", 203.0.113.7", x_forwarded_for) == kClient);
  VOLT_CHECK(client("X-Forwarded-For", written + ",203.0.113.7:1, [::ffff:10.0.0.2]:1", x_forwarded_for) == kClient);
  for (const std::string appended :
       {", for=203.0.113.7", ",for=\"203.0.113.7:1\"", ", by=\"_x\";for=203.0.113.7;host=\"a, b\\\"\", for=10.0.0.2"}) {
    VOLT_CHECK(client("Forwarded", written + appended, forwarded) == kClient);
  }
}

}  // namespace
}  // namespace volt::http::message

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  volt::http::message::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
