#include "storage/postgres/row_writer.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "server/base/log.h"
#include "server/base/utf8.h"
#include "storage/postgres/array_text.h"
#include "storage/postgres/statements.h"

namespace minichat::postgres {
namespace {

constexpr const char* kTaken = "the place holds another message";

auto KeyOf(const core::NewRow& row) {
  return std::tie(row.placed.message->room, row.placed.place.seq);
}

// What Postgres can't hold as text must not get as far as the driver, which would cut it.
bool IsStorable(const core::NewRow& row) {
  const core::Message& message = *row.placed.message;
  return IsCleanUtf8(message.body) && IsCleanUtf8(message.room.value()) &&
         IsCleanUtf8(message.sender.value()) && IsCleanUtf8(message.cid.value()) &&
         row.placed.place.seq <= core::kMaxSeq;
}

std::optional<std::int64_t> PartitionOf(const core::NewRow& row) {
  if (!row.partition) return std::nullopt;
  return *row.partition;
}

Letter ToLetter(const core::NewRow& row, const std::string& error) {
  const core::Message& message = *row.placed.message;
  const core::Seq seq = row.placed.place.seq;
  Letter letter{PartitionOf(row),
                row.offset,
                error + ": seq " + std::to_string(seq),
                core::SerializeMessage(message, 0),
                {},
                {}};
  if (IsCleanUtf8(message.room.value()) && seq <= core::kMaxSeq) {
    letter.room = message.room.value();
    letter.seq = static_cast<std::int64_t>(seq);
  }
  return letter;
}

// An error text comes from anywhere; the column takes UTF-8 without NUL.
std::string Printable(std::string text) {
  constexpr std::size_t kMaxBytes = 1'000;
  text.resize(std::min(text.size(), kMaxBytes));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

// The columns of kInsertRows that also name a row's place and id in kFindTaken.
struct Columns {
  ArrayText room, seq, id, sender, cid, kind, body, hash, sent_at, partition, offset;

  void Add(const core::NewRow& row) {
    const core::Message& message = *row.placed.message;
    room.Add(message.room.value());
    seq.Add(static_cast<std::int64_t>(row.placed.place.seq));
    id.Add(message.id.ToText());
    sender.Add(message.sender.value());
    cid.Add(message.cid.value());
    kind.Add(std::int64_t{static_cast<int>(message.kind)});
    body.Add(message.body);
    hash.Add(static_cast<std::int64_t>(message.hash));
    sent_at.Add(message.sent_at_ms);
    partition.Add(PartitionOf(row));
    offset.Add(row.offset);
  }
};

}  // namespace

Result<core::InsertReply> RowWriter::Write(const std::vector<core::NewRow>& rows) {
  std::vector<Entry> bad;
  std::vector<Entry> twins;
  const std::vector<Entry> sorted = Sort(rows, &bad, &twins);
  if (Status status = WriteOrSplit(sorted); !status.ok()) return status;
  if (!reply_.fenced && !bad.empty()) {
    if (Status status = Bury(bad, "not storable as text"); !status.ok()) return status;
  }
  if (!reply_.fenced && !twins.empty()) {
    if (Status status = Bury(twins, kTaken); !status.ok()) return status;
  }
  if (reply_.fenced) reply_.dead.clear();
  std::sort(reply_.dead.begin(), reply_.dead.end());
  return reply_;
}

std::vector<RowWriter::Entry> RowWriter::Sort(const std::vector<core::NewRow>& rows,
                                              std::vector<Entry>* bad, std::vector<Entry>* twins) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    (IsStorable(rows[i]) ? entries : *bad).push_back({i, &rows[i]});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return KeyOf(*a.row) < KeyOf(*b.row); });
  std::vector<Entry> once;
  for (const Entry& entry : entries) {
    if (once.empty() || KeyOf(*once.back().row) != KeyOf(*entry.row)) {
      once.push_back(entry);
    } else if (once.back().row->placed.message->id != entry.row->placed.message->id) {
      twins->push_back(entry);
    }
  }
  return once;
}

