#include "storage/kafka/kafka_log.h"

#include <array>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include "server/base/log.h"
#include "server/base/mutex.h"
#include "storage/kafka/kafka_handles.h"

namespace minichat::kafka {
namespace {

constexpr int kPollMillis = 100;
constexpr int kProbeMillis = 250;
// So long without a word from Kafka it is asked for one; so long without any answer it is away.
constexpr Duration kQuiet = std::chrono::seconds(2);
constexpr Duration kSilent = std::chrono::seconds(5);
constexpr Duration kFatalFlush = std::chrono::milliseconds(500);

int Millis(Duration duration) {
  return static_cast<int>(duration / std::chrono::milliseconds(1));
}

// One record that waits for its delivery report; the producer holds its address meanwhile.
struct Waiting {
  Callback<Status> done;
};

struct Report {
  std::unique_ptr<Waiting> waiting;
  Status status;
};
using Reports = std::vector<Report>;

// What a delivery report means. "Not persisted" is librdkafka's word that no broker was sent it.
Status Judge(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const std::string text = std::string("kafka: append: ") + rd_kafka_err2str(message.err);
  if (rd_kafka_message_status(&message) == RD_KAFKA_MSG_STATUS_NOT_PERSISTED) {
    return Unavailable(text);
  }
  return UnknownOutcome(text);
}

Status JudgeRefusal(rd_kafka_resp_err_t error) {
  const std::string text = std::string("kafka: append: ") + rd_kafka_err2str(error);
  if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) return ResourceExhausted(text);
  if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) return InvalidArgument(text);
  return Unavailable(text);
}

// Never blocks: the record is copied into the producer's queue, or refused.
rd_kafka_resp_err_t Produce(rd_kafka_t* producer, const std::string& topic, const std::string& key,
                            const std::string& value, Waiting* waiting) {
  std::array<rd_kafka_vu_t, 5> fields{};
  fields[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  fields[0].u.cstr = topic.c_str();
  fields[1].vtype = RD_KAFKA_VTYPE_KEY;
  fields[1].u.mem = {const_cast<char*>(key.data()), key.size()};
  fields[2].vtype = RD_KAFKA_VTYPE_VALUE;
  fields[2].u.mem = {const_cast<char*>(value.data()), value.size()};
  fields[3].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  fields[3].u.i = RD_KAFKA_MSG_F_COPY;
  fields[4].vtype = RD_KAFKA_VTYPE_OPAQUE;
  fields[4].u.ptr = waiting;
  const ErrorHandle error(rd_kafka_produceva(producer, fields.data(), fields.size()));
  return error ? rd_kafka_error_code(error.get()) : RD_KAFKA_RESP_ERR_NO_ERROR;
}

// Shared with what is posted to the scheduler, which may outlive the log.
struct Gate {
  std::atomic<bool> open = true;
};

}  // namespace

struct KafkaLog::Impl {
  Impl(KafkaLogOptions o, Scheduler& s, MetricsRegistry& metrics)
      : options(std::move(o)),
        scheduler(s),
        depth(metrics.AddGauge("minichat_queue_depth", "Entries that wait in a queue",
                               {{"queue", "log"}})),
        overflows(metrics.AddCounter("minichat_queue_overflows_total",
                                     "Entries that a full queue did not take",
                                     {{"queue", "log"}})) {}

  Result<std::shared_ptr<rd_kafka_t>> MakeProducer();
  void Run(std::stop_token stop);
  void ProbeWhenQuiet();
  bool Probe();
  void ReplaceProducer();
  void HandOver(Reports reports);
  void Answer(Callback<Status> done, Status status);
  void SetAvailable(bool now, const char* cause);
  std::shared_ptr<rd_kafka_t> CurrentProducer();

  static void OnReport(rd_kafka_t*, const rd_kafka_message_t* message, void* self);
  static void OnError(rd_kafka_t*, int code, const char* reason, void* self);

  const KafkaLogOptions options;
  Scheduler& scheduler;
  Gauge& depth;
  Counter& overflows;

