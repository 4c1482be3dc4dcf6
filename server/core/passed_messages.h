#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "server/base/scheduler.h"
#include "server/core/message.h"
#include "server/core/protocol_rules.h"

namespace minichat::core {

// A message's identity across generations: its id, and its text, since after a loss two texts may
// stand under one id.
struct MessageKey {
  MessageId id;
  BodyHash hash = 0;

  bool operator==(const MessageKey&) const = default;
};

struct MessageKeyHash {
  std::size_t operator()(const MessageKey& key) const noexcept {
    return std::hash<MessageId>()(key.id) ^ key.hash;
  }
};

// What passed through a room on this node and is not known to have a row: id -> number.
using UnstoredMap = std::unordered_map<MessageKey, Seq, MessageKeyHash>;

// After a loss a message may come back under its variant id (see VariantIdOf()): it is found under
// both.
inline void AddVariants(UnstoredMap& unstored) {
  UnstoredMap variants;
  for (const auto& [key, seq] : unstored) {
    variants.emplace(MessageKey{VariantIdOf(key.id, key.hash), key.hash}, seq);
  }
  unstored.merge(variants);
}

// What a session had been told here, under which older number, when the directory lost its memory:
// those messages get a second number once they are placed again, and are not told twice. What lies
// below the session's join doesn't count: its former node may have been in another memory, where
// the same numbers had not all a message.
//
// Threading: confined to the core scheduler's thread.
class PassedMessages {
 public:
  // What passed in (joined, cursor].
  void Remember(std::shared_ptr<const UnstoredMap> unstored, Seq joined, Seq cursor,
                TimePoint until, const ProtocolRules& rules) {
    if (!rules.allgens) generations_.clear();
    if (!rules.sincejoin) joined = 0;
    generations_.push_back({std::move(unstored), joined, cursor, until});
  }

  bool Had(const MessageKey& key, TimePoint now, const ProtocolRules& rules) {
    if (generations_.empty() || !rules.suppress) return false;
    if (rules.oldexp) {
      std::erase_if(generations_, [now](const Seen& seen) { return seen.until <= now; });
    }
    // ... or it had been passed under its variant id, and is back under its own.
    const MessageKey variant{VariantIdOf(key.id, key.hash), key.hash};
    return std::any_of(generations_.begin(), generations_.end(), [&](const Seen& seen) {
      auto it = seen.unstored->find(key);
      if (it == seen.unstored->end()) it = seen.unstored->find(variant);
      return it != seen.unstored->end() && seen.joined < it->second && it->second <= seen.cursor;
    });
  }

 private:
  struct Seen {
    std::shared_ptr<const UnstoredMap> unstored;
    Seq joined;
    Seq cursor;
    TimePoint until;
  };
  std::vector<Seen> generations_;
};

}  // namespace minichat::core
