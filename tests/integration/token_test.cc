// Tokens as an operator and an issuer meet them: the binary, and another implementation (PyJWT).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loadtest/client/chat_session.h"
#include "loadtest/client/http.h"
#include "tests/support/node_process.h"

namespace minichat::test {
namespace {

using loadtest::CallHttp;
using loadtest::ChatSession;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr seconds kLimit{20};
constexpr char kPython[] = "/usr/bin/python3";  // Debian's, which has Debian's packages
constexpr char kSecret[] = "the-secret-of-this-test-long-enough";

class TokenTest : public testing::Test {
 protected:
  std::string WriteFile(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  std::string Path(const std::string& name) { return (dir_.path() / name).string(); }

  // Runs a program to its end; what it wrote, without the end of the line, is in output_.
  int Run(const std::vector<std::string>& command) {
    const auto log = dir_.path() / ("run" + std::to_string(++runs_));
    const int code = RunToEnd(command, log);
    output_ = ReadTail(log);
    while (!output_.empty() && output_.back() == '\n') output_.pop_back();
    return code;
  }
  int Minichat(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), MinichatBinary());
    return Run(arguments);
  }
  std::string Python(const std::string& script, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {kPython, "-c", script});
    EXPECT_EQ(Run(arguments), 0) << output_;
    return output_;
  }
  bool HasPyJwt() { return Run({kPython, "-c", "import jwt, cryptography"}) == 0; }

  void MakeSecretConfig() {
    config_ = WriteFile("minichat.yaml",
                        "auth:\n  insecure: false\n  audience: chat\n  secret_file: " +
                            WriteFile("secret", std::string(kSecret) + "\n") + "\n  leeway: 0s\n");
  }
  void MakeRsaConfig() {
    ASSERT_EQ(Run({"openssl", "genrsa", "-out", Path("private.pem"), "2048"}), 0) << output_;
    ASSERT_EQ(
        Run({"openssl", "rsa", "-in", Path("private.pem"), "-pubout", "-out", Path("public.pem")}),
        0)
        << output_;
    config_ =
        WriteFile("minichat.yaml",
                  "auth:\n  insecure: false\n  public_key_file: " + Path("public.pem") + "\n");
  }
  NodeProcess& StartNode() {
    node_ = std::make_unique<NodeProcess>("n1", dir_.path(),
                                          NodeProcess::Flags{{"config", config_},
                                                             {"client.listen", "127.0.0.1:0"},
                                                             {"admin.listen", "127.0.0.1:0"}});
    node_->Start();
    EXPECT_TRUE(WaitFor([&] { return node_->Ready(); }, kLimit)) << node_->LogTail();
    return *node_;
  }
  std::string Token(const std::string& user, const std::string& ttl) {
    EXPECT_EQ(Minichat({"token", "--config", config_, "--user", user, "--ttl", ttl}), 0) << output_;
    return output_;
  }
  std::unique_ptr<ChatSession> Connect(const std::string& token) {
    return std::make_unique<ChatSession>(loop_, node_->client(), "", ChatSession::Resume(), token);
  }
  // The code that a hello with this token is closed with; 0: it is welcome.
  int Try(const std::string& token) {
    const auto session = Connect(token);
    EXPECT_TRUE(loop_.RunUntil([&] { return session->welcome() || session->closed(); }, kLimit));
    return session->closed() ? session->close_info().code : 0;
  }

  ScratchDir dir_{"minichat-token"};
  loadtest::ClientLoop loop_;
  std::unique_ptr<NodeProcess> node_;
  std::string config_;
  std::string output_;
  int runs_ = 0;
};

#define REQUIRE_PYJWT()                                                                    \
  if (!HasPyJwt()) {                                                                       \
    if (ServicesAreRequired()) FAIL() << "python3-jwt or python3-cryptography is missing"; \
    GTEST_SKIP() << "python3-jwt or python3-cryptography is not installed";                \
  }

