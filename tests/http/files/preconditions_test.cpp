// SPDX-License-Identifier: MIT

#include "http/files/preconditions.h"

#include <doctest/doctest.h>

#include <string_view>

#include "tests/http/files/request_fields.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/preconditions");
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::string_view kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view kModified = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kAfter = "Sun, 06 Nov 1994 08:49:38 GMT";
constexpr sys_seconds kLastModified{seconds(784111777)};
constexpr sys_seconds kNow = kLastModified + seconds(1000);

const std::optional<Validators> kCurrent = Validators{.etag = EntityTag{"a"}, .last_modified = kLastModified};
const std::optional<Validators> kAbsent;

}  // namespace

TEST_CASE("conditions are evaluated in the order of RFC 9110 section 13.2.2") {
  using enum Verdict;
  using enum Method;
  const struct {
    std::string_view why;
    Method method;
    FieldPairs fields;
    Verdict want;
    std::optional<Validators> current = kCurrent;
  } cases[] = {
      {"no condition", get, {}, proceed},
      {"no condition, no representation", get, {}, proceed, kAbsent},

      {"13.1.1: the tag matches", get, {{"If-Match", "\"a\""}}, proceed},
      {"13.1.1: the tag matches in a list", put, {{"If-Match", "\"b\", \"a\""}}, proceed},
      {"13.1.1: the tag matches on the second line", put, {{"If-Match", "\"b\""}, {"if-match", "\"a\""}}, proceed},
      {"13.1.1: another tag", get, {{"If-Match", "\"b\""}}, precondition_failed},
      {"13.1.1: the comparison is strong", get, {{"If-Match", "W/\"a\""}}, precondition_failed},
      {"13.1.1: anything that exists", put, {{"If-Match", "*"}}, proceed},
      {"13.1.1: nothing exists", put, {{"If-Match", "*"}}, precondition_failed, kAbsent},
      {"13.1.1: nothing exists to match", put, {{"If-Match", "\"a\""}}, precondition_failed, kAbsent},
      {"13.1.1: empty matches nothing", get, {{"If-Match", ""}}, precondition_failed},
      {"malformed matches nothing", get, {{"If-Match", "a"}}, precondition_failed},
      {"malformed after a match", put, {{"If-Match", "\"a\", b"}}, precondition_failed},

      {"13.1.4: unmodified since", put, {{"If-Unmodified-Since", kModified}}, proceed},
      {"13.1.4: unmodified since a later date", put, {{"If-Unmodified-Since", kAfter}}, proceed},
      {"13.1.4: modified since", put, {{"If-Unmodified-Since", kBefore}}, precondition_failed},
      {"13.1.4: also GET", get, {{"If-Unmodified-Since", kBefore}}, precondition_failed},
      {"13.1.4: a bad date is ignored", put, {{"If-Unmodified-Since", "yesterday"}}, proceed},
      {"13.1.4: two dates are ignored",
       put,
       {{"If-Unmodified-Since", kBefore}, {"If-Unmodified-Since", kBefore}},
       proceed},
      {"13.1.4: ignored without a modification date",
       put,
       {{"If-Unmodified-Since", kBefore}},
       proceed,
       Validators{.etag = EntityTag{"a"}}},
      {"13.1.4: ignored where nothing exists", put, {{"If-Unmodified-Since", kBefore}}, proceed, kAbsent},
      {"step 2: ignored if If-Match is present",
       put,
       {{"If-Unmodified-Since", kBefore}, {"If-Match", "\"a\""}},
       proceed},
      {"step 1: If-Match alone decides",
       put,
       {{"If-Unmodified-Since", kAfter}, {"If-Match", "\"b\""}},
       precondition_failed},

      {"13.1.2: not modified", get, {{"If-None-Match", "\"a\""}}, not_modified},
      {"13.1.2: HEAD", head, {{"If-None-Match", "\"a\""}}, not_modified},
      {"13.1.2: another method", put, {{"If-None-Match", "\"a\""}}, precondition_failed},
      {"13.1.2: the comparison is weak", get, {{"If-None-Match", "W/\"a\""}}, not_modified},
      {"13.1.2: the current tag is weak",
       get,
       {{"If-None-Match", "\"a\""}},
       not_modified,
       Validators{EntityTag{"a", true}}},
      {"13.1.2: another tag", get, {{"If-None-Match", "\"b\""}}, proceed},
      {"13.1.2: the tag is in a list", get, {{"If-None-Match", "\"c\", W/\"b\",\"a\""}}, not_modified},
      {"13.1.2: the tag is on the second line",
       get,
       {{"If-None-Match", "\"b\""}, {"If-None-Match", "\"a\""}},
       not_modified},
      {"13.1.2: anything", get, {{"If-None-Match", "*"}}, not_modified},
      {"13.1.2: create only", put, {{"If-None-Match", "*"}}, precondition_failed},
      {"13.1.2: create", put, {{"If-None-Match", "*"}}, proceed, kAbsent},
      {"a malformed list never causes a 304", get, {{"If-None-Match", "a"}}, proceed},
      {"a malformed list prevents overwriting", put, {{"If-None-Match", "a"}}, precondition_failed},

      {"13.1.3: not modified since", get, {{"If-Modified-Since", kModified}}, not_modified},
      {"13.1.3: not modified since a later date", head, {{"If-Modified-Since", kAfter}}, not_modified},
      {"13.1.3: RFC 850", get, {{"If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT"}}, not_modified},
      {"13.1.3: asctime", get, {{"If-Modified-Since", "Sun Nov  6 08:49:37 1994"}}, not_modified},
      {"13.1.3: modified", get, {{"If-Modified-Since", kBefore}}, proceed},
      {"13.1.3: a date in the future is valid",
       get,
       {{"If-Modified-Since", "Fri, 31 Dec 9999 23:59:59 GMT"}},
       not_modified},
      {"13.1.3: a bad date is ignored", get, {{"If-Modified-Since", "784111777"}}, proceed},
      {"13.1.3: two dates are ignored", get, {{"If-Modified-Since", kAfter}, {"If-Modified-Since", kAfter}}, proceed},
      {"13.1.3: GET and HEAD only", put, {{"If-Modified-Since", kAfter}}, proceed},
      {"13.1.3: ignored without a modification date",
       get,
       {{"If-Modified-Since", kAfter}},
       proceed,
       Validators{.etag = EntityTag{"a"}}},
      {"step 4: ignored if If-None-Match is present",
       get,
       {{"If-Modified-Since", kAfter}, {"If-None-Match", "\"b\""}},
       proceed},
      {"step 4: ignored even if If-None-Match is malformed",
       get,
       {{"If-Modified-Since", kAfter}, {"If-None-Match", "b"}},
       proceed},
      {"step 3: If-None-Match alone decides",
       get,
       {{"If-Modified-Since", kBefore}, {"If-None-Match", "\"a\""}},
       not_modified},

      {"steps 1 and 3", get, {{"If-Match", "\"a\""}, {"If-None-Match", "\"a\""}}, not_modified},
      {"step 1 before 3", get, {{"If-None-Match", "\"a\""}, {"If-Match", "\"b\""}}, precondition_failed},
      {"steps 2 and 4", get, {{"If-Unmodified-Since", kModified}, {"If-Modified-Since", kModified}}, not_modified},
      {"step 2 before 3", get, {{"If-None-Match", "\"a\""}, {"If-Unmodified-Since", kBefore}}, precondition_failed},
  };
  for (const auto& [why, method, fields, want, current] : cases) {
    CAPTURE(why);
    CHECK(evaluate_preconditions(method, RequestFields(fields).view(), current, kNow) == want);
  }
}

