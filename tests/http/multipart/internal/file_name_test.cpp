// SPDX-License-Identifier: MIT

#include "http/multipart/internal/file_name.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::multipart {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/multipart/internal/file_name");

TEST_CASE("the safe name of any client file name stays in the folder") {
  const struct {
    std::string why;
    std::string_view untrusted;
    std::string want;
  } cases[] = {
      {"a plain name", "photo.jpg", "photo.jpg"},
      {"spaces and dots inside", "my photo.tar.gz", "my photo.tar.gz"},
      {"letters of all scripts", "\xd1\x84\xc3\xa9.txt", "\xd1\x84\xc3\xa9.txt"},
      {"a path", "/etc/passwd", "passwd"},
      {"a path of Windows", "C:\\Users\\me\\a.txt", "a.txt"},
      {"both separators", "a\\b/c\\d", "d"},
      {"upwards", "../../a", "a"},
      {"up, on Windows", "..\\..\\a", "a"},
      {"the parent", "..", "file"},
      {"the parent after a path", "a/..", "file"},
      {"the folder", ".", "file"},
      {"a folder", "a/", "file"},
      {"nothing", "", "file"},
      {"hidden", ".bashrc", "bashrc"},
      {"a hidden file after dots and spaces", " . ..bashrc", "bashrc"},
      {"a hidden file after control characters", "\x01.\x02.bashrc", "bashrc"},
      {"a NUL does not end the name", "a.png\0.sh"sv, "a.png.sh"},
      {"line ends", "a\r\nb", "ab"},
      {"DEL",
       "\x7f"
       "a",
       "a"},
      {"C1 controls",
       "a\xc2\x85\xc2\x9f"
       "b\xc2\xa0",
       "ab\xc2\xa0"},
      {"removing controls cannot create new ones", "\xc2\xc2\x85\x85\xc2\x01\x85", "____"},
      {"bytes that are not UTF-8", "a\xff\xc3(.txt", "a__(.txt"},
      {"an overlong form", "\xc0\xaf.txt", "__.txt"},
      {"an override of the direction",
       "gpj.\xe2\x80\xae"
       "exe",
       "gpj.exe"},
      {"an isolate of the direction",
       "a\xe2\x81\xa6"
       "b\xe2\x81\xa9",
       "ab"},
      {"marks of the direction",
       "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"
       "a",
       "a"},
      {"a line separator and a byte order mark",
       "a\xe2\x80\xa8"
       "b\xef\xbb\xbf",
       "ab"},
      {"a joiner, which some scripts need",
       "a\xe2\x80\x8d"
       "b",
       "a\xe2\x80\x8d"
       "b"},
      {"a character beyond 16 bits", "\xf0\x9f\x98\x80.png", "\xf0\x9f\x98\x80.png"},
      {"a semicolon", "a;rm b", "a_rm b"},
      {"an option of a command", "-rf", "rf"},
      {"an option after a hidden character", "\xe2\x80\xae--help", "help"},
      {"only controls", "\x01\x02", "file"},
  };
  for (const auto& [why, untrusted, want] : cases) {
    CAPTURE(why);
    CHECK(safe_file_name(untrusted) == want);
  }
}

TEST_CASE("a long name is cut between two characters") {
  CHECK(safe_file_name(std::string(255, 'a')) == std::string(255, 'a'));
  CHECK(safe_file_name(std::string(300, 'a')) == std::string(255, 'a'));
  CHECK(safe_file_name("ab\xc3\xa9", 4) == "ab\xc3\xa9");
  CHECK(safe_file_name("ab\xc3\xa9", 3) == "ab");
  CHECK(safe_file_name("a\xf0\x9f\x98\x80", 4) == "a");
  CHECK(safe_file_name(std::string(300, '\x80')) == std::string(255, '_'));
}

TEST_SUITE_END();
}  // namespace volt::http::multipart
