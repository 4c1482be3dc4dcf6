#pragma once

#include <mutex>

// Annotations that clang checks with -Wthread-safety (./dev check); empty for other compilers.
#if defined(__clang__)
#define MINICHAT_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define MINICHAT_THREAD_ANNOTATION(x)
#endif
#define MINICHAT_CAPABILITY(name) MINICHAT_THREAD_ANNOTATION(capability(name))
#define MINICHAT_SCOPED_CAPABILITY MINICHAT_THREAD_ANNOTATION(scoped_lockable)
#define MINICHAT_GUARDED_BY(mutex) MINICHAT_THREAD_ANNOTATION(guarded_by(mutex))
#define MINICHAT_REQUIRES(mutex) MINICHAT_THREAD_ANNOTATION(requires_capability(mutex))
#define MINICHAT_ACQUIRE(...) MINICHAT_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define MINICHAT_RELEASE(...) MINICHAT_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

namespace minichat {

// std::mutex with annotations: libstdc++'s has none.
//
// Threading: thread-safe.
class MINICHAT_CAPABILITY("mutex") Mutex {
 public:
  void lock() MINICHAT_ACQUIRE() { mutex_.lock(); }
  void unlock() MINICHAT_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for a scope.
class MINICHAT_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) MINICHAT_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() MINICHAT_RELEASE() { mutex_.unlock(); }
  // For std::condition_variable_any, which lets go of the lock while it waits.
  void lock() MINICHAT_ACQUIRE() { mutex_.lock(); }
  void unlock() MINICHAT_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace minichat
