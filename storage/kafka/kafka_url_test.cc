#include "storage/kafka/kafka_url.h"

#include <gtest/gtest.h>

namespace minichat::kafka {
namespace {

TEST(KafkaUrlTest, GivesTheBrokers) {
  EXPECT_EQ(*ParseKafkaUrl("kafka://h:9092"), "h:9092");
  EXPECT_EQ(*ParseKafkaUrl("kafka://a.b:1,127.0.0.1:65535"), "a.b:1,127.0.0.1:65535");
  EXPECT_EQ(*ParseKafkaUrl("kafka://[::1]:9092"), "[::1]:9092");
}

TEST(KafkaUrlTest, RefusesWhatIsNotAListOfBrokers) {
  for (const char* url :
       {"", "h:1", "http://h:1", "kafka://", "kafka://h", "kafka://h:", "kafka://h:0",
        "kafka://h:65536", "kafka://h:1x", "kafka://:1", "kafka://h:1,", "kafka://,h:1",
        "kafka://h:1/topic", "kafka://h:1, i:2"}) {
    EXPECT_EQ(ParseKafkaUrl(url).status().code(), StatusCode::kInvalidArgument) << url;
  }
}

}  // namespace
}  // namespace minichat::kafka
