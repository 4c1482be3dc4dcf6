#include "storage/kafka/kafka_source.h"

#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include "server/base/check.h"
#include "server/base/log.h"
#include "server/base/mutex.h"
#include "storage/kafka/kafka_handles.h"
#include "storage/kafka/partition_buffer.h"

namespace minichat::kafka {
namespace {

constexpr int kPollMillis = 100;
constexpr int kCommitMillis = 1'000;
constexpr int kDrainRecords = 1'000;  // taken at one turn before batches are handed out
constexpr Duration kLagPeriod = std::chrono::seconds(1);

std::string Millis(Duration duration) {
  return std::to_string(duration / std::chrono::milliseconds(1));
}

// How the consumer answered a batch. The epoch tells an answer for this assignment of the
// partition from one for an earlier assignment.
struct Answer {
  std::int32_t partition;
  std::uint64_t epoch;
  Status status;
};

// Where answers wait for the source's thread. Shared with callbacks, which may outlive the source.
class Mailbox {
 public:
  // Wakes the source's thread out of its wait for records.
  void SetWaker(QueueHandle queue) {
    const MutexLock lock(mutex_);
    queue_ = std::move(queue);
  }
  void Put(Answer answer) {
    const MutexLock lock(mutex_);
    answers_.push_back(std::move(answer));
    if (queue_) rd_kafka_queue_yield(queue_.get());
  }
  std::vector<Answer> TakeAll() {
    const MutexLock lock(mutex_);
    return std::exchange(answers_, {});
  }

  // No batch is handed out after this.
  void Close() { open_ = false; }
  bool open() const { return open_; }

 private:
  Mutex mutex_;
  std::vector<Answer> answers_ MINICHAT_GUARDED_BY(mutex_);  // at most one per partition and epoch
  QueueHandle queue_ MINICHAT_GUARDED_BY(mutex_);
  std::atomic<bool> open_ = true;
};

core::ConsumedRecord ToRecord(const rd_kafka_message_t& in) {
  core::ConsumedRecord record;
  record.offset = in.offset;
  rd_kafka_timestamp_type_t type;
  record.written_at_ms = rd_kafka_message_timestamp(&in, &type);
  const std::string_view bytes(static_cast<const char*>(in.payload), in.len);
  record.message = core::ParseMessage(bytes, &record.attempt, &record.error);
  if (record.message == nullptr) record.raw = std::string(bytes);
  return record;
}

}  // namespace

class KafkaSource::Impl {
 public:
  Impl(KafkaSourceOptions options, Scheduler& scheduler, MetricsRegistry& metrics)
      : options_(std::move(options)),
        scheduler_(scheduler),
        lag_(metrics.AddGauge("minichat_persist_lag_records",
                              "Records of this node's partitions that are not stored yet")) {}

  void Start(core::LogConsumer& consumer);
  void Stop();

 private:
  struct Partition {
    std::uint64_t epoch;
    PartitionBuffer buffer;
    std::int64_t next_offset = RD_KAFKA_OFFSET_INVALID;  // of what is not stored
    bool paused = false;
  };

  ClientHandle MakeConsumer();
  void Subscribe();
  void Run(std::stop_token stop);
  void TakeRecords();
  bool TakeRecord(int timeout_ms);
  void HandOut();
  void Post(std::int32_t partition, std::uint64_t epoch, std::vector<core::ConsumedRecord> records);
  void TakeAnswers();
  void StoreOffset(std::int32_t partition, std::int64_t next);
  void PauseOrResume(std::int32_t id, Partition& partition);
  void UpdateLag();
  void Close();

  void OnAssigned(const rd_kafka_topic_partition_list_t& partitions);
  void OnRevoked();
  void CommitNow();
  static void OnRebalance(rd_kafka_t* client, rd_kafka_resp_err_t event,
                          rd_kafka_topic_partition_list_t* partitions, void* self);

  const KafkaSourceOptions options_;
  Scheduler& scheduler_;
  Gauge& lag_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  core::LogConsumer* consumer_ = nullptr;

