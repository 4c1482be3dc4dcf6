#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "server/base/task.h"
#include "storage/postgres/session_pool.h"

// Private to storage/postgres.
namespace minichat::postgres {

// Runs `work` on one of the pool's threads; `done` on the scheduler, with its result.
template <class T>
void Call(SessionPool& pool, Deadline deadline, std::function<Result<T>(PgSession&)> work,
          Callback<Result<T>> done) {
  auto result = std::make_shared<std::optional<Result<T>>>();
  pool.Run(
      deadline, [result, work = std::move(work)](PgSession& s) { result->emplace(work(s)); },
      [result, done = std::move(done)](Status status) {
        done(status.ok() ? std::move(**result) : Result<T>(std::move(status)));
      });
}

// A call that is one transaction.
template <class T>
void Transact(SessionPool& pool, Deadline deadline, std::function<T(pqxx::work&)> work,
              Callback<Result<T>> done) {
  Call<T>(
      pool, deadline,
      [deadline, work = std::move(work)](PgSession& s) { return s.Transact<T>(deadline, work); },
      std::move(done));
}

// One without a value.
inline void TransactStatus(SessionPool& pool, Deadline deadline,
                           std::function<void(pqxx::work&)> work, Callback<Status> done) {
  Transact<bool>(
      pool, deadline,
      [work = std::move(work)](pqxx::work& transaction) {
        work(transaction);
        return true;
      },
      [done = std::move(done)](const Result<bool>& result) { done(result.status()); });
}

}  // namespace minichat::postgres
