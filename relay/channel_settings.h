#pragma once

#include <memory>
#include <string>

#include <grpcpp/channel.h>
#include <grpcpp/server_builder.h>

namespace minichat::relay {

// A channel to another node. All that decides how nodes reach each other is set here on purpose;
// nothing of it comes from the environment or from DNS.
std::shared_ptr<grpc::Channel> MakePeerChannel(const std::string& address);

// The counterpart on the listening side.
void ApplyServerSettings(grpc::ServerBuilder& builder);

}  // namespace minichat::relay
