#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/app/command_line.h"
#include "server/app/config_loader.h"
#include "server/app/config_rules.h"
#include "server/app/config_text.h"
#include "server/app/config_values.h"
#include "server/auth/token_test_support.h"

namespace minichat::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() /
           ("minichat_config_test." + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return (dir_ / name).string();
  }
  void File(const std::string& yaml) { sources_.file = Write("minichat.yaml", yaml); }
  AppConfig Load() {
    auto loaded = LoadConfig(table_, sources_);
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return loaded.ok() ? loaded->config : AppConfig();
  }
  // The line a user would see.
  std::string Refusal() {
    const auto loaded = LoadConfig(table_, sources_);
    EXPECT_FALSE(loaded.ok());
    return loaded.status().message();
  }

  OptionTable table_;
  ConfigSources sources_;
  std::filesystem::path dir_;
};

TEST_F(ConfigTest, DefaultsAreOneOpenNodeInMemoryOnLoopback) {
  const AppConfig config = Load();

  EXPECT_EQ(config.client_listen, "127.0.0.1:8080");
  EXPECT_EQ(config.log_url, "memory:");
  EXPECT_THAT(config.rooms_open, ElementsAre("*"));
  EXPECT_TRUE(config.auth_insecure);
}

TEST_F(ConfigTest, FileThenEnvironmentThenFlagWins) {
  File("relay:\n  mode: single\nnode.name: a\nlogging.level: debug\n");
  EXPECT_EQ(Load().relay_mode, "single");

  sources_.environment["MINICHAT_RELAY_MODE"] = "bulk";
  sources_.environment["MINICHAT_NODE_NAME"] = "b";
  sources_.flags = {{"node.name", "c"}};

  EXPECT_EQ(Load().relay_mode, "bulk");
  EXPECT_EQ(Load().node_name, "c");
  EXPECT_EQ(Load().logging_level, "debug");
}

TEST_F(ConfigTest, ReadsListsDurationsAndSizes) {
  File(
      "node:\n  roles: [chat, persister]\nrooms.open: [\"team.*\", lobby]\n"
      "dedup.ttl: 90s\nlimits.queue_bytes: 4MiB\n");

  EXPECT_THAT(Load().rooms_open, ElementsAre("team.*", "lobby"));
  EXPECT_EQ(Load().dedup_ttl, seconds(90));
  EXPECT_EQ(Load().limits_queue_bytes, 4u << 20);
}

TEST_F(ConfigTest, BadValueNamesFileLineKeyAllowedValuesAndTheNearest) {
  File("node.name: n1\nrelay:\n  mode: bluk\n");

  const std::string line = Refusal();

  EXPECT_THAT(line, HasSubstr("minichat.yaml:3: relay.mode: \"bluk\" is not allowed"));
  EXPECT_THAT(line, HasSubstr("allowed: bulk, single, stream (did you mean bulk?)"));
}

TEST_F(ConfigTest, BadFlagAndVariableNameTheirPlace) {
  sources_.environment["MINICHAT_IO_THREADS"] = "many";
  EXPECT_THAT(Refusal(), HasSubstr("MINICHAT_IO_THREADS: io.threads: \"many\""));

  sources_.environment.clear();
  sources_.flags = {{"relay.mode", "bluk"}};
  EXPECT_THAT(Refusal(),
              HasSubstr("--relay.mode: \"bluk\" is not allowed; allowed: bulk, single, stream"));
}

TEST_F(ConfigTest, UnknownKeyIsRefusedWithLineAndSuggestion) {
  File("relay:\n  mdoe: bulk\n");

  EXPECT_THAT(Refusal(), HasSubstr("minichat.yaml:2: unknown key \"relay.mdoe\" (did you mean "
                                   "relay.mode?)"));
}

TEST_F(ConfigTest, KeyGivenTwiceIsRefused) {
  File("relay.mode: bulk\nrelay:\n  mode: single\n");

  EXPECT_THAT(Refusal(), HasSubstr("minichat.yaml:3: relay.mode: is given twice"));
}

