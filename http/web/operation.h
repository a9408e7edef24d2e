// Operation: what is known of a route before it runs, as OpenAPI says it (3.1, section 4.8.10). Extractors and results tell
// it to one, in a static function beside `from`; a type without one says nothing:
//
//   static void describe(openapi::Operation& operation);
//
// Threads: one. Lifetime: texts are copied.
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

  // Of the parameters that the handler takes by their place in the pattern, the next.
  void next_of_path(std::string schema);
  // Refused with 400, unless it is some text.
  void parameter(ParameterLocation place, std::string_view name, std::string_view schema, bool required);
  void body(std::string_view media_type, std::string_view schema);
  // Without a media type: no content.
  void response(Status status, std::string_view media_type = {}, std::string_view schema = {});
  // Of an answer that has been described.
  void response_header(Status status, std::string_view name, std::string_view description);
  // With a problem.
  void refusals(std::initializer_list<Status> statuses);
  // Says it in other words; an answer that is not described yet, has no content, or is a problem from 400 on.
  void describe_response(Status status, std::string_view description);
  // There are others than those described.
  void more_responses() noexcept { more_responses_ = true; }

  // Last of all: the parts of the operation, as JSON. A parameter of the pattern has the first name in the pattern, and the
  // second in the document.
  using PathName = std::pair<std::string_view, std::string_view>;
  [[nodiscard]] std::string parameters(std::span<const PathName> names);
  [[nodiscard]] std::string request_body() const;  // empty: none
  [[nodiscard]] std::string responses() const;

 private:
  // Content of one type; of several schemas, any.
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
    std::string headers;  // with commas between
  };
  ResponseObject& response_of(Status status);

  std::vector<std::string> by_place_;                         // schemas
  std::vector<std::pair<std::string, std::string>> by_name_;  // the same, of the pattern's
  std::string parameters_;                                    // the others, with commas between
  Content bodies_;
  std::vector<ResponseObject> responses_;  // by status
  bool more_responses_ = false;
};

}  // namespace volt::http::openapi
