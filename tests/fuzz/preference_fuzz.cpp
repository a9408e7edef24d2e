// SPDX-License-Identifier: MIT

// libFuzzer: preferences and media types of any bytes are views into the input, within bounds, and well-formed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/ascii.h"
#include "http/message/media_type_value.h"
#include "http/message/quality_list.h"
#include "http/multipart/internal/multipart_boundary.h"
#include "runtime/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http;
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const message::QualityList list(text);
  VOLT_CHECK(list.size() <= message::QualityList::kElementsMax);
  for (const auto& [value, q] : list) {
    VOLT_CHECK(!value.empty() && message::trim_ows(value) == value && message::is_field_value(value));
    VOLT_CHECK(q >= 0 && q <= message::kFullQuality);
    VOLT_CHECK(text.find(value) != std::string_view::npos);
    const message::QualityList again(value);  // without its weight, unless all its parameters are empty
    VOLT_CHECK(again.size() == 1 && again[0].q == message::kFullQuality);
  }

  if (const auto media_type = message::MediaTypeValue::parse(text)) {
    VOLT_CHECK(message::is_token(media_type->type()) && message::is_token(media_type->subtype()));
    if (const auto charset = media_type->charset()) VOLT_CHECK(message::is_field_value(*charset));
  }
  if (const auto boundary = multipart::multipart_boundary(text)) {
    VOLT_CHECK(!boundary->empty() && boundary->size() <= multipart::kBoundaryBytesMax);
  }
  return 0;
}