  // Of the source's thread.
  ClientHandle client_;
  std::map<std::int32_t, Partition> partitions_;
  std::uint64_t epochs_ = 0;
  bool offsets_changed_ = false;  // since the last sync commit
  TimePoint next_lag_{};
  std::jthread thread_;
};

ClientHandle KafkaSource::Impl::MakeConsumer() {
  auto conf = MakeConf({
      {"bootstrap.servers", options_.brokers},
      {"client.id", "minichat"},
      {"group.id", options_.group},
      {"partition.assignment.strategy", "range"},
      {"auto.offset.reset", "earliest"},
      // An offset is stored only behind what is in Postgres; what is stored is committed soon.
      {"enable.auto.offset.store", "false"},
      {"enable.auto.commit", "true"},
      {"auto.commit.interval.ms", "5000"},  // what a crash makes read again is known to Postgres
      {"session.timeout.ms", Millis(options_.session_timeout)},
      {"heartbeat.interval.ms", Millis(options_.session_timeout / 4)},
      // Nobody waits for a row: records are read some at a time, as each fetch wakes threads here
      // and in the broker, and ends in a transaction and a script of its own.
      {"fetch.wait.max.ms", "250"},
      {"fetch.min.bytes", "65536"},
      {"queued.max.messages.kbytes", "8192"},
      {"allow.auto.create.topics", "false"},
      {"socket.keepalive.enable", "true"},
      {"socket.timeout.ms", "10000"},
      {"reconnect.backoff.max.ms", "1000"},
  });
  CHECK(conf.ok());  // constants and checked options
  rd_kafka_conf_set_opaque(conf->get(), this);
  rd_kafka_conf_set_rebalance_cb(conf->get(), OnRebalance);
  auto client = MakeClient(RD_KAFKA_CONSUMER, std::move(*conf));
  CHECK(client.ok());  // fails only for lack of memory or threads
  rd_kafka_poll_set_consumer(client->get());
  return std::move(*client);
}

void KafkaSource::Impl::Subscribe() {
  const PartitionsHandle topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), options_.topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(client_.get(), topics.get());
  CHECK(error == RD_KAFKA_RESP_ERR_NO_ERROR);  // only local state is set
}

void KafkaSource::Impl::Start(core::LogConsumer& consumer) {
  consumer_ = &consumer;
  client_ = MakeConsumer();
  mailbox_->SetWaker(QueueHandle(rd_kafka_queue_get_consumer(client_.get())));
  Subscribe();
  thread_ = std::jthread([this](std::stop_token stop) { Run(stop); });
}

void KafkaSource::Impl::Stop() {
  mailbox_->Close();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  thread_ = {};
}

void KafkaSource::Impl::Run(std::stop_token stop) {
  pthread_setname_np(pthread_self(), "kafka-source");
  while (!stop.stop_requested()) {
    TakeRecords();
    TakeAnswers();
    HandOut();
    UpdateLag();
  }
  TakeAnswers();
  Close();
}

void KafkaSource::Impl::TakeRecords() {
  if (!TakeRecord(kPollMillis)) return;
  for (int taken = 1; taken < kDrainRecords && TakeRecord(0); ++taken) {
  }
}

bool KafkaSource::Impl::TakeRecord(int timeout_ms) {
  const MessageHandle message(rd_kafka_consumer_poll(client_.get(), timeout_ms));
  if (!message) return false;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    // librdkafka goes on by itself; this only tells.
    log::Warn("kafka_consumer_error", {{"error", rd_kafka_message_errstr(message.get())}});
    return true;
  }
  const auto found = partitions_.find(message->partition);
  if (found == partitions_.end()) return true;  // read ahead of a revocation
  Partition& partition = found->second;
  core::ConsumedRecord record = ToRecord(*message);
  if (partition.next_offset == RD_KAFKA_OFFSET_INVALID) partition.next_offset = record.offset;
  partition.buffer.Add(std::move(record), message->len + message->key_len);
  PauseOrResume(found->first, partition);
  return true;
}

void KafkaSource::Impl::HandOut() {
  const TimePoint now = scheduler_.Now();
  for (auto& [id, partition] : partitions_) {
    auto records = partition.buffer.Next(now);
    if (records.empty()) continue;
    Post(id, partition.epoch, std::move(records));
    PauseOrResume(id, partition);
  }
}

void KafkaSource::Impl::Post(std::int32_t partition, std::uint64_t epoch,
                             std::vector<core::ConsumedRecord> records) {
  auto batch = std::make_shared<core::LogBatch>();
  batch->partition = partition;
  batch->records = std::move(records);
  scheduler_.Post([mailbox = mailbox_, consumer = consumer_, epoch, batch] {
    if (!mailbox->open()) return;
    const std::int32_t id = batch->partition;
    consumer->OnBatch(std::move(*batch), [mailbox, id, epoch](Status status) {
      mailbox->Put({id, epoch, std::move(status)});
    });
  });
}

void KafkaSource::Impl::TakeAnswers() {
  for (const Answer& answer : mailbox_->TakeAll()) {
    const auto found = partitions_.find(answer.partition);
    if (found == partitions_.end() || found->second.epoch != answer.epoch) continue;
    Partition& partition = found->second;
    if (!partition.buffer.out()) continue;  // answered twice
    if (answer.status.ok()) {
      partition.next_offset = partition.buffer.OnStored();
      StoreOffset(found->first, partition.next_offset);
    } else {
      log::Warn("persist_batch_failed",
                {{"partition", found->first}, {"error", answer.status.ToString()}});
      partition.buffer.OnFailed(scheduler_.Now());
    }
  }
}