  const std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  std::atomic<bool> available = false;

  Mutex mutex;
  std::shared_ptr<rd_kafka_t> producer MINICHAT_GUARDED_BY(mutex);

  // Of the poll thread.
  Reports collected;
  bool fatal = false;
  TimePoint last_word = scheduler.Now();  // of Kafka's
  std::jthread thread;
};

Result<std::shared_ptr<rd_kafka_t>> KafkaLog::Impl::MakeProducer() {
  auto conf = MakeConf({
      {"bootstrap.servers", options.brokers},
      {"client.id", "minichat"},
      {"enable.idempotence", "true"},  // with it acks=all and at most 5 requests in flight
      {"acks", "all"},
      {"partitioner", "murmur2_random"},  // Java's: other producers find the same partition
      {"message.timeout.ms", std::to_string(Millis(options.message_timeout))},
      {"linger.ms", std::to_string(Millis(options.linger))},
      {"message.max.bytes", "1000000"},
      {"queue.buffering.max.messages", std::to_string(options.max_waiting_records)},
      {"queue.buffering.max.kbytes", std::to_string(options.max_waiting_kbytes)},
      {"allow.auto.create.topics", "false"},
      {"socket.keepalive.enable", "true"},
      {"socket.timeout.ms", "10000"},
      {"socket.nagle.disable", "true"},
      {"socket.connection.setup.timeout.ms", "5000"},
      {"reconnect.backoff.max.ms", "1000"},
  });
  if (!conf.ok()) return conf.status();
  rd_kafka_conf_set_opaque(conf->get(), this);
  rd_kafka_conf_set_dr_msg_cb(conf->get(), OnReport);
  rd_kafka_conf_set_error_cb(conf->get(), OnError);
  auto client = MakeClient(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client.ok()) return client.status();
  return std::shared_ptr<rd_kafka_t>(std::move(*client));
}

void KafkaLog::Impl::Run(std::stop_token stop) {
  pthread_setname_np(pthread_self(), "kafka-log");
  while (!stop.stop_requested()) {
    rd_kafka_poll(CurrentProducer().get(), kPollMillis);
    HandOver(std::exchange(collected, {}));
    if (fatal) ReplaceProducer();
    ProbeWhenQuiet();
  }
}

// While nothing is appended no report tells that the log is away; and while it is away, and sends
// are refused, none tells that it is back.
void KafkaLog::Impl::ProbeWhenQuiet() {
  if (available && scheduler.Now() - last_word < kQuiet) return;
  if (Probe()) {
    last_word = scheduler.Now();
    SetAvailable(true, "probe");
  } else if (scheduler.Now() - last_word >= kSilent) {
    SetAvailable(false, "silent");
  }
}

bool KafkaLog::Impl::Probe() {
  const auto client = CurrentProducer();
  const rd_kafka_metadata_t* raw = nullptr;
  const auto error = rd_kafka_metadata(client.get(), 0, nullptr, &raw, kProbeMillis);
  const MetadataHandle metadata(raw);
  return error == RD_KAFKA_RESP_ERR_NO_ERROR;
}

