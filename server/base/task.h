#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "server/base/check.h"
#include "server/base/deadline.h"
#include "server/base/scheduler.h"

namespace minichat {

template <class T>
using Callback = std::function<void(T)>;

template <class T>
class Task;

namespace internal {

struct TaskPromiseBase {
  std::coroutine_handle<> continuation;

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      auto next = done.promise().continuation;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  // Failures are values here; an exception that gets this far is a bug.
  void unhandled_exception() noexcept { std::terminate(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  void return_value(T v) { value.emplace(std::move(v)); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() {}
};

}  // namespace internal

// A coroutine that starts when it is awaited. Destroying a Task destroys its frame and, through the
// Tasks that live in that frame, all that it was waiting for; nothing of it runs afterwards.
//
// Lifetime:  arguments are copied into the frame; pass references only to what outlives the Task.
//            An awaited call takes named variables, never braced temporaries, and stands in no
//            conditional expression: g++ 12 destroys such temporaries twice.
// Threading: confined to one scheduler's thread.
// Errors:    returned values. An escaping exception ends the process.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  T await_resume() {
    if constexpr (!std::is_void_v<T>) return std::move(*handle_.promise().value);
  }

 private:
  Handle handle_;
};

namespace internal {
template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}
}  // namespace internal

// Owns Tasks that nobody awaits. Its end destroys those that have not finished.
//
// Lifetime:  must not be destroyed by one of its own Tasks while that Task runs.
// Threading: confined to one scheduler's thread.
class TaskScope {
 public:
  TaskScope() = default;
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;
  ~TaskScope() { Clear(); }

  // Runs `task` at once, up to its first wait.
  void Spawn(Task<void> task) { Run(*this, std::move(task)); }
  void Clear();
  std::size_t size() const { return size_; }

 private:
  struct Root {
    struct promise_type {
      TaskScope* scope;
      promise_type* previous = nullptr;
      promise_type* next = nullptr;

      promise_type(TaskScope& owner, Task<void>&) : scope(&owner) { scope->Link(this); }
      ~promise_type() { scope->Unlink(this); }
      Root get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() noexcept { std::terminate(); }
    };
  };

  static Root Run(TaskScope& scope, Task<void> task);
  void Link(Root::promise_type* root);
  void Unlink(Root::promise_type* root);

  Root::promise_type* first_ = nullptr;
  std::size_t size_ = 0;
};

// One value that arrives once, from a callback. Copies share it. `callback()` may be called at any
// time, also after the waiter is gone (then it does nothing); more than once: only the first
// counts.
//
// Threading: confined to one scheduler's thread.
template <class T>
class Completion {
  struct State;  // named by Awaiter, before its definition

 public:
  explicit Completion(Scheduler& scheduler)
      : scheduler_(&scheduler), state_(std::make_shared<State>()) {}

  Callback<T> callback() const {
    return [state = state_](T value) { Set(*state, std::move(value)); };
  }
  void Complete(T value) { Set(*state_, std::move(value)); }
  bool done() const { return state_->value.has_value(); }
  // Moves the value out; only once, only when done().
  T Take() {
    CHECK(done());
    return std::move(*state_->value);
  }

  class Awaiter {
   public:
    Awaiter(Scheduler& scheduler, std::shared_ptr<State> state, std::optional<TimePoint> until)
        : scheduler_(scheduler), state_(std::move(state)), until_(until) {}
    Awaiter(const Awaiter&) = delete;
    ~Awaiter() {
      state_->waiter = {};
      if (timer_ != 0) scheduler_.Cancel(timer_);
    }

    bool await_ready() const { return state_->value.has_value(); }
    void await_suspend(std::coroutine_handle<> waiter) {
      state_->waiter = waiter;
      if (!until_) return;
      timer_ = scheduler_.RunAfter(Deadline::At(*until_).Remaining(scheduler_.Now()), [this] {
        timer_ = 0;
        std::exchange(state_->waiter, {}).resume();
      });
    }
    // False: the time passed first.
    bool await_resume() const { return state_->value.has_value(); }

   private:
    Scheduler& scheduler_;
    std::shared_ptr<State> state_;
    std::optional<TimePoint> until_;
    Scheduler::TimerId timer_ = 0;
  };

  // Waits for the value; then Take() it.
  Awaiter Wait() { return Awaiter(*scheduler_, state_, std::nullopt); }
  // Waits until the value is there or `until` has passed; the value may still come later.
  Awaiter WaitUntil(TimePoint until) { return Awaiter(*scheduler_, state_, until); }

 private:
  struct State {
    std::optional<T> value;
    std::coroutine_handle<> waiter;
  };

  static void Set(State& state, T value) {
    if (state.value) return;
    state.value.emplace(std::move(value));
    if (state.waiter) std::exchange(state.waiter, {}).resume();
  }

  Scheduler* scheduler_;
  std::shared_ptr<State> state_;
};

// Waits for a while.
inline Task<void> Sleep(Scheduler& scheduler, Duration delay) {
  Completion<bool> never(scheduler);
  co_await never.WaitUntil(scheduler.Now() + delay);
}

}  // namespace minichat
