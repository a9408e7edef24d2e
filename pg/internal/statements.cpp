// SPDX-License-Identifier: MIT

#include "pg/internal/statements.h"

namespace volt::pg::internal {

Statements::Found Statements::find(const Query& query) {
  types_.clear();
  for (const Parameter& parameter : query.parameters.all()) types_.push_back(static_cast<unsigned>(parameter.type));
  key_ = query.text;
  key_ += '\0';
  key_.append(reinterpret_cast<const char*>(types_.data()), types_.size() * sizeof(unsigned));
  if (const auto known = statements_.find(key_); known != statements_.end()) return {known->second, false};
  if (statements_.size() == max_) return {};
  auto statement = std::make_shared<Statement>();
  statement->name = "v" + std::to_string(++names_);
  statements_.emplace(key_, statement);
  return {std::move(statement), true};
}

void Statements::forget(const Statement& statement) {
  std::erase_if(statements_, [&](const auto& entry) { return entry.second.get() == &statement; });
}

}  // namespace volt::pg::internal