void KafkaLog::Impl::ReplaceProducer() {
  auto next = MakeProducer();
  if (!next.ok()) {
    log::Error("kafka_producer_lost", {{"error", next.status().ToString()}});
    return;  // tried again at the next turn
  }
  std::shared_ptr<rd_kafka_t> old = std::move(*next);
  {
    const MutexLock lock(mutex);
    producer.swap(old);
  }
  fatal = false;
  // Whoever waits on the old one hears of it now; it may have written what was in flight.
  rd_kafka_purge(old.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_flush(old.get(), Millis(kFatalFlush));
  HandOver(std::exchange(collected, {}));
  log::Warn("kafka_producer_replaced");
}

void KafkaLog::Impl::HandOver(Reports reports) {
  if (reports.empty()) return;
  depth.Decrement(static_cast<double>(reports.size()));
  // A function object must be copyable, the reports are not.
  auto shared = std::make_shared<Reports>(std::move(reports));
  scheduler.Post([gate = gate, shared] {
    for (Report& report : *shared) {
      if (!gate->open) return;
      report.waiting->done(std::move(report.status));
    }
  });
}

void KafkaLog::Impl::Answer(Callback<Status> done, Status status) {
  scheduler.Post([gate = gate, done = std::move(done), status = std::move(status)] {
    if (gate->open) done(status);
  });
}

void KafkaLog::Impl::SetAvailable(bool now, const char* cause) {
  if (available.exchange(now) == now) return;
  if (now) {
    log::Info("kafka_up", {{"cause", cause}});
  } else {
    log::Warn("kafka_down", {{"cause", cause}});
  }
}

std::shared_ptr<rd_kafka_t> KafkaLog::Impl::CurrentProducer() {
  const MutexLock lock(mutex);
  return producer;
}

void KafkaLog::Impl::OnReport(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  auto& impl = *static_cast<Impl*>(self);
  std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(message->_private));
  impl.collected.push_back({std::move(waiting), Judge(*message)});
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    impl.last_word = impl.scheduler.Now();
    impl.SetAvailable(true, "report");
  } else if (message->err == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT) {
    impl.SetAvailable(false, "timeout");
  }
}

void KafkaLog::Impl::OnError(rd_kafka_t*, int code, const char* reason, void* self) {
  auto& impl = *static_cast<Impl*>(self);
  if (code == RD_KAFKA_RESP_ERR__FATAL) {
    impl.fatal = true;
    log::Error("kafka_producer_fatal", {{"reason", reason}});
  } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    impl.SetAvailable(false, reason);
  } else {
    log::Debug("kafka_producer_error", {{"reason", reason}});
  }
}

KafkaLog::KafkaLog(KafkaLogOptions options, Scheduler& scheduler, MetricsRegistry& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), scheduler, metrics)) {}

KafkaLog::~KafkaLog() {
  Stop(Duration::zero());
}

Status KafkaLog::Start() {
  auto producer = impl_->MakeProducer();
  if (!producer.ok()) return producer.status();
  {
    const MutexLock lock(impl_->mutex);
    impl_->producer = std::move(*producer);
  }
  impl_->thread = std::jthread([impl = impl_.get()](std::stop_token stop) { impl->Run(stop); });
  return {};
}

void KafkaLog::Stop(Duration limit) {
  if (!impl_->thread.joinable()) return;
  impl_->thread.request_stop();
  impl_->thread.join();
  impl_->thread = {};
  impl_->available = false;
  const auto producer = impl_->CurrentProducer();
  rd_kafka_flush(producer.get(), Millis(limit));
  if (const int left = rd_kafka_outq_len(producer.get()); left > 0) {
    log::Warn("kafka_log_unsent", {{"records", left}});
    rd_kafka_purge(producer.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_flush(producer.get(), Millis(kFatalFlush));
  }
  impl_->HandOver(std::exchange(impl_->collected, {}));
  impl_->gate->open = false;
}

void KafkaLog::Append(const core::LogRecord& record, Callback<Status> done) {
  const std::string value = core::SerializeMessage(*record.message, record.attempt);
  auto waiting = std::make_unique<Waiting>(Waiting{std::move(done)});
  const rd_kafka_resp_err_t error = Produce(impl_->CurrentProducer().get(), impl_->options.topic,
                                            record.message->room.value(), value, waiting.get());
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    static_cast<void>(waiting.release());  // the report brings it back
    impl_->depth.Increment();
    return;
  }
  // No report will come for it.
  if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) impl_->overflows.Increment();
  impl_->Answer(std::move(waiting->done), JudgeRefusal(error));
}

void KafkaLog::FailFatallyForTest() {
  rd_kafka_test_fatal_error(impl_->CurrentProducer().get(),
                            RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, "told to fail");
}

bool KafkaLog::available() const {
  return impl_->available;
}

}  // namespace minichat::kafka
