// SPDX-License-Identifier: MIT

#include "redis/internal/reply_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "redis/error.h"

namespace volt::redis::internal {
namespace {

std::string shown(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::nil:
      return "nil";
    case Reply::Kind::status:
      return "+" + reply.text;
    case Reply::Kind::string:
      return "'" + reply.text + "'";
    case Reply::Kind::integer:
      return std::to_string(reply.integer);
    case Reply::Kind::error:
      return "-" + reply.text;
    case Reply::Kind::array:
      break;
  }
  std::string all = "[";
  for (const Reply& one : reply.elements) all += shown(one) + " ";
  return all + "]";
}

// Reads `text` in pieces of `size` bytes; returns the replies, then "broken" if the reader found an error.
std::string read_in_pieces(std::string_view text, std::size_t size, std::size_t reply_bytes_max = 10'000) {
  ReplyReader reader(reply_bytes_max);
  std::string all;
  while (!text.empty()) {
    std::vector<Reply> replies;
    const std::string_view piece = text.substr(0, size);
    const bool sound = reader.read(std::as_bytes(std::span(piece)), replies);
    for (const Reply& reply : replies) all += shown(reply) + ";";
    if (!sound) return all + "broken";
    text.remove_prefix(piece.size());
  }
  return all;
}

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i != depth; ++i) text += "*1\r\n";
  return text + ":1\r\n";
}

}  // namespace

TEST_SUITE_BEGIN("redis/internal/reply_reader");

TEST_CASE("replies are the same however their bytes are split") {
  const std::string_view text =
      "+OK\r\n:-12\r\n$5\r\na\r\nbc\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n-ERR no\r\n"
      "*4\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n+s\r\n-WRONG inside\r\n*1\r\n*1\r\n*1\r\n:7\r\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    CAPTURE(size);
    CHECK(read_in_pieces(text, size) ==
          "+OK;-12;'a\r\nbc';nil;nil;[];'';-ERR no;[1 ['x' nil ] +s -WRONG inside ];[[[7 ] ] ];");
  }
}

TEST_CASE("limits apply to each reply, and are exact for depth") {
  CHECK(read_in_pieces(nested(kReplyDepthMax), 1) == "[[[[[[[1 ] ] ] ] ] ] ];");
  CHECK(read_in_pieces(nested(kReplyDepthMax + 1), 1) == "broken");
  std::string many;
  for (int i = 0; i != 1000; ++i) many += "$90\r\n" + std::string(90, 'x') + "\r\n";
  CHECK(read_in_pieces(many, 77, 100).ends_with("';"));  // each is within the limit
  CHECK(read_in_pieces("$101\r\n" + std::string(101, 'x') + "\r\n", 1000, 100) == "broken");
  CHECK(read_in_pieces("*3\r\n:1\r\n", 1000, 3 * sizeof(Reply) - 1) == "broken");
  CHECK(read_in_pieces("*3\r\n:1\r\n:2\r\n:3\r\n", 1000, 3 * sizeof(Reply)) == "[1 2 3 ];");
}

TEST_CASE("a command is formatted, with any number of arguments of any bytes") {
  std::string out = "before";
  format(Command("SET", std::string("k\0\r\n", 4), -1, 18'446'744'073'709'551'615U, 1.5), out);
  using namespace std::string_literals;
  CHECK(out == "before*5\r\n$3\r\nSET\r\n$4\r\nk\0\r\n\r\n$2\r\n-1\r\n$20\r\n18446744073709551615\r\n$3\r\n1.5\r\n"s);
  Command many("DEL");
  for (int i = 0; i != 1000; ++i) many.add(i);
  out.clear();
  format(many, out);
  CHECK(out.starts_with("*1001\r\n$3\r\nDEL\r\n$1\r\n0\r\n"));
  CHECK(out.ends_with("$3\r\n999\r\n"));
}

TEST_SUITE_END();

}  // namespace volt::redis::internal
