#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace minichat {

struct HttpRequest {
  std::string method;
  std::string path;                               // decoded, without query
  std::map<std::string, std::string> parameters;  // of the path; the router puts them in
  std::map<std::string, std::string> query;       // decoded
  std::map<std::string, std::string> headers;     // names in lower case
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
};

// A file that is built into the program.
struct StaticFile {
  std::string path;  // of the request, "/app.js"
  std::string content_type;
  std::string_view body;  // lives as long as the program
};

// What an HTTP listener serves: `ws` has the listener, `api` and `web` register the routes.
//
// Lifetime:  outlives the listener.
// Threading: Handle() on the listener's I/O thread; `reply` from any thread, exactly once.
class HttpRoutes {
 public:
  using Reply = std::function<void(HttpResponse)>;

  virtual ~HttpRoutes() = default;
  // Answers 404 and 405 too.
  virtual void Handle(HttpRequest request, Reply reply) = 0;
};

}  // namespace minichat