TEST_F(TokenTest, HmacTokensOfAnotherImplementationAreTakenAndForgedOnesNot) {
  REQUIRE_PYJWT();
  MakeSecretConfig();
  StartNode();
  const std::string encode =
      "import jwt, sys, time\n"
      "print(jwt.encode({'sub': 'ann', 'aud': sys.argv[2], 'exp': time.time() + 60}, sys.argv[1],"
      " algorithm=sys.argv[3]))";

  EXPECT_EQ(Try(Python(encode, {kSecret, "chat", "HS256"})), 0);
  EXPECT_EQ(Try(Python(encode, {"another-secret-that-is-long-enough", "chat", "HS256"})), 4001);
  EXPECT_EQ(Try(Python(encode, {kSecret, "mail", "HS256"})), 4001);
  EXPECT_EQ(Try(Python(encode, {kSecret, "chat", "HS512"})), 4001);
  EXPECT_EQ(Try(Python("import jwt, time\n"
                       "print(jwt.encode({'sub': 'ann', 'aud': 'chat', 'exp': time.time() + 60},"
                       " None, algorithm='none'))")),
            4001);
}

TEST_F(TokenTest, RsaTokensOfAnotherImplementationAreTakenAndConfusedOnesNot) {
  REQUIRE_PYJWT();
  MakeRsaConfig();
  StartNode();
  const std::string encode =
      "import jwt, sys, time\n"
      "print(jwt.encode({'sub': 'ann', 'exp': int(time.time()) + 60}, open(sys.argv[1]).read(),"
      " algorithm='RS256'))";
  // PyJWT refuses to sign with a public key's text as secret; an attacker does it by hand.
  const std::string confuse =
      "import base64, hashlib, hmac, json, sys, time\n"
      "b = lambda x: base64.urlsafe_b64encode(x).rstrip(b'=')\n"
      "t = b(b'{\"alg\":\"HS256\"}') + b'.' + b(json.dumps({'sub': 'ann', 'exp':"
      " int(time.time()) + 60}).encode())\n"
      "k = open(sys.argv[1], 'rb').read()\n"
      "print((t + b'.' + b(hmac.new(k, t, hashlib.sha256).digest())).decode())";

  EXPECT_EQ(Try(Python(encode, {Path("private.pem")})), 0);
  EXPECT_EQ(Try(Python(confuse, {Path("public.pem")})), 4001);
}

TEST_F(TokenTest, AnotherImplementationTakesOurTokens) {
  REQUIRE_PYJWT();
  MakeSecretConfig();

  const std::string token = Token("ann", "10m");

  EXPECT_EQ(
      Python("import jwt, sys\n"
             "c = jwt.decode(sys.argv[1], sys.argv[2], algorithms=['HS256'], audience='chat')\n"
             "print(c['sub'], c['exp'] - c['iat'], len(c['jti']) > 15)",
             {token, kSecret}),
      "ann 600 True");
  MakeRsaConfig();
  ASSERT_EQ(Minichat({"token", "--config", config_, "--user", "bob", "--private-key-file",
                      Path("private.pem")}),
            0)
      << output_;
  EXPECT_EQ(Python("import jwt, sys\n"
                   "c = jwt.decode(sys.argv[1], open(sys.argv[2]).read(), algorithms=['RS256'])\n"
                   "print(c['sub'], c['exp'] - c['iat'])",
                   {output_, Path("public.pem")}),
            "bob 3600");
}

