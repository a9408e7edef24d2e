// SPDX-License-Identifier: MIT

// PathTree: finds the patterns that match a path, the most specific first.
//
// The data structure is a radix tree over the bytes of keys. A key is a path whose segments are decoded and whose
// escaped slashes are replaced by NUL. So every '/' in a key separates segments. NUL is free for this purpose: a
// pattern cannot contain it, and a path that contains it matches no pattern. A node whose key ends in '/' may have,
// besides its literal children, a child for one parameter and the endpoint of a wildcard.
//
// Precedence is decided segment by segment from the left: literal, then parameter, then wildcard. PathWalk visits the
// tree depth first in this order and backtracks to the last choice at a dead end, so its first endpoint is the most
// specific match, the second is the next most specific match, and so on.
//
// Cost: a walk visits each node at most once, because only one sequence of edges leads to a node, and on this way the
// walk consumes a fixed part of the path. So a walk is linear in the size of the patterns, never exponential. At each
// node it reads at most the length of the path. The number of open choices is bounded by kSegmentsMax. A walk does not
// allocate.
//
// Rejected: a hash of the path (a client chooses the keys, and parameters need the tree anyway), and one node per
// segment (each child would need a comparison of whole segments).
//
// Threads: filled by one thread, then only read, by any number of threads. Lifetime: a walk refers to its tree and its
// path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/route/pattern.h"
#include "http/route/route_info.h"

namespace volt::http::route {

class PathTree {
 public:
  using Endpoint = std::uint32_t;
  static constexpr Endpoint kNone = std::numeric_limits<Endpoint>::max();

  // Returns the endpoint of `pattern`, which must be valid. Patterns that match identical paths share one endpoint. It
  // is kNone until the caller sets it. The reference is valid until the next call.
  [[nodiscard]] Endpoint& endpoint(std::string_view pattern);

 private:
  friend class PathWalk;
  using NodeIndex = std::uint32_t;

  struct Edge {
    char first_byte;  // first byte of the child's text
    NodeIndex child;
  };
  struct Node {
    std::string text;            // the part of the key after the parent's part
    std::vector<Edge> literals;  // first bytes are distinct
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

  std::vector<Node> nodes_ = std::vector<Node>(1);  // the first node is the root
};

class PathWalk {
 public:
  // `path` may contain any bytes. A path that does not begin with '/', or that has a dot segment or a NUL, has no
  // matches.
  PathWalk(const PathTree& tree, std::string_view path) noexcept;

  // Returns the next match; kNone after the last.
  [[nodiscard]] PathTree::Endpoint next() noexcept;

  // Stores the parameters of the match that next() returned last, as views into `path`. `path` must be the walked path,
  // or differ from it only in a slash at the end.
  void params(std::string_view path, Params& out) const noexcept;

 private:
  using NodeIndex = PathTree::NodeIndex;

  struct Range {
    std::size_t begin, end;
  };
  // A parameter or a wildcard that the walk has not tried yet.
  struct Choice {
    std::size_t at;  // offset in the path
    NodeIndex node;
    std::uint32_t params;  // number of parameters matched before this choice
    bool wildcard;
  };

  void leave(NodeIndex node, std::size_t at, bool wildcard) noexcept;
  PathTree::Endpoint take(const Choice& choice) noexcept;
  PathTree::Endpoint descend(NodeIndex node, std::size_t at) noexcept;
  char key_byte(std::size_t at) const noexcept;
  // Returns the offset in the path after `text`; nullopt if the path does not continue with `text`.
  std::optional<std::size_t> behind(std::string_view text, std::size_t at) const noexcept;

  const PathTree& tree_;
  std::string_view path_;
  bool escaped_ = false;
  bool fresh_ = false;  // the root has not been tried yet
  std::uint32_t param_count_ = 0;
  std::uint32_t choice_count_ = 0;
  // At each segment at most one parameter and one wildcard are open.
  std::array<Choice, 2 * kSegmentsMax> choices_;
  std::array<Range, kParametersMax> params_;
};

}  // namespace volt::http::route
