#include "storage/contract/message_log_contract.h"
#include "storage/kafka/kafka_test_kit.h"

namespace minichat::contract {
namespace {

std::unique_ptr<MessageLogHarness> MakeKafka() {
  test::ScratchKafka* broker = test::ScratchKafka::Shared();
  if (broker == nullptr) {
    EXPECT_FALSE(test::ServicesAreRequired()) << "kafka (java) is not here";
    return nullptr;
  }
  return std::make_unique<kafka::KafkaHarness>(*broker);
}

INSTANTIATE_TEST_SUITE_P(Kafka, MessageLogContract, testing::Values(MakeKafka));

}  // namespace
}  // namespace minichat::contract
