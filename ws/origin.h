#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minichat::ws {

// May a page of this origin (the header that browsers send, "https://chat.example:8443") open a
// connection? `allowed` lists origins, or "*" for any. When it is empty, pages of the node itself
// may: those whose host and port are what the request was sent to (`host`, its Host header; the
// scheme is left out, as a proxy may have taken TLS off).
bool OriginMayConnect(std::string_view origin, std::string_view host,
                      const std::vector<std::string>& allowed);

}  // namespace minichat::ws
