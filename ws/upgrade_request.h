#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace minichat::ws {

using UpgradeRequest = boost::beast::http::request<boost::beast::http::string_body>;

}  // namespace minichat::ws