// C17.
TEST_F(TokenTest, ASessionEndsWithItsTokenUnlessItIsRefreshed) {
  MakeSecretConfig();
  StartNode();
  const std::string longer = Token("bob", "1h");
  const auto stays = Connect(Token("bob", "8s"));
  const auto ends = Connect(Token("ann", "8s"));
  ASSERT_TRUE(loop_.RunUntil([&] { return ends->welcome() && stays->welcome(); }, kLimit));
  const auto expires = ends->welcome_body().at("expires").to_number<std::int64_t>();

  const auto refresh = stays->Request({{"op", "refresh"}, {"token", longer}});
  ASSERT_TRUE(loop_.RunUntil([&] { return stays->Find(refresh) != nullptr; }, kLimit));
  EXPECT_EQ(stays->Find(refresh)->op, "refreshed");

  ASSERT_TRUE(loop_.RunUntil([&] { return ends->closed(); }, kLimit));
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  EXPECT_EQ(ends->close_info().code, 4004);
  EXPECT_GE(now, expires);
  EXPECT_LT(now, expires + 5'000);
  const auto ping = stays->Request({{"op", "ping"}});
  ASSERT_TRUE(loop_.RunUntil([&] { return stays->Find(ping) != nullptr; }, kLimit));
  EXPECT_FALSE(stays->closed());
  EXPECT_EQ(Try(Token("ann", "1h")), 0);
}

// C17.
TEST_F(TokenTest, ARevocationEndsTheSessionsOfOldTokensAndOpensNoMore) {
  MakeSecretConfig();
  const NodeProcess& node = StartNode();
  const std::string old = Token("ann", "1h");
  const auto ann = Connect(old);
  const auto bob = Connect(Token("bob", "1h"));
  ASSERT_TRUE(loop_.RunUntil([&] { return ann->welcome() && bob->welcome(); }, kLimit));

  const auto revoked =
      CallHttp(node.admin(), {.method = "POST", .path = "/admin/v1/users/ann/revoke"});

  ASSERT_TRUE(revoked.ok());
  EXPECT_EQ(revoked->status, 200) << revoked->body;
  ASSERT_TRUE(loop_.RunUntil([&] { return ann->closed(); }, seconds(5)));
  EXPECT_EQ(ann->close_info().code, 4005);
  EXPECT_EQ(Try(old), 4001);
  const auto refresh = bob->Request({{"op", "refresh"}, {"token", Token("bob", "2h")}});
  ASSERT_TRUE(loop_.RunUntil([&] { return bob->Find(refresh) != nullptr; }, kLimit));
  EXPECT_EQ(bob->Find(refresh)->op, "refreshed");
  // A token tells the second of its issue: one of a later second is good again.
  EXPECT_TRUE(WaitFor([&] { return Try(Token("ann", "1h")) == 0; }, kLimit));
}

TEST_F(TokenTest, NeitherSecretNorTokensAreToldAnywhere) {
  MakeSecretConfig();
  ASSERT_EQ(Minichat({"print-config", "--config", config_}), 0);
  EXPECT_THAT(output_, Not(HasSubstr(kSecret)));
  EXPECT_THAT(output_, HasSubstr("# auth.secret: ***"));
  const std::string token = Token("ann", "1h");
  const NodeProcess& node = StartNode();

  EXPECT_EQ(Try(token), 0);
  EXPECT_EQ(Try(token + "x"), 4001);

  std::string told = node.LogTail();
  for (const char* path : {"/metrics", "/healthz", "/readyz", "/admin/v1/status"}) {
    const auto answer = CallHttp(node.admin(), {.path = path});
    ASSERT_TRUE(answer.ok());
    told += answer->body;
  }
  EXPECT_THAT(told, HasSubstr("minichat_refusals_total{reason=\"unauthorized\"} 1"));
  EXPECT_THAT(told, Not(HasSubstr(kSecret)));
  EXPECT_THAT(told, Not(HasSubstr(token.substr(0, 20))));
  EXPECT_THAT(told, Not(HasSubstr(token.substr(token.rfind('.') + 1))));
}

TEST_F(TokenTest, WithoutAKeyTheStartIsRefusedAndBothKeysAreNamed) {
  EXPECT_EQ(Minichat({"serve", "--auth.insecure", "false"}), 2);

  EXPECT_THAT(output_, HasSubstr("auth.secret"));
  EXPECT_THAT(output_, HasSubstr("auth.public_key_file"));
}

TEST_F(TokenTest, TheCommandSaysWhatItLacks) {
  EXPECT_EQ(Minichat({"token", "--user", "ann"}), 2);
  EXPECT_THAT(output_, HasSubstr("has no key for tokens"));

  MakeSecretConfig();
  EXPECT_EQ(Minichat({"token", "--config", config_}), 2);
  EXPECT_THAT(output_, HasSubstr("--user: must be 1 to 64 characters"));
  EXPECT_EQ(Minichat({"token", "--config", config_, "--user", "ann", "--ttl", "soon"}), 2);
  EXPECT_THAT(output_, HasSubstr("--ttl: must be a duration"));

  MakeRsaConfig();
  EXPECT_EQ(Minichat({"token", "--config", config_, "--user", "ann"}), 2);
  EXPECT_THAT(output_, HasSubstr("--private-key-file: is missing"));
  ASSERT_EQ(Run({"openssl", "genrsa", "-out", Path("other.pem"), "2048"}), 0);
  EXPECT_EQ(Minichat({"token", "--config", config_, "--user", "ann", "--private-key-file",
                      Path("other.pem")}),
            1);
  EXPECT_THAT(output_, HasSubstr("would refuse this token: token: the signature is wrong"));
}

}  // namespace
}  // namespace minichat::test
