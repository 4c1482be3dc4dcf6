#include "tests/sim/sim_store.h"

#include <optional>
#include <string_view>

#include "tests/sim/observer.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

using core::Generation;
using core::RoomId;
using memory::StoreState;

SimStoreServer::SimStoreServer(SimWorld& world)
    : state_(memory::StoreLimits{}, world.options().rules) {}

SimStore::SimStore(SimWorld& world, SimNode& node, SimScheduler& scheduler)
    : world_(world), node_(node), scheduler_(scheduler) {}

bool SimStore::available() const {
  return world_.store().up();
}

template <class T>
struct SimStore::Call {
  const char* name;
  TimePoint deadline;
  std::function<T(StoreState&)> run;
  Callback<Result<T>> done;
  std::optional<T> reply;
  bool finished = false;
};

template <class T>
void SimStore::Send(const char* name, Deadline deadline, Callback<Result<T>> done,
                    std::function<T(StoreState&)> run) {
  auto call = std::make_shared<Call<T>>(
      Call<T>{name, deadline.end(), std::move(run), std::move(done), std::nullopt});
  world_.Hit(name, "sent", &node_);
  Timeline& timeline = world_.timeline();
  timeline.After(world_.Net(), [this, call] {
    SimStoreServer& server = world_.store();
    if (!server.up()) {
      world_.timeline().After(Seconds(.002),
                              [this, call] { Finish(call, Unavailable("postgres: down")); });
    } else if (server.reads_slowly() && std::string_view(call->name) == "pg_range") {
      world_.timeline().After(Seconds(world_.random().Uniform(.2, 1.7)),
                              [this, call] { Execute(call); });
    } else if (server.slow() && world_.random().Chance(.5)) {
      world_.timeline().After(Seconds(world_.random().Uniform(0, 4)),
                              [this, call] { Execute(call); });
    } else {
      Execute(call);
    }
  });
  if (world_.store().slow()) {
    timeline.At(call->deadline,
                [this, call] { Finish(call, DeadlineExceeded("postgres: no reply")); });
  }
}

template <class T>
void SimStore::Execute(const std::shared_ptr<Call<T>>& call) {
  SimStoreServer& server = world_.store();
  call->reply = call->run(server.state());
  world_.Hit(call->name, "done", &node_);
  if (server.lossy() && world_.random().Chance(.2)) {
    world_.timeline().After(Seconds(.01),
                            [this, call] { Finish(call, Unavailable("postgres: reset")); });
    return;
  }
  world_.timeline().After(world_.Net(), [this, call] {
    Finish(call, world_.store().up() ? Status() : Unavailable("postgres: down"));
  });
}

template <class T>
void SimStore::Finish(const std::shared_ptr<Call<T>>& call, Status status) {
  if (std::exchange(call->finished, true)) return;
  scheduler_.Arrive(
      [call, status] { call->done(status.ok() ? Result<T>(*call->reply) : Result<T>(status)); });
}

void SimStore::NextGeneration(const std::string& run_id, Deadline deadline,
                              Callback<Result<Generation>> done) {
  Send<Generation>("pg_gen", deadline, std::move(done), [this, run_id](StoreState& state) {
    const Generation number = state.NextGeneration();
    world_.Trace("pg: number " + std::to_string(number) + " for " + run_id);
    return number;
  });
}

void SimStore::CurrentGeneration(Deadline deadline, Callback<Result<Generation>> done) {
  Send<Generation>("pg_current", deadline, std::move(done),
                   [](StoreState& state) { return state.CurrentGeneration(); });
}

void SimStore::PrepareWarming(const RoomId& room, Generation generation, Deadline deadline,
                              Callback<Result<core::WarmingFacts>> done) {
  Send<core::WarmingFacts>(
      "pg_max", deadline, std::move(done), [this, room, generation](StoreState& state) {
        return state.PrepareWarming(world_.timeline().WallMillis(), room, generation);
      });
}

void SimStore::Lookup(const RoomId& room, const core::MessageId& id,
                      std::optional<core::MessageId> variant, core::BodyHash hash,
                      Deadline deadline, Callback<Result<std::optional<core::StoredRow>>> done) {
  Send<std::optional<core::StoredRow>>("pg_look", deadline, std::move(done),
                                       [room, id, variant, hash](StoreState& state) {
                                         return state.Lookup(room, id, variant, hash);
                                       });
}

void SimStore::Insert(std::vector<core::NewRow> rows, Generation generation, Deadline deadline,
                      Callback<Result<core::InsertReply>> done) {
  Send<core::InsertReply>("pg_insert", deadline, std::move(done),
                          [this, rows = std::move(rows), generation](StoreState& state) {
                            return InsertNow(state, rows, generation);
                          });
}

core::InsertReply SimStore::InsertNow(StoreState& state, std::vector<core::NewRow> rows,
                                      Generation generation) {
  if (world_.options().lie == Lie::kLoseRows && world_.random().Chance(.1)) rows.pop_back();
  const core::InsertReply reply = state.Insert(world_.timeline().WallMillis(), rows, generation);
  if (reply.fenced) return reply;
  std::vector<bool> dead(rows.size());
  for (const std::size_t index : reply.dead) dead[index] = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (dead[i]) {
      world_.observer().OnCollision(rows[i].placed);
    } else {
      world_.observer().OnRow(rows[i].placed);
    }
  }
  return reply;
}

void SimStore::Range(const core::RangeRequest& request, Deadline deadline,
                     Callback<Result<std::vector<core::PlacedMessage>>> done) {
  Send<std::vector<core::PlacedMessage>>(
      "pg_range", deadline, std::move(done),
      [request](StoreState& state) { return state.Range(request); });
}

void SimStore::AddDeadLetters(std::vector<core::DeadLetter> letters, Deadline deadline,
                              Callback<Status> done) {
  Send<bool>(
      "pg_dead", deadline,
      [done = std::move(done)](const Result<bool>& reply) {
        done(reply.ok() ? Status() : reply.status());
      },
      [letters = std::move(letters)](StoreState& state) {
        state.AddDeadLetters(letters);
        return true;
      });
}

}  // namespace minichat::sim
