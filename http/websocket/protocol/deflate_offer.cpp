// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/deflate_offer.h"

#include <string_view>
#include <utility>

#include "http/coding/message_deflate.h"

namespace volt::http::websocket {
namespace {

constexpr std::string_view kServerNoContext = "server_no_context_takeover";
constexpr std::string_view kClientNoContext = "client_no_context_takeover";
constexpr std::string_view kServerWindow = "server_max_window_bits";
constexpr std::string_view kClientWindow = "client_max_window_bits";

// The parameters of an offer, or of the response to one.
struct Offer {
  bool server_no_context_takeover = false;
  bool client_no_context_takeover = false;
  std::optional<int> server_max_window_bits;
  std::optional<int> client_max_window_bits;
};

// Parses a number from 8 to 15, without leading zeros (section 7.1.2).
std::optional<int> window_bits(std::string_view text) noexcept {
  if (text == "8" || text == "9") return text.front() - '0';
  if (text.size() == 2 && text[0] == '1' && text[1] >= '0' && text[1] <= '5') return 10 + (text[1] - '0');
  return std::nullopt;
}

// Returns false if the offer must be declined (section 7.1): for an unknown name, an invalid value or a repeated name.
bool read_parameter(const ExtensionParameter& parameter, Offer& offer) noexcept {
  const auto flag = [&](bool& set) { return !parameter.value && !std::exchange(set, true); };
  const auto bits = [&](std::optional<int>& set) {
    if (set) return false;
    set = window_bits(*parameter.value);
    return set.has_value();
  };
  if (parameter.name == kServerNoContext) return flag(offer.server_no_context_takeover);
  if (parameter.name == kClientNoContext) return flag(offer.client_no_context_takeover);
  if (parameter.name == kServerWindow) {
    return parameter.value && bits(offer.server_max_window_bits);
  }
  if (parameter.name == kClientWindow) {
    if (parameter.value) return bits(offer.client_max_window_bits);
    if (offer.client_max_window_bits) return false;
    offer.client_max_window_bits = coding::kWindowBitsMax;  // without a value, the client leaves the choice to us
    return true;
  }
  return false;
}

std::optional<Offer> read_offer(const Extension& extension) noexcept {
  Offer offer;
  for (const ExtensionParameter& parameter : extension.parameters) {
    if (!read_parameter(parameter, offer)) return std::nullopt;
  }
  // Declines an offer that limits our window to 2^8 bytes, because zlib cannot deflate with such a window.
  if (offer.server_max_window_bits && *offer.server_max_window_bits < coding::kWindowBitsMin) return std::nullopt;
  return offer;
}

DeflateAgreement agree(const Offer& offer, bool keep_context) {
  DeflateAgreement agreement{.parameters = {.server_no_context_takeover = offer.server_no_context_takeover,
                                            .client_no_context_takeover = offer.client_no_context_takeover},
                             .field = std::string(kDeflateName)};
  const auto add_flag = [&](bool& set, std::string_view name) {
    set = set || !keep_context;  // section 7.1.1: either end may decide to keep no context
    if (set) agreement.field.append("; ").append(name);
  };
  add_flag(agreement.parameters.server_no_context_takeover, kServerNoContext);
  add_flag(agreement.parameters.client_no_context_takeover, kClientNoContext);
  const auto add_bits = [&](int& set, std::optional<int> offered, std::string_view name) {
    if (!offered || *offered == coding::kWindowBitsMax) return;
    set = *offered;
    agreement.field.append("; ").append(name).append("=").append(std::to_string(*offered));
  };
  add_bits(agreement.parameters.server_max_window_bits, offer.server_max_window_bits, kServerWindow);
  add_bits(agreement.parameters.client_max_window_bits, offer.client_max_window_bits, kClientWindow);
  return agreement;
}

}  // namespace

std::optional<DeflateAgreement> accept_deflate(std::span<const Extension> offers, bool keep_context) {
  for (const Extension& extension : offers) {
    if (extension.name != kDeflateName) continue;
    if (const auto offer = read_offer(extension)) return agree(*offer, keep_context);
  }
  return std::nullopt;
}

std::string offer_deflate(bool keep_context) {
  std::string offer(kDeflateName);
  offer.append("; ").append(kClientWindow);
  if (!keep_context) offer.append("; ").append(kServerNoContext).append("; ").append(kClientNoContext);
  return offer;
}

std::optional<DeflateParameters> read_accepted_deflate(const Extension& accepted, bool keep_context) {
  Offer parameters;
  for (const ExtensionParameter& parameter : accepted.parameters) {
    // Section 7.1.2.2: in a response, the client's window has a value.
    if (parameter.name == kClientWindow && !parameter.value) return std::nullopt;
    if (!read_parameter(parameter, parameters)) return std::nullopt;
  }
  if (!keep_context && !parameters.server_no_context_takeover) return std::nullopt;  // section 7.1.1.1
  const int client_bits = parameters.client_max_window_bits.value_or(coding::kWindowBitsMax);
  if (client_bits < coding::kWindowBitsMin) return std::nullopt;
  // Section 7.1.1.2: the client may keep no context even if the server would permit one.
  return DeflateParameters{.server_no_context_takeover = parameters.server_no_context_takeover,
                           .client_no_context_takeover = parameters.client_no_context_takeover || !keep_context,
                           .server_max_window_bits = parameters.server_max_window_bits.value_or(coding::kWindowBitsMax),
                           .client_max_window_bits = client_bits};
}

}  // namespace volt::http::websocket
