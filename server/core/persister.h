#pragma once

#include <map>
#include <optional>
#include <vector>

#include "server/core/fan_out.h"
#include "server/core/placer.h"
#include "server/core/row_writer.h"

namespace minichat::core {

// Turns log records into rows, and completes messages whose node died before it placed them.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    a batch that can't be finished comes again; records that can't be read or stored go to
//            the dead letters.
// Ordering:  an offset moves after its rows are written and marked.
class Persister final : public LogConsumer {
 public:
  Persister(NodeContext& node, Membership& membership, Placer& placer, FanOut& fan_out,
            RowWriter& writer)
      : node_(node), membership_(membership), placer_(placer), fan_out_(fan_out), writer_(writer) {}

  void OnBatch(LogBatch batch, Callback<Status> done) override;

 private:
  // Where a record's message is: to be written at `place`, or nothing to write.
  struct Whereabouts {
    bool to_write = false;
    bool other_text = false;  // the id stands for another text
    Place place;
  };

  Task<void> Run(LogBatch batch, Callback<Status> done);
  Task<Status> Store(const LogBatch& batch);
  Task<Status> StoreUnreadable(const LogBatch& batch);
  struct Decided {
    std::vector<NewRow> rows;
    bool skipped = false;  // a record of a text that was refused
  };
  // Stops at the first record that can't be decided.
  Task<Status> Gather(const LogBatch& batch, Generation generation, Decided* decided);
  Task<Status> Carry(Decided decided, Generation generation);
  // None: nothing to write.
  Task<Result<std::optional<PlacedMessage>>> Resolve(const ConsumedRecord& record,
                                                     std::optional<UnstoredPlace> known,
                                                     Generation generation, bool* skipped);
  Task<Result<std::map<MessageId, UnstoredPlace>>> TakeAll(const LogBatch& batch,
                                                           Generation generation);
  Task<Result<std::vector<UnstoredPlace>>> Take(RoomId room, std::vector<MessageId> ids,
                                                Generation generation);
  Task<Result<Whereabouts>> FindOrPlace(ConsumedRecord record, MessageId base_id,
                                        Generation generation);
  Task<Result<std::optional<Whereabouts>>> WaitWhileYoung(ConsumedRecord record, MessageId base_id,
                                                          Generation generation);
  Task<Result<Whereabouts>> PlaceNow(ConsumedRecord record, MessageId base_id,
                                     Generation generation);

  NodeContext& node_;
  Membership& membership_;
  Placer& placer_;
  FanOut& fan_out_;
  RowWriter& writer_;
};

}  // namespace minichat::core