TEST_CASE("If-Range lets Range apply only to the client's version, RFC 9110 section 13.1.5") {
  const struct {
    std::string_view why;
    FieldPairs fields;
    bool want;
    sys_seconds now = kNow;
    Validators current = *kCurrent;
  } cases[] = {
      {"no condition", {}, true},
      {"the strong tag", {{"If-Range", "\"a\""}}, true},
      {"another tag", {{"If-Range", "\"b\""}}, false},
      {"a weak tag is not enough", {{"If-Range", "W/\"a\""}}, false},
      {"a weak current tag is not enough", {{"If-Range", "\"a\""}}, false, kNow, Validators{EntityTag{"a", true}}},
      {"the representation has no tag",
       {{"If-Range", "\"a\""}},
       false,
       kNow,
       Validators{.last_modified = kLastModified}},
      {"a list is not a tag", {{"If-Range", "\"a\", \"b\""}}, false},
      {"a star is not a tag", {{"If-Range", "*"}}, false},
      {"two lines", {{"If-Range", "\"a\""}, {"If-Range", "\"a\""}}, false},
      {"the exact date", {{"If-Range", kModified}}, true},
      {"the exact date in another form", {{"If-Range", "Sun Nov  6 08:49:37 1994"}}, true},
      {"8.8.2.2: in its own second a date is weak", {{"If-Range", kModified}}, false, kLastModified},
      {"8.8.2.2: a second later a date is strong", {{"If-Range", kModified}}, true, kLastModified + seconds(1)},
      {"8.8.2.2: a date in the future is weak", {{"If-Range", kModified}}, false, kLastModified - seconds(5)},
      {"an earlier date", {{"If-Range", kBefore}}, false},
      {"a later date is not exact", {{"If-Range", kAfter}}, false},
      {"the representation has no date", {{"If-Range", kModified}}, false, kNow, Validators{EntityTag{"a"}}},
      {"neither tag nor date", {{"If-Range", "a"}}, false},
      {"empty", {{"If-Range", ""}}, false},
  };
  for (const auto& [why, fields, want, now, current] : cases) {
    CAPTURE(why);
    CHECK(range_applies(RequestFields(fields).view(), current, now) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::files
