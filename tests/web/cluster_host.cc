// A cluster of real nodes on real services for a test that is no C++ program: says where it is, and
// does what standard input says, until that ends. Arguments are options of every node, as
// --lab.profile classic.
//
//   →
//   {"nodes":[{"name":"n1","client":"127.0.0.1:…","admin":"127.0.0.1:…","relay":"127.0.0.1:…"},…]}
//   ← stop n1      → stopped n1     SIGTERM, and its end
//   ← start n1     → started n1     serves again, where it was
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/base/json_writer.h"
#include "tests/support/test_cluster.h"

namespace minichat::test {
namespace {

std::size_t IndexOf(TestCluster& cluster, const std::string& name) {
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    if (cluster.node(i).name() == name) return i;
  }
  throw std::runtime_error("there is no node \"" + name + "\"");
}

std::string Describe(TestCluster& cluster) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    const loadtest::ClusterNode& node = cluster.node(i).addresses();
    nodes.push_back(JsonObject()
                        .Add("name", node.name)
                        .Add("client", node.client.ToString())
                        .Add("admin", node.admin.ToString())
                        .Add("relay", node.relay.ToString())
                        .Take());
  }
  return JsonObject().AddRaw("nodes", JsonArray(nodes)).Take();
}

void Obey(TestCluster& cluster, const std::string& command, const std::string& name) {
  const std::size_t index = IndexOf(cluster, name);
  if (command == "stop") {
    cluster.node(index).Stop();
    std::cout << "stopped " << name << std::endl;
  } else if (command == "start") {
    cluster.Restart(index);
    std::cout << "started " << name << std::endl;
  } else {
    throw std::runtime_error("unknown command \"" + command + "\"");
  }
}

NodeProcess::Flags FlagsIn(const std::vector<std::string>& arguments) {
  NodeProcess::Flags flags;
  if (arguments.size() % 2 != 0) throw std::runtime_error("an option without a value");
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (!arguments[i].starts_with("--")) throw std::runtime_error("no option: " + arguments[i]);
    flags[arguments[i].substr(2)] = arguments[i + 1];
  }
  return flags;
}

void Run(const std::vector<std::string>& arguments) {
  ServiceSet* services = ServiceSet::Shared();
  if (services == nullptr) throw std::runtime_error("redis, postgres or kafka is not installed");
  TestCluster cluster(*services, {.flags = FlagsIn(arguments)});
  std::cout << Describe(cluster) << std::endl;
  std::string command;
  std::string name;
  while (std::cin >> command >> name) Obey(cluster, command, name);
}

}  // namespace
}  // namespace minichat::test

int main(int argc, char** argv) {
  try {
    minichat::test::Run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cluster_host: %s\n", error.what());
    return 1;
  }
}
