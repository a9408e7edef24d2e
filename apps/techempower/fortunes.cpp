// SPDX-License-Identifier: MIT

#include "apps/techempower/fortunes.h"

#include <http/html/template.h>

#include <algorithm>
#include <utility>

namespace techempower {
namespace {

struct FortunesPage {
  std::vector<Fortune> fortunes;
  static constexpr volt::http::Template html =
      "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>"
      "{{for fortune in fortunes}}<tr><td>{{fortune.id}}</td><td>{{fortune.message}}</td></tr>{{end}}"
      "</table></body></html>";
};

}  // namespace

std::string fortunes_page(std::vector<Fortune> fortunes) {
  fortunes.push_back({0, "Additional fortune added at request time."});
  std::ranges::sort(fortunes, {}, &Fortune::message);
  return volt::http::render_html(FortunesPage{std::move(fortunes)});
}

}  // namespace techempower