TEST_F(ConfigTest, ASecondDocumentIsRefused) {
  File("node.name: n1\n---\nrelay.mode: single\n");

  EXPECT_THAT(Refusal(), HasSubstr("minichat.yaml:3: begins a second document"));
}

TEST_F(ConfigTest, RuleBetweenKeysNamesThePlaceOfTheValue) {
  File("node.name: n1\nclient.listen: 0.0.0.0:8080\n");
  EXPECT_THAT(Refusal(), HasSubstr("minichat.yaml:2: client.listen: 0.0.0.0:8080 is not a loop"));

  sources_.file.clear();
  sources_.environment = {{"MINICHAT_CLIENT_LISTEN", "0.0.0.0:8080"}};
  EXPECT_THAT(Refusal(), HasSubstr("MINICHAT_CLIENT_LISTEN: client.listen: 0.0.0.0:8080 is not"));
}

TEST_F(ConfigTest, ListenersNeedNumericAddressesAndDifferFromEachOther) {
  sources_.flags = {{"client.listen", "localhost:8080"}};
  EXPECT_THAT(Refusal(), HasSubstr("--client.listen: \"localhost:8080\" is not allowed; allowed: "
                                   "an IP address and a port"));

  sources_.flags = {{"client.listen", "127.0.0.1:8080"}, {"admin.listen", "127.0.0.1:8080"}};
  EXPECT_THAT(Refusal(), HasSubstr("admin.listen: is 127.0.0.1:8080, as client.listen is"));

  sources_.flags = {{"client.listen", "[::1]:0"}, {"admin.listen", "[::1]:0"}};
  EXPECT_EQ(Load().admin_listen, "[::1]:0");
}

TEST_F(ConfigTest, BrokenYamlNamesTheLine) {
  File("node.name: n1\nrelay: [bulk\n");

  EXPECT_THAT(Refusal(), HasSubstr("minichat.yaml:"));
}

TEST_F(ConfigTest, MissingFileIsRefused) {
  sources_.file = (dir_ / "none.yaml").string();

  EXPECT_THAT(Refusal(), HasSubstr("none.yaml: can't be read"));
}

TEST_F(ConfigTest, AFolderInPlaceOfTheFileIsRefused) {
  sources_.file = dir_.string();

  EXPECT_THAT(Refusal(), HasSubstr(": can't be read"));
}

TEST_F(ConfigTest, BackendUrlWithoutProperHostOrPortIsRefused) {
  File("log: kafka://127.0.0.1:9092,127.0.0.1:x\n");
  EXPECT_THAT(Refusal(), HasSubstr("minichat.yaml:1: log: \"kafka://127.0.0.1:9092,127.0.0.1:x\" "
                                   "is not allowed; allowed: memory: or kafka://"));

  sources_.file.clear();
  for (const std::string url :
       {"redis://", "redis://:6379", "redis://h:0", "redis://h:65536", "redis://:secret@:1",
        "redis://h:/0", "redis://h:1/abc", "kafka://h:1"}) {
    sources_.environment = {{"MINICHAT_DIRECTORY", url}};
    EXPECT_THAT(Refusal(), HasSubstr("MINICHAT_DIRECTORY: directory: ")) << url;
    EXPECT_THAT(Refusal(), Not(HasSubstr("secret"))) << url;
  }
}

TEST_F(ConfigTest, KafkaNeedsAPortAndRedisDoesNot) {
  sources_.environment = {{"MINICHAT_LOG", "kafka://h"}};
  EXPECT_THAT(Refusal(), HasSubstr("MINICHAT_LOG: log: \"kafka://h\" is not allowed"));

  sources_.environment = {{"MINICHAT_LOG", "kafka://h:1"},
                          {"MINICHAT_DIRECTORY", "redis://h/3"},
                          {"MINICHAT_STORE", "postgresql://u@h/d"}};
  EXPECT_EQ(Load().directory_url, "redis://h/3");
}

