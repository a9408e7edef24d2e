// SPDX-License-Identifier: MIT

// Status codes of RFC 9110 section 15 and their reason phrases. Write a code without an enumerator as `Status{299}`.
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>
#include <string_view>

namespace volt::http {

enum class Status : std::uint16_t {
  continue_ = 100,
  switching_protocols = 101,
  early_hints = 103,
  ok = 200,
  created = 201,
  accepted = 202,
  non_authoritative_information = 203,
  no_content = 204,
  reset_content = 205,
  partial_content = 206,
  multiple_choices = 300,
  moved_permanently = 301,
  found = 302,
  see_other = 303,
  not_modified = 304,
  temporary_redirect = 307,
  permanent_redirect = 308,
  bad_request = 400,
  unauthorized = 401,
  payment_required = 402,
  forbidden = 403,
  not_found = 404,
  method_not_allowed = 405,
  not_acceptable = 406,
  proxy_authentication_required = 407,
  request_timeout = 408,
  conflict = 409,
  gone = 410,
  length_required = 411,
  precondition_failed = 412,
  content_too_large = 413,
  uri_too_long = 414,
  unsupported_media_type = 415,
  range_not_satisfiable = 416,
  expectation_failed = 417,
  misdirected_request = 421,
  unprocessable_content = 422,
  locked = 423,
  failed_dependency = 424,
  too_early = 425,
  upgrade_required = 426,
  precondition_required = 428,
  too_many_requests = 429,
  request_header_fields_too_large = 431,
  unavailable_for_legal_reasons = 451,
  internal_server_error = 500,
  not_implemented = 501,
  bad_gateway = 502,
  service_unavailable = 503,
  gateway_timeout = 504,
  http_version_not_supported = 505,
  insufficient_storage = 507,
  loop_detected = 508,
  network_authentication_required = 511,
};

constexpr std::uint16_t code(Status status) noexcept { return static_cast<std::uint16_t>(status); }

// Returns the reason phrase as static text; empty for a code without an enumerator, since clients ignore the phrase
// (RFC 9112 section 4).
constexpr std::string_view reason_phrase(Status status) noexcept {
  switch (status) {  // no default: a new enumerator must be handled here
                     // clang-format off
    case Status::continue_:                       return "Continue";
    case Status::switching_protocols:             return "Switching Protocols";
    case Status::early_hints:                     return "Early Hints";
    case Status::ok:                              return "OK";
    case Status::created:                         return "Created";
    case Status::accepted:                        return "Accepted";
    case Status::non_authoritative_information:   return "Non-Authoritative Information";
    case Status::no_content:                      return "No Content";
    case Status::reset_content:                   return "Reset Content";
    case Status::partial_content:                 return "Partial Content";
    case Status::multiple_choices:                return "Multiple Choices";
    case Status::moved_permanently:               return "Moved Permanently";
    case Status::found:                           return "Found";
    case Status::see_other:                       return "See Other";
    case Status::not_modified:                    return "Not Modified";
    case Status::temporary_redirect:              return "Temporary Redirect";
    case Status::permanent_redirect:              return "Permanent Redirect";
    case Status::bad_request:                     return "Bad Request";
    case Status::unauthorized:                    return "Unauthorized";
    case Status::payment_required:                return "Payment Required";
    case Status::forbidden:                       return "Forbidden";
    case Status::not_found:                       return "Not Found";
    case Status::method_not_allowed:              return "Method Not Allowed";
    case Status::not_acceptable:                  return "Not Acceptable";
    case Status::proxy_authentication_required:   return "Proxy Authentication Required";
    case Status::request_timeout:                 return "Request Timeout";
    case Status::conflict:                        return "Conflict";
    case Status::gone:                            return "Gone";
    case Status::length_required:                 return "Length Required";
    case Status::precondition_failed:             return "Precondition Failed";
    case Status::content_too_large:               return "Content Too Large";
    case Status::uri_too_long:                    return "URI Too Long";
    case Status::unsupported_media_type:          return "Unsupported Media Type";
    case Status::range_not_satisfiable:           return "Range Not Satisfiable";
    case Status::expectation_failed:              return "Expectation Failed";
    case Status::misdirected_request:             return "Misdirected Request";
    case Status::unprocessable_content:           return "Unprocessable Content";
    case Status::locked:                          return "Locked";
    case Status::failed_dependency:               return "Failed Dependency";
    case Status::too_early:                       return "Too Early";
    case Status::upgrade_required:                return "Upgrade Required";
    case Status::precondition_required:           return "Precondition Required";
    case Status::too_many_requests:               return "Too Many Requests";
    case Status::request_header_fields_too_large: return "Request Header Fields Too Large";
    case Status::unavailable_for_legal_reasons:   return "Unavailable For Legal Reasons";
    case Status::internal_server_error:           return "Internal Server Error";
    case Status::not_implemented:                 return "Not Implemented";
    case Status::bad_gateway:                     return "Bad Gateway";
    case Status::service_unavailable:             return "Service Unavailable";
    case Status::gateway_timeout:                 return "Gateway Timeout";
    case Status::http_version_not_supported:      return "HTTP Version Not Supported";
    case Status::insufficient_storage:            return "Insufficient Storage";
    case Status::loop_detected:                   return "Loop Detected";
    case Status::network_authentication_required: return "Network Authentication Required";
                     // clang-format on
  }
  return {};
}

}  // namespace volt::http
