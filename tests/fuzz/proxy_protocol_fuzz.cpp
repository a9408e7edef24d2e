// SPDX-License-Identifier: MIT

// libFuzzer: a PROXY header is done or invalid from a certain byte on, and every shorter prefix needs more. A complete
// header is within the limits, and the bytes after it change nothing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/http1/proxy_protocol.h"
#include "runtime/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::http1;
  using State = ProxyHeader::State;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const ProxyHeader whole = decode_proxy_header(input);
  VOLT_CHECK(size < kProxyV2BytesMax || whole.state != State::need_more);
  VOLT_CHECK(whole.bytes <= size && whole.bytes <= kProxyV2BytesMax);
  VOLT_CHECK((whole.bytes != 0) == (whole.state == State::done));

  std::size_t received = 0;
  while (received < size && decode_proxy_header(input.substr(0, received)).state == State::need_more) ++received;
  VOLT_CHECK(decode_proxy_header(input.substr(0, received)) == whole);
  if (whole.state == State::done) VOLT_CHECK(received == whole.bytes);
  if (whole.state != State::need_more) VOLT_CHECK(decode_proxy_header(std::string(input) + "\r\n") == whole);
  return 0;
}
