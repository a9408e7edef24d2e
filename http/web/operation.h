// SPDX-License-Identifier: MIT

// Operation: the description of a route, as an OpenAPI operation (3.1, section 4.8.10). Extractors and types of results
// add to this description by a static function beside `from`; a type without such a function adds nothing:
//
//   static void describe(openapi::Operation& operation);
//
// Threads: used by one thread. Lifetime: texts are copied.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/status.h"
#include "http/web/internal/schema.h"

namespace volt::http::openapi {

enum class ParameterLocation : std::uint8_t { path, query, header, cookie };

class Operation {
 public:
  explicit Operation(Schemas& named) noexcept : schemas(named) {}

  Schemas& schemas;

  // Adds the next of the path parameters that the handler takes by position.
  void next_of_path(std::string schema);
  // Adds a parameter, and a 400 response unless the parameter is optional and any text fits.
  void parameter(ParameterLocation place, std::string_view name, std::string_view schema, bool required);
  void body(std::string_view media_type, std::string_view schema);
  // Adds a response. If `media_type` is empty, the response has no content.
  void response(Status status, std::string_view media_type = {}, std::string_view schema = {});
  // Adds a header field to the response with `status`.
  void response_header(Status status, std::string_view name, std::string_view description);
  // Adds a problem response for each status.
  void refusals(std::initializer_list<Status> statuses);
  // Sets the description of the response with `status`. If there is no such response, adds one first: a problem if the
  // status is 400 or above, otherwise a response without content.
  void describe_response(Status status, std::string_view description);
  // Declares that there are responses beyond those described.
  void more_responses() noexcept { more_responses_ = true; }

  // The functions below return parts of the operation as JSON and are called last. In a PathName, the first name is the
  // parameter's name in the pattern and the second is its name in the document.
  using PathName = std::pair<std::string_view, std::string_view>;
  [[nodiscard]] std::string parameters(std::span<const PathName> names);
  [[nodiscard]] std::string request_body() const;  // Empty if there is none.
  [[nodiscard]] std::string responses() const;

 private:
  // The content of one media type: a value that matches at least one of the schemas.
  struct Media {
    std::string type;
    std::vector<std::string> schemas;
  };
  using Content = std::vector<Media>;
  static void add_media(Content& content, std::string_view type, std::string_view schema);
  [[nodiscard]] static std::string content_text(const Content& content);

  struct ResponseObject {
    Status status;
    std::string description;
    Content content;
    std::string headers;  // Separated by commas.
  };
  ResponseObject& response_of(Status status);

  std::vector<std::string> by_place_;                         // Schemas of path parameters taken by position.
  std::vector<std::pair<std::string, std::string>> by_name_;  // Names and schemas of path parameters taken by name.
  std::string parameters_;                                    // All other parameters, separated by commas.
  Content bodies_;
  std::vector<ResponseObject> responses_;  // Sorted by status.
  bool more_responses_ = false;
};

}  // namespace volt::http::openapi
