#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/base/task.h"
#include "server/core/chat_node.h"
#include "server/core/ports/client_link.h"

namespace minichat::sim {

class SimClient;
class SimNode;
class SimWorld;

// One connection of a client to a node. Frames keep their order in both directions.
//
// Lifetime: shared by the node's session, the client and frames under way.
class SimLink final : public core::ClientLink, public std::enable_shared_from_this<SimLink> {
 public:
  using Request = std::function<void(core::ChatNode&)>;

  SimLink(SimWorld& world, SimClient& client, SimNode& node);

  void Deliver(const core::EventPtr& event) override;
  bool CanTakePage() const override;
  void TellGap(const core::RoomId& room, core::Seq from, core::Seq to) override;
  void Tell(const core::NoticePtr& notice) override;
  void CloseForRestart() override;
  // All rooms are open here, and nobody moderates.
  void TellRemoved(const core::RoomId&) override {}
  void End(core::SessionEnd) override {}

  // The client's end: the request is handled on the node if the session is still open there, and
  // once no resume is under way.
  void ToNode(Request request);
  void Close();
  // The node's end.
  void ToClient(std::function<void()> frame);
  void NodeDied();
  void Open(const core::UserId& user);
  // On the node, as ws::ClientSession does it: further requests wait from here ...
  void ResumeBegins() { resuming_ = true; }
  // ... to here.
  void ResumeEnds();
  // The node is gone, and nobody will answer them. They hold this link.
  void DropWaiting() { waiting_.clear(); }

  SimNode& node() const { return node_; }
  std::uint64_t epoch() const { return epoch_; }
  const core::SessionId& session() const { return session_; }

 private:
  // Runs on the node, after what set out before, if the session is still open there.
  void Arrive(Request request);
  void Handle(const Request& request);

  SimWorld& world_;
  SimClient& client_;
  SimNode& node_;
  const std::uint64_t epoch_;
  const std::uint64_t stream_;
  core::SessionId session_;
  bool open_ = true;  // on the node
  bool resuming_ = false;
  std::vector<Request> waiting_;  // for the end of the resume
  mutable bool drain_awaited_ = false;
  core::EventPtr held_back_;  // only of a lying link
  TimePoint last_to_node_{};
  TimePoint last_to_client_{};
};
using SimLinkPtr = std::shared_ptr<SimLink>;

// What a client saw of a room without interruption: from its cursor at the join, through moves
// and resumes, until it left or was told of a gap.
struct Interval {
  struct Received {
    core::Seq seq;
    core::MessageId id;
    core::BodyHash hash;
    double at;
    SimLinkPtr link;
  };
  core::RoomId room;
  core::Seq start = 0;
  core::Generation generation = 0;  // in which it began
  double from = 0;
  double joined_at = 0;      // for the last time
  std::optional<double> to;  // none: it goes on
  std::string why;           // ... it ended
  std::vector<Received> received;
  std::vector<SimLinkPtr> links;  // on which it was joined, in order
  std::map<SimLinkPtr, core::Generation> generations;

  bool IsJoinedOn(const SimLinkPtr& link) const { return !links.empty() && links.back() == link; }
};

// A chat client as docs/protocol.md wants it: one that reconnects anywhere, resumes from its last
// seq per room, and repeats what was not acknowledged under the same cid.
class SimClient {
 public:
  SimClient(SimWorld& world, std::string name, core::UserId user);

  void Start();
  // One message with its retries. `last`: of the finale; it must get through.
  Task<void> SendMessage(core::RoomId room, std::string cid, std::string body, bool last);
  std::string NextCid() { return name_ + "." + std::to_string(++cids_); }

  // From the links.
  void OnWelcome(const SimLinkPtr& link);
  void OnEvent(const SimLinkPtr& link, const core::EventPtr& event);
  void OnGap(const SimLinkPtr& link, const core::RoomId& room, core::Seq to,
             core::Generation generation);
  void OnNotice(const SimLinkPtr& link, const core::NoticePtr& notice);
  void OnJoined(const SimLinkPtr& link, const core::ClientResult<core::JoinReply>& result,
                const core::RoomId& room, std::uint64_t visit, core::Generation generation);
  void OnLost(const SimLinkPtr& link);

  const std::string& name() const { return name_; }
  const core::UserId& user() const { return user_; }
  const SimLinkPtr& link() const { return link_; }
  const std::set<core::RoomId>& wanted() const { return wanted_; }
  const std::map<core::RoomId, std::shared_ptr<Interval>>& present() const { return present_; }
  const std::vector<std::shared_ptr<Interval>>& all() const { return all_; }
  // Who is in the room, as it was shown (`who`) and told since; null: it doesn't know.
  const std::set<core::UserId>* OnlineIn(const core::RoomId& room) const;
  // When it last came to or left a room or a node.
  double moved_at() const { return moved_at_; }
  // When it was without a connection: from, to.
  const std::vector<std::pair<double, double>>& absences() const { return absences_; }

 private:
  struct Answer {
    bool acked = false;
    bool conflict = false;
  };

  Task<void> KeepConnected();
  Task<void> Live();
  void TryToConnect();
  void JoinWanted();
  void AskWho();
  void TraceShown(const core::RoomId& room, const std::set<core::UserId>& users) const;
  void Act();
  void SendSomething();
  void Type();
  void LeaveOrJoin();
  void Move();
  void GoAway();
  void ReadHistory();
  void Resume(const SimLinkPtr& link);
  void AnswerJoin(const SimLinkPtr& link, const core::ClientResult<core::JoinReply>& result,
                  const core::RoomId& room, std::uint64_t visit);
  void End(const core::RoomId& room, const std::string& why);
  Interval& Begin(const core::RoomId& room, core::Seq start, core::Generation generation,
                  const SimLinkPtr& link);

  SimWorld& world_;
  const std::string name_;
  const core::UserId user_;
  SimLinkPtr link_;  // null: not connected
  bool connecting_ = false;
  double connecting_since_ = 0;
  double away_until_ = 0;
  std::set<core::RoomId> wanted_;
  std::map<core::RoomId, double> next_join_;      // not before
  std::map<core::RoomId, std::uint64_t> visits_;  // ended ones: late answers belong to them
  std::map<core::RoomId, std::shared_ptr<Interval>> present_;
  std::map<core::RoomId, core::Seq> last_seq_;
  std::vector<std::shared_ptr<Interval>> all_;
  std::map<core::RoomId, std::set<core::UserId>> online_;  // on link_
  std::map<core::RoomId, double> next_who_;                // not before
  double moved_at_ = 0;
  std::vector<std::pair<double, double>> absences_;
  std::uint64_t cids_ = 0;
  std::uint64_t requests_ = 0;
  std::map<std::uint64_t, Callback<Answer>> waiting_;  // sends, by request
};

}  // namespace minichat::sim
