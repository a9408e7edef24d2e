// PathTree: which patterns match a path, the most specific first.
//
// A radix tree over key bytes. A key is a path with its segments decoded, where a slash that was escaped is a NUL, so
// that '/' always separates; NUL itself is in no pattern, and a path that holds one matches none. A node whose key ends
// in '/' may have, beside its literal children, a child behind one parameter and the endpoint of a wildcard.
//
// Precedence is decided segment by segment from the left: literal, then parameter, then wildcard. PathWalk visits the
// tree depth first in that order and takes back the last choice when it leads nowhere, so its first endpoint is the
// most specific match, and so on.
//
// Cost: a node has one way that leads to it, and after it exactly the segments before it are consumed, so a walk comes
// to each node at most once: it is linear in the size of the patterns, never exponential, and reads of the path at most
// its length a node. The depth of the choices is bounded by kSegmentsMax. A walk does not allocate.
//
// What lost: a hash of the path (a client picks its keys, and parameters need the tree anyway) and one node a segment
// (a comparison of whole segments at each child).
//
// Threads: filled by one, then only read, by any. Lifetime: a walk looks into its tree and its path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/route/internal/params.h"
#include "http/route/pattern.h"

namespace volt::http::route {

class PathTree {
 public:
  using Endpoint = std::uint32_t;
  static constexpr Endpoint kNone = std::numeric_limits<Endpoint>::max();

  // What is kept for the patterns that match the same paths as this valid one: kNone until it is set. The reference
  // holds until the next call.
  [[nodiscard]] Endpoint& endpoint(std::string_view pattern);

 private:
  friend class PathWalk;
  using NodeIndex = std::uint32_t;

  struct Edge {
    char first_byte;  // of the child's text
    NodeIndex child;
  };
  struct Node {
    std::string text;            // of the key, behind the parent's
    std::vector<Edge> literals;  // no two begin alike
    NodeIndex parameter = kNone;
    Endpoint here = kNone;
    Endpoint wildcard = kNone;

    [[nodiscard]] NodeIndex literal(char first_byte) const noexcept {
      for (const Edge& edge : literals) {
        if (edge.first_byte == first_byte) return edge.child;
      }
      return kNone;
    }
  };

  NodeIndex add_node(std::string text);
  NodeIndex add_literal(NodeIndex node, std::string_view key);
  NodeIndex add_parameter(NodeIndex node);
  void split(NodeIndex node, std::size_t text_bytes);

  std::vector<Node> nodes_ = std::vector<Node>(1);  // the first is the root
};

class PathWalk {
 public:
  // Any bytes for a path; nothing matches one that does not begin with '/', or that holds a dot segment or a NUL.
  PathWalk(const PathTree& tree, std::string_view path) noexcept;

  // The next match; kNone after the last.
  [[nodiscard]] PathTree::Endpoint next() noexcept;

  // Of the match that next() gave last. Views into `path`: the one that was walked, or a beginning of it.
  void params(std::string_view path, Params& out) const noexcept;

 private:
  using NodeIndex = PathTree::NodeIndex;

  struct Range {
    std::size_t begin, end;
  };
  // A parameter or a wildcard that was left for later.
  struct Choice {
    std::size_t at;  // in the path
    NodeIndex node;
    std::uint32_t params;  // how many were taken before
    bool wildcard;
  };

  void leave(NodeIndex node, std::size_t at, bool wildcard) noexcept;
  PathTree::Endpoint take(const Choice& choice) noexcept;
  PathTree::Endpoint descend(NodeIndex node, std::size_t at) noexcept;
  char key_byte(std::size_t at) const noexcept;
  // Where the path goes on behind `text`; empty if it does not go on with it.
  std::optional<std::size_t> behind(std::string_view text, std::size_t at) const noexcept;

  const PathTree& tree_;
  std::string_view path_;
  bool escaped_ = false;
  bool fresh_ = false;  // the root is still to be tried
  std::uint32_t param_count_ = 0;
  std::uint32_t choice_count_ = 0;
  // At most a parameter and a wildcard are open at each segment.
  std::array<Choice, 2 * kSegmentsMax> choices_;
  std::array<Range, kParametersMax> params_;
};

}  // namespace volt::http::route
