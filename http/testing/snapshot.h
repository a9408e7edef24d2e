// SPDX-License-Identifier: MIT

// Snapshots: a JSON document, such as the OpenAPI document of an app, is compared with a file of the repository, so
// that a review shows a change of the API.
//
//   TEST_CASE("the API has not changed") {
//     http::require_json_snapshot(make_app().openapi({.title = "Shop", .version = "1.0"}), "openapi.json");
//   }
//
// A test that fails shows the difference, and how to accept it: run the test with VOLT_UPDATE_SNAPSHOTS=1 in the
// environment, which writes the file. The file has one member or element a line, so that differences are short.
//
// Threads: any.
// Errors: TestFailure if the document and the file differ, or the file is missing; std::system_error if the file cannot
// be read or written.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace volt::http {

// Compares `json`, which must be JSON, with the file at `path`. A relative path begins at the folder of the source file
// that calls.
void require_json_snapshot(std::string_view json, std::string_view path,
                           std::source_location where = std::source_location::current());

}  // namespace volt::http
