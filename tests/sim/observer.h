#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/core/chat_node.h"
#include "server/core/message.h"

namespace minichat::sim {

class SimClient;
class SimNode;
class SimWorld;
struct Interval;

// Sees everything, outside the code under test, and checks the promises P1-P6 and P9 at each step
// and at the end, when the faults have stopped and everything must have become whole.
//
// What a loss of Redis excuses, and nothing else does: a place is *void* when it never got a row
// and the message has a place in a later generation. Then
//   - the ack's or an earlier delivery's number may be the void one; the row is at the last place;
//   - who got the message under the void number needn't get it again, nor who joined above it while
//     its generation lived;
//   - another session of the same client may get it a second time; the same session only if the
//     message was without a row for longer than dedup.ttl.
class Observer {
 public:
  struct Problem {
    double at;
    std::string kind;
    std::string text;
  };

  struct Visible {
    std::set<core::Seq> seqs;
    core::Seq head = 0;  // in the memory of the node's Redis
  };

  explicit Observer(SimWorld& world) : world_(world) {}

  const std::vector<Problem>& problems() const { return problems_; }
  const std::map<std::string, std::uint64_t>& notes() const { return notes_; }
  // The first of a kind with the same subject (first word of `text`) counts.
  void Violation(const std::string& kind, const std::string& text);
  void Note(const std::string& what) { ++notes_[what]; }

  // As things happen.
  void OnPlaced(const core::Message& message, const core::Place& place, const SimNode& by);
  void OnRow(const core::PlacedMessage& row);
  void OnCollision(const core::PlacedMessage& row);
  void OnAck(const core::UserId& user, const core::SendRequest& send, const core::Ack& ack);
  void OnDelivery(const core::Event& event);
  void OnHistory(SimNode& node, const core::HistoryRequest& request, const core::HistoryPage& page,
                 const Visible& before);
  void Watch();  // a few times a second
  void Finish();

  // What a complete read on this node would find now.
  Visible Present(SimNode& node, const core::RoomId& room) const;
  // A number near the head.
  core::Seq Somewhere(const core::RoomId& room) const;

 private:
  // Who the message is, whatever id it is stored under: (id of (room, sender, cid), text).
  using Key = std::pair<core::MessageId, core::BodyHash>;
  struct Placed {
    core::RoomId room;
    core::Place place;
    core::MessageId id;
    Key key;
    std::string label;
    double at;
    bool acked = false;
    bool seen = false;  // by a client
    bool told = false;
  };
  using PlacedPtr = std::shared_ptr<Placed>;
  struct Acked {
    Key key;
    PlacedPtr place;
    core::RoomId room;
    core::Seq seq;
    double at;
  };

  void CheckTexts(const PlacedPtr& placed);
  PlacedPtr Find(const core::RoomId& room, core::Seq seq) const;
  void CheckContent(const core::RoomId& room, core::Seq seq, const core::MessageId& id,
                    core::BodyHash hash, const char* where, bool seen);
  bool HasRow(const Placed& placed) const;
  bool IsVoid(const Placed& placed) const;
  bool IsLate(const Placed& placed, const Placed& again) const;
  // A retry that came too late: a new message, though it has the id and text of a stored one.
  bool IsNewAgain(const Placed& placed) const;
  bool AnotherTextHasRow(const Placed& placed) const;
  std::string Describe(const Placed& placed) const;
  // Numbers that the interval should have got and did not, of messages placed before
  // `placed_before`.
  std::vector<core::Seq> Missed(const Interval& interval, core::Seq up_to,
                                double placed_before) const;
  void CheckComplete();
  void CheckSilentRooms();
  void CheckPresence();
  void FinishPlaces();
  void FinishAcks();
  void FinishInterval(const SimClient& client, const Interval& interval);
  void CheckRepeats(const Interval& interval, const std::string& where);
  void CheckInTime(const SimClient& client, const Interval& interval);
  void FinishViews();
  void FinishServices();

  SimWorld& world_;
  std::vector<Problem> problems_;
  std::set<std::string> kinds_;
  std::map<std::string, std::uint64_t> notes_;
  std::map<core::RoomId, std::map<core::Seq, PlacedPtr>> truth_;
  std::map<Key, std::vector<PlacedPtr>> places_;
  std::map<core::MessageId, PlacedPtr> first_texts_;  // of each (room, sender, cid)
  std::map<std::pair<core::MessageId, core::Generation>, PlacedPtr> texts_;  // ... in one memory
  std::vector<PlacedPtr> without_row_;
  std::vector<Acked> acks_;
  double next_silent_check_ = 0;
};

}  // namespace minichat::sim
