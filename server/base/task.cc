#include "server/base/task.h"

namespace minichat {

TaskScope::Root TaskScope::Run(TaskScope&, Task<void> task) {
  co_await task;
}

void TaskScope::Clear() {
  while (first_ != nullptr) {
    std::coroutine_handle<Root::promise_type>::from_promise(*first_).destroy();
  }
}

void TaskScope::Link(Root::promise_type* root) {
  root->next = first_;
  if (first_ != nullptr) first_->previous = root;
  first_ = root;
  ++size_;
}

void TaskScope::Unlink(Root::promise_type* root) {
  if (root->previous != nullptr) root->previous->next = root->next;
  if (root->next != nullptr) root->next->previous = root->previous;
  if (first_ == root) first_ = root->next;
  --size_;
}

}  // namespace minichat