TEST_F(ConfigTest, MisspeltVariableIsRefusedAndAForeignOneOnlyTold) {
  sources_.environment["MINICHAT_SERVICE_HOST"] = "10.0.0.1";
  const auto loaded = LoadConfig(table_, sources_);
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->warnings, ElementsAre("MINICHAT_SERVICE_HOST"));

  sources_.environment["MINICHAT_RELAY_MOD"] = "single";
  EXPECT_THAT(Refusal(), HasSubstr("MINICHAT_RELAY_MOD: unknown variable (did you mean "
                                   "MINICHAT_RELAY_MODE?)"));
}

TEST_F(ConfigTest, SecretsComeFromEnvironmentOrFileOnly) {
  File("cluster:\n  secret: 0123456789abcdef\n");
  EXPECT_THAT(Refusal(), HasSubstr("use MINICHAT_CLUSTER_SECRET or cluster.secret_file"));

  sources_.file.clear();
  sources_.flags = {{"cluster.secret", "0123456789abcdef"}};
  EXPECT_THAT(Refusal(), HasSubstr("others can read a command line"));

  sources_.flags = {{"cluster.secret_file", Write("secret", "0123456789abcdef\n")}};
  EXPECT_EQ(Load().cluster_secret, "0123456789abcdef");

  sources_.environment["MINICHAT_CLUSTER_SECRET"] = "fedcba9876543210";
  EXPECT_THAT(Refusal(), HasSubstr("also given in the environment"));
}

TEST_F(ConfigTest, PasswordsInUrlsComeFromTheEnvironmentOnlyAndAreNeverPrinted) {
  sources_.flags = {{"directory", "redis://:hidden@127.0.0.1:6379"}};
  EXPECT_THAT(Refusal(), HasSubstr("use MINICHAT_DIRECTORY"));

  sources_.flags.clear();
  sources_.environment = {{"MINICHAT_DIRECTORY", "redis://:hidden@127.0.0.1:6379"},
                          {"MINICHAT_LOG", "kafka://127.0.0.1:9092"},
                          {"MINICHAT_STORE", "postgresql://minichat:hidden@127.0.0.1/minichat"},
                          {"MINICHAT_ADMIN_KEY", "hidden"}};
  const std::string printed = PrintConfig(table_, Load());
  EXPECT_THAT(printed, Not(HasSubstr("hidden")));
  EXPECT_THAT(printed, HasSubstr("postgresql://minichat:***@127.0.0.1/minichat"));
}

TEST_F(ConfigTest, PasswordsAreFoundInQueriesAndWithUnescapedCharacters) {
  EXPECT_EQ(RedactUrl("postgresql://h:1/d?user=u&password=hidden&x=1"),
            "postgresql://h:1/d?user=u&password=***&x=1");
  EXPECT_EQ(RedactUrl("postgresql://h:1/d?password=hidden"), "postgresql://h:1/d?password=***");
  EXPECT_EQ(RedactUrl("redis://:hid/d?e@n@h:1/0"), "redis://:***@h:1/0");
  EXPECT_EQ(RedactUrl("postgresql://u@h:1/d?application_name=a@b"),
            "postgresql://u@h:1/d?application_name=a@b");
}

TEST_F(ConfigTest, InsecureAuthIsRefusedOffLoopback) {
  sources_.flags = {{"client.listen", "0.0.0.0:8080"}};

  EXPECT_THAT(Refusal(), HasSubstr("auth.insecure: true is allowed on loopback only"));

  sources_.flags.push_back({"auth.insecure_anywhere", "true"});
  EXPECT_TRUE(InsecureForOthers(Load()));
  sources_.flags.clear();
  EXPECT_FALSE(InsecureForOthers(Load()));
}

TEST_F(ConfigTest, WithoutInsecureAuthOneKeyIsNeeded) {
  sources_.flags = {{"auth.insecure", "false"}};
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("auth.secret"), HasSubstr("auth.public_key_file")));

  sources_.environment["MINICHAT_AUTH_SECRET"] = auth::testdata::kSecret;
  EXPECT_EQ(Load().auth_secret, auth::testdata::kSecret);

  sources_.flags.push_back({"auth.public_key_file", Write("key", auth::testdata::kPublicPem)});
  EXPECT_THAT(Refusal(), HasSubstr("auth.public_key_file: stands beside auth.secret"));

  sources_.environment.clear();
  EXPECT_EQ(Load().auth_public_key, auth::testdata::kPublicPem);
}

