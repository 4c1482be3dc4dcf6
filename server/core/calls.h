#pragma once

#include <utility>

#include "server/core/membership.h"

namespace minichat::core {

enum class LinkUse {
  kServing,      // refused unless the node is ready
  kEstablishing  // part of becoming ready
};

// Awaits one directory call with the trip's time limit. A reply that comes after its deadline, or
// on a link that was given up meanwhile, counts as lost: its outcome is unknown.
//
// `start(deadline, callback)` makes the call; R is Status or Result<T>.
template <class R, class Start>
Task<R> DirectoryCall(NodeContext& node, const Membership& membership, LinkUse use, Start start) {
  if (use == LinkUse::kServing && !membership.ready()) {
    co_return R(Unavailable("directory: this node is not ready"));
  }
  const std::uint64_t epoch = membership.link_epoch();
  const Deadline deadline = node.In(node.options.directory_trip);
  Completion<R> reply(node.scheduler());
  start(deadline, reply.callback());
  co_await reply.Wait();
  if (node.rules().latereply && deadline.Passed(node.now())) {
    co_return R(DeadlineExceeded("directory: the reply came too late"));
  }
  if (node.rules().connreply && epoch != membership.link_epoch()) {
    co_return R(Unavailable("directory: the link was lost"));
  }
  co_return reply.Take();
}

// Awaits one store call with the trip's time limit; late replies count as lost.
template <class R, class Start>
Task<R> StoreCall(NodeContext& node, Start start) {
  const Deadline deadline = node.In(node.options.store_trip);
  Completion<R> reply(node.scheduler());
  start(deadline, reply.callback());
  co_await reply.Wait();
  if (node.rules().latereply && deadline.Passed(node.now())) {
    co_return R(DeadlineExceeded("store: the reply came too late"));
  }
  co_return reply.Take();
}

}  // namespace minichat::core