void KafkaSource::Impl::StoreOffset(std::int32_t partition, std::int64_t next) {
  const PartitionsHandle offsets(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(offsets.get(), options_.topic.c_str(), partition)->offset =
      next;
  const rd_kafka_resp_err_t error = rd_kafka_offsets_store(client_.get(), offsets.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    // The partition is about to be taken away; its next owner reads the batch again.
    log::Debug("kafka_offset_not_stored", {{"error", rd_kafka_err2str(error)}});
    return;
  }
  offsets_changed_ = true;
}

void KafkaSource::Impl::PauseOrResume(std::int32_t id, Partition& partition) {
  const bool pause = !partition.paused && partition.buffer.IsFull();
  const bool resume = partition.paused && partition.buffer.IsHalfEmpty();
  if (!pause && !resume) return;
  const PartitionsHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), options_.topic.c_str(), id);
  if (pause) {
    rd_kafka_pause_partitions(client_.get(), list.get());
  } else {
    rd_kafka_resume_partitions(client_.get(), list.get());
  }
  partition.paused = pause;
}

void KafkaSource::Impl::UpdateLag() {
  const TimePoint now = scheduler_.Now();
  if (now < next_lag_) return;
  next_lag_ = now + kLagPeriod;
  std::int64_t lag = 0;
  for (const auto& [id, partition] : partitions_) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    // What the last fetch said; no request.
    rd_kafka_get_watermark_offsets(client_.get(), options_.topic.c_str(), id, &low, &high);
    if (partition.next_offset >= 0) lag += std::max<std::int64_t>(0, high - partition.next_offset);
  }
  lag_.Set(static_cast<double>(lag));
}

// Leaves the group, within stop_limit: a broker that hangs must not hold up the exit.
void KafkaSource::Impl::Close() {
  mailbox_->SetWaker(nullptr);
  QueueHandle queue(rd_kafka_queue_new(client_.get()));
  const ErrorHandle error(rd_kafka_consumer_close_queue(client_.get(), queue.get()));
  const TimePoint end = scheduler_.Now() + options_.stop_limit;
  while (!rd_kafka_consumer_closed(client_.get()) && scheduler_.Now() < end) {
    // Revocation comes through here, and so do records that were fetched already: those are read
    // again by the next owner. Polling for callbacks only would abort on one.
    const MessageHandle dropped(rd_kafka_consume_queue(queue.get(), kPollMillis));
  }
  lag_.Set(0);
  partitions_.clear();
  const bool closed = rd_kafka_consumer_closed(client_.get()) != 0;
  queue.reset();
  if (closed) {
    client_.reset();
    return;
  }
  // Destroying it would wait for the broker, for minutes. Nobody polls it any more, so it calls
  // nothing of ours; it ends with the process, and the group drops it after its session's timeout.
  log::Warn("kafka_group_not_left");
  rd_kafka_set_log_level(client_.get(), 0);  // its threads may outlive our log
  static_cast<void>(client_.release());
}

void KafkaSource::Impl::OnAssigned(const rd_kafka_topic_partition_list_t& partitions) {
  partitions_.clear();
  const PartitionBuffer::Limits limits{options_.batch_records,  options_.batch_bytes,
                                       options_.buffer_records, options_.buffer_bytes,
                                       options_.first_retry,    options_.max_retry};
  for (int i = 0; i < partitions.cnt; ++i) {
    const std::int32_t id = partitions.elems[i].partition;
    partitions_.emplace(id, Partition{++epochs_, PartitionBuffer(limits)});
  }
  log::Info("kafka_partitions_assigned", {{"partitions", partitions.cnt}});
}

void KafkaSource::Impl::OnRevoked() {
  TakeAnswers();  // what is stored by now need not be read again
  partitions_.clear();
  if (std::exchange(offsets_changed_, false) && !rd_kafka_assignment_lost(client_.get())) {
    CommitNow();
  }
  log::Info("kafka_partitions_revoked");
}

// Waits for the broker's word, but not for ever, as rd_kafka_commit() would on one that hangs.
// When it fails, the records come again: harmless.
void KafkaSource::Impl::CommitNow() {
  const QueueHandle queue(rd_kafka_queue_new(client_.get()));
  rd_kafka_commit_queue(client_.get(), nullptr, queue.get(), nullptr, nullptr);
  const EventHandle reply(rd_kafka_queue_poll(queue.get(), kCommitMillis));
  if (!reply) log::Warn("kafka_commit_unanswered");
}

void KafkaSource::Impl::OnRebalance(rd_kafka_t* client, rd_kafka_resp_err_t event,
                                    rd_kafka_topic_partition_list_t* partitions, void* self) {
  auto& impl = *static_cast<Impl*>(self);
  if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    impl.OnAssigned(*partitions);
    rd_kafka_assign(client, partitions);
  } else {
    impl.OnRevoked();
    rd_kafka_assign(client, nullptr);
  }
}

KafkaSource::KafkaSource(KafkaSourceOptions options, Scheduler& scheduler, MetricsRegistry& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), scheduler, metrics)) {}

KafkaSource::~KafkaSource() {
  Stop();
}

void KafkaSource::Start(core::LogConsumer& consumer) {
  impl_->Start(consumer);
}

void KafkaSource::Stop() {
  impl_->Stop();
}

}  // namespace minichat::kafka