// Else a node would be open to all although its operator has given it a key.
TEST_F(ConfigTest, AKeyThatInsecureAuthWouldLeaveUnusedIsRefused) {
  sources_.environment["MINICHAT_AUTH_SECRET"] = auth::testdata::kSecret;

  EXPECT_THAT(Refusal(), HasSubstr("auth.insecure: is true, so auth.secret would not be used"));
}

TEST_F(ConfigTest, KeysAreJudgedAndNeverTold) {
  sources_.flags = {{"auth.insecure", "false"}};
  sources_.environment["MINICHAT_AUTH_SECRET"] = "too-short";
  EXPECT_THAT(Refusal(),
              AllOf(HasSubstr("MINICHAT_AUTH_SECRET: auth.secret: must be at least 32 bytes"),
                    Not(HasSubstr("too-short"))));

  sources_.environment["MINICHAT_AUTH_SECRET"] = auth::testdata::kSecret;
  EXPECT_THAT(PrintConfig(table_, Load()),
              AllOf(HasSubstr("# auth.secret: ***"), Not(HasSubstr(auth::testdata::kSecret))));

  sources_.environment.clear();
  for (const char* pem : {auth::testdata::kSmallPem, auth::testdata::kEcPem}) {
    sources_.flags = {{"auth.insecure", "false"}, {"auth.public_key_file", Write("key", pem)}};
    EXPECT_THAT(Refusal(), HasSubstr("auth.public_key_file: must be an RSA key of 2048"));
  }
  sources_.flags = {{"auth.public_key_file", (dir_ / "missing").string()}};
  EXPECT_THAT(Refusal(), HasSubstr("can't be read"));
}

TEST_F(ConfigTest, LeewayIsAtMostFiveMinutes) {
  sources_.flags = {{"auth.leeway", "301s"}};

  EXPECT_THAT(Refusal(), HasSubstr("from 0s to 5m"));
}

TEST_F(ConfigTest, OriginsThatNoBrowserSendsAreRefused) {
  sources_.flags = {{"client.origins", "https://chat.example, http://[::1]:8080, *"}};
  EXPECT_EQ(Load().client_origins.size(), 3);

  for (const char* bad :
       {"chat.example", "https://chat.example/", "https://", "https://*.example"}) {
    sources_.flags = {{"client.origins", bad}};
    EXPECT_THAT(Refusal(), HasSubstr("is no origin; write one like")) << bad;
  }
}

TEST_F(ConfigTest, AdminOffLoopbackNeedsAKey) {
  sources_.flags = {{"admin.listen", "0.0.0.0:9180"}};
  EXPECT_THAT(Refusal(), HasSubstr("set admin.key first"));

  sources_.environment["MINICHAT_ADMIN_KEY"] = "k";
  EXPECT_EQ(Load().admin_listen, "0.0.0.0:9180");
}

TEST_F(ConfigTest, RelayNeedsASecretAndASharedDirectory) {
  sources_.flags = {{"relay.listen", "127.0.0.1:0"}};
  EXPECT_THAT(Refusal(), HasSubstr("needs cluster.secret"));

  sources_.environment["MINICHAT_CLUSTER_SECRET"] = "0123456789abcdef";
  EXPECT_THAT(Refusal(), HasSubstr("nodes can't find each other"));
}

TEST_F(ConfigTest, RedisWithMemoryLogOrStoreIsForTheLab) {
  sources_.flags = {{"directory", "redis://127.0.0.1:6379"}};
  EXPECT_THAT(Refusal(), HasSubstr("lab.enabled"));

  sources_.flags.push_back({"lab.enabled", "true"});
  EXPECT_TRUE(Load().lab_enabled);
}