Status RowWriter::WriteOrSplit(Entries entries) {
  auto outcome = WriteAll(entries);
  if (outcome.ok()) {
    reply_.fenced = outcome->fenced;
    reply_.dead.insert(reply_.dead.end(), outcome->taken.begin(), outcome->taken.end());
    return {};
  }
  if (outcome.status().code() != StatusCode::kInvalidArgument) return outcome.status();
  if (entries.size() == 1) return Bury(entries, outcome.status().message());
  const std::size_t half = entries.size() / 2;
  if (Status status = WriteOrSplit(entries.first(half)); !status.ok()) return status;
  // What is written stays: it was right when it was, and is found when it comes again.
  if (reply_.fenced) return {};
  return WriteOrSplit(entries.subspan(half));
}

Result<RowWriter::Outcome> RowWriter::WriteAll(Entries entries) {
  return session_.Transact<Outcome>(
      deadline_, [&](pqxx::work& transaction) { return WriteIn(transaction, entries); });
}

RowWriter::Outcome RowWriter::WriteIn(pqxx::work& transaction, Entries entries) const {
  const auto current = transaction.exec_prepared1(kCurrentForShare)[0].as<core::Generation>();
  if (current != generation_) return {.fenced = true, .taken = {}};
  if (entries.empty()) return {};
  Columns c;
  for (const Entry& entry : entries) c.Add(*entry.row);
  const pqxx::result inserted = transaction.exec_prepared(
      kInsertRows, c.room.Finish(), c.seq.Finish(), c.id.Finish(), c.sender.Finish(),
      c.cid.Finish(), c.kind.Finish(), c.body.Finish(), c.hash.Finish(), c.sent_at.Finish(),
      c.partition.Finish(), c.offset.Finish());
  if (inserted.affected_rows() == entries.size()) return {};
  return {.fenced = false, .taken = BuryTaken(transaction, entries)};
}

// Rows that were not inserted were there before, or another message was: that must not happen.
std::vector<std::size_t> RowWriter::BuryTaken(pqxx::work& transaction, Entries entries) const {
  Columns c;
  for (const Entry& entry : entries) c.Add(*entry.row);
  const pqxx::result found =
      transaction.exec_prepared(kFindTaken, c.room.Finish(), c.seq.Finish(), c.id.Finish());
  std::vector<std::size_t> taken;
  std::vector<Letter> letters;
  for (const pqxx::row& row : found) {
    const Entry& entry = entries[row[0].as<std::size_t>()];
    const core::Message& message = *entry.row->placed.message;
    log::Error("place_taken", {{"room", message.room.value()},
                               {"seq", entry.row->placed.place.seq},
                               {"id", message.id.ToText()}});
    taken.push_back(entry.index);
    letters.push_back(ToLetter(*entry.row, kTaken));
  }
  AddLetters(transaction, topic_, letters);
  return taken;
}

Status RowWriter::Bury(Entries entries, const std::string& error) {
  std::vector<Letter> letters;
  for (const Entry& entry : entries) letters.push_back(ToLetter(*entry.row, error));
  const auto done = session_.Transact<bool>(deadline_, [&](pqxx::work& transaction) {
    AddLetters(transaction, topic_, letters);
    return true;
  });
  if (!done.ok()) return done.status();
  log::Error("rows_not_storable", {{"rows", entries.size()}, {"error", error}});
  for (const Entry& entry : entries) reply_.dead.push_back(entry.index);
  return {};
}

void AddLetters(pqxx::work& transaction, const std::string& topic,
                const std::vector<Letter>& letters) {
  if (letters.empty()) return;
  ArrayText partition, offset, error, raw, room, seq;
  for (const Letter& letter : letters) {
    partition.Add(letter.partition);
    offset.Add(letter.offset);
    error.Add(Printable(letter.error));
    raw.AddBytes(letter.raw);
    letter.room ? room.Add(*letter.room) : room.AddNull();
    seq.Add(letter.seq);
  }
  transaction.exec_prepared(kAddLetters, topic, partition.Finish(), offset.Finish(), error.Finish(),
                            raw.Finish(), room.Finish(), seq.Finish());
}

}  // namespace minichat::postgres
