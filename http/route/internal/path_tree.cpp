// SPDX-License-Identifier: MIT

#include "http/route/internal/path_tree.h"

#include <algorithm>
#include <utility>

namespace volt::http::route {
namespace {

constexpr char kEscapedSlash = '\0';  // stands for an escaped slash in a key

char take_key_byte(std::string_view& text) noexcept {
  const bool written = text.front() == '/';
  const char byte = message::take_percent_decoded(text);
  return byte == '/' && !written ? kEscapedSlash : byte;
}

void append_key(std::string_view literal, std::string& key) {
  while (!literal.empty()) key += take_key_byte(literal);
}

bool has_dot_segment_or_nul(std::string_view path) noexcept {
  while (!path.empty()) {
    path.remove_prefix(1);
    std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    if (is_dot_segment(segment)) return true;
    while (!segment.empty()) {
      if (message::take_percent_decoded(segment) == '\0') return true;
    }
  }
  return false;
}

// Bits for the bytes of a path that need attention. A path without any of them is matched by plain comparisons; only a
// path that has one is decoded or searched for dot segments and NUL.
constexpr std::uint8_t kPercent = 1, kDot = 2, kNul = 4;

constexpr auto kTraits = [] {
  std::array<std::uint8_t, 256> traits{};
  traits['%'] = kPercent;
  traits['.'] = kDot;
  traits['\0'] = kNul;
  return traits;
}();

std::uint8_t traits_of(std::string_view path) noexcept {
  std::uint8_t traits = 0;
  for (const char c : path) traits |= kTraits[static_cast<std::uint8_t>(c)];
  return traits;
}

}  // namespace

PathTree::Endpoint& PathTree::endpoint(std::string_view pattern) {
  NodeIndex node = 0;
  std::string key;
  while (!pattern.empty()) {
    const Segment segment = take_segment(pattern);
    key += '/';
    if (segment.kind == Segment::Kind::literal) {
      append_key(segment.text, key);
      continue;
    }
    node = add_literal(node, key);
    key.clear();
    if (segment.kind == Segment::Kind::wildcard) return nodes_[node].wildcard;
    node = add_parameter(node);
  }
  return nodes_[add_literal(node, key)].here;
}

PathTree::NodeIndex PathTree::add_node(std::string text) {
  nodes_.emplace_back().text = std::move(text);
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

// Returns the node that `key` leads to from `node`. Adds the node if it does not exist.
PathTree::NodeIndex PathTree::add_literal(NodeIndex node, std::string_view key) {
  while (!key.empty()) {
    const NodeIndex child = nodes_[node].literal(key.front());
    if (child == kNone) {
      const NodeIndex leaf = add_node(std::string(key));
      nodes_[node].literals.push_back({.first_byte = key.front(), .child = leaf});
      return leaf;
    }
    const std::string& text = nodes_[child].text;
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(text, key).in1 - text.begin());
    if (shared < text.size()) split(child, shared);
    key.remove_prefix(shared);
    node = child;
  }
  return node;
}

PathTree::NodeIndex PathTree::add_parameter(NodeIndex node) {
  if (nodes_[node].parameter == kNone) {
    const NodeIndex child = add_node({});
    nodes_[node].parameter = child;
  }
  return nodes_[node].parameter;
}

// Splits a node in two. The node keeps the first `text_bytes` bytes of its text; the rest of the text, the children and
// the endpoints move to a new child.
void PathTree::split(NodeIndex node, std::size_t text_bytes) {
  const NodeIndex tail = add_node({});
  Node& head = nodes_[node];
  std::string text = head.text.substr(0, text_bytes);
  nodes_[tail] = std::exchange(head, Node{});
  nodes_[tail].text.erase(0, text_bytes);
  head.text = std::move(text);
  head.literals = {{.first_byte = nodes_[tail].text.front(), .child = tail}};
}

PathWalk::PathWalk(const PathTree& tree, std::string_view path) noexcept : tree_(tree), path_(path) {
  if (!path.starts_with('/')) return;
  const std::uint8_t traits = traits_of(path);
  if (traits != 0 && has_dot_segment_or_nul(path)) return;
  escaped_ = (traits & kPercent) != 0;
  fresh_ = true;
}

PathTree::Endpoint PathWalk::next() noexcept {
  if (std::exchange(fresh_, false)) {
    const PathTree::Endpoint endpoint = descend(0, 0);
    if (endpoint != PathTree::kNone) return endpoint;
  }
  while (choice_count_ > 0) {
    const PathTree::Endpoint endpoint = take(choices_[--choice_count_]);
    if (endpoint != PathTree::kNone) return endpoint;
  }
  return PathTree::kNone;
}

void PathWalk::params(std::string_view path, Params& out) const noexcept {
  out.clear();
  for (std::size_t i = 0; i < param_count_; ++i) {
    const auto [begin, end] = params_[i];
    out.add(path.substr(std::min(begin, path.size()), end - begin));
  }
}

// Continues the walk with the parameter or wildcard of `choice`. Reads `choice` before it descends, because descend()
// may overwrite its place in choices_ with new choices.
PathTree::Endpoint PathWalk::take(const Choice& choice) noexcept {
  const PathTree::Node& node = tree_.nodes_[choice.node];
  const std::size_t at = choice.at;
  const bool wildcard = choice.wildcard;
  const std::size_t end = wildcard ? path_.size() : std::min(path_.find('/', at), path_.size());
  if (end == at && !wildcard) return PathTree::kNone;
  params_[choice.params] = {at, end};
  param_count_ = choice.params + 1;
  return wildcard ? node.wildcard : descend(node.parameter, end);
}

// Follows literals as far as possible. Stores the parameters and wildcards on the way as choices for later.
PathTree::Endpoint PathWalk::descend(NodeIndex index, std::size_t at) noexcept {
  for (;;) {
    const PathTree::Node& node = tree_.nodes_[index];
    if (node.wildcard != PathTree::kNone) leave(index, at, true);
    if (at == path_.size()) return node.here;
    if (node.parameter != PathTree::kNone) leave(index, at, false);
    index = node.literal(key_byte(at));
    if (index == PathTree::kNone) return PathTree::kNone;
    const auto next = behind(tree_.nodes_[index].text, at);
    if (!next) return PathTree::kNone;
    at = *next;
  }
}

void PathWalk::leave(NodeIndex node, std::size_t at, bool wildcard) noexcept {
  choices_[choice_count_++] = {.at = at, .node = node, .params = param_count_, .wildcard = wildcard};
}

char PathWalk::key_byte(std::size_t at) const noexcept {
  if (!escaped_) return path_[at];
  std::string_view rest = path_.substr(at);
  return take_key_byte(rest);
}

std::optional<std::size_t> PathWalk::behind(std::string_view text, std::size_t at) const noexcept {
  std::string_view rest = path_.substr(at);
  if (!escaped_) {
    if (!rest.substr(1).starts_with(text.substr(1))) return std::nullopt;  // the first byte selected this node
    return at + text.size();
  }
  for (const char byte : text) {
    if (rest.empty() || take_key_byte(rest) != byte) return std::nullopt;
  }
  return path_.size() - rest.size();
}

}  // namespace volt::http::route