TEST_F(ConfigTest, LabKeysNeedTheLab) {
  sources_.flags = {{"lab.fault.die", "after_log"}};
  EXPECT_THAT(Refusal(), HasSubstr("lab.fault.die: keys under lab. need lab.enabled: true"));
  sources_.flags = {{"lab.coalesce", "false"}};
  EXPECT_THAT(Refusal(), HasSubstr("lab.coalesce: keys under lab. need lab.enabled: true"));
}

TEST_F(ConfigTest, PrintedConfigCanBeReadAgain) {
  sources_.flags = {{"rooms.open", "a*, b"}, {"dedup.ttl", "90s"}};
  const std::string printed = PrintConfig(table_, Load());

  sources_.flags.clear();
  File(printed);

  EXPECT_EQ(PrintConfig(table_, Load()), printed);
}

TEST(ConfigDocumentTest, CommittedDocumentIsFresh) {
  std::ifstream in("docs/configuration.md");
  std::stringstream committed;
  committed << in.rdbuf();

  EXPECT_TRUE(committed.str() == ConfigDocument(OptionTable()))
      << "run: build/dev/bin/minichat config-doc > docs/configuration.md";
}

TEST(ConfigValuesTest, ParsesAndPrintsDurations) {
  EXPECT_EQ(ParseDuration("250ms"), milliseconds(250));
  EXPECT_EQ(ParseDuration("2h"), seconds(7200));
  for (const char* bad : {"", "10", "s", "-1s", "1.5s", "10 parsecs", "99999999999999h"}) {
    EXPECT_FALSE(ParseDuration(bad)) << bad;
  }
  EXPECT_EQ(PrintDuration(seconds(90)), "90s");
  EXPECT_EQ(PrintDuration(seconds(120)), "2m");
}

TEST(ConfigValuesTest, ParsesSizesAndAddresses) {
  EXPECT_EQ(ParseBytes("64KiB"), 65536u);
  EXPECT_EQ(ParseBytes("77"), 77u);
  EXPECT_FALSE(ParseBytes("4MB"));
  EXPECT_EQ(ParseAddress("[::1]:80")->host, "::1");
  EXPECT_TRUE(ParseAddress("127.0.0.1:0")->loopback());
  EXPECT_FALSE(ParseAddress("0.0.0.0:1")->loopback());
  for (const char* bad : {"", "host", ":80", "host:", "host:70000", "::1:80"}) {
    EXPECT_FALSE(ParseAddress(bad)) << bad;
  }
}

TEST(CommandLineTest, TakesFlagsInBothForms) {
  const OptionTable table;
  const auto line =
      ParseCommandLine(table, {"serve", "--config", "a.yaml", "--relay.mode=single",
                               "--lab.enabled", "--node.name", "n2", "--ports-file=p.json"});

  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->command, "serve");
  EXPECT_EQ(line->config_file, "a.yaml");
  EXPECT_EQ(line->Own("ports-file"), "p.json");
  EXPECT_THAT(line->flags,
              ElementsAre(std::pair("relay.mode", "single"), std::pair("lab.enabled", "true"),
                          std::pair("node.name", "n2")));
}

TEST(CommandLineTest, RefusesWhatItDoesNotKnow) {
  const OptionTable table;
  const auto refusal = [&](std::vector<std::string> arguments) {
    return ParseCommandLine(table, arguments).status().message();
  };

  EXPECT_THAT(refusal({"sreve"}), HasSubstr("did you mean serve?"));
  EXPECT_THAT(refusal({"serve", "--relay.mdoe", "bulk"}), HasSubstr("did you mean relay.mode?"));
  EXPECT_THAT(refusal({"serve", "--node.name"}), HasSubstr("a value is missing"));
  EXPECT_THAT(refusal({"serve", "twice"}), HasSubstr("unexpected argument"));
  EXPECT_THAT(refusal({"serve", "--user", "ann"}), HasSubstr("--user: belongs to minichat token"));
}

}  // namespace
}  // namespace minichat::app
