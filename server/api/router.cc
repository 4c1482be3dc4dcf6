#include "server/api/router.h"

#include <algorithm>
#include <utility>

#include "server/base/check.h"
#include "server/base/json_writer.h"

namespace minichat::api {
namespace {

// "/a/b" → "", "a", "b".
std::vector<std::string> Split(const std::string& path) {
  std::vector<std::string> segments;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', begin)) {
    segments.push_back(path.substr(begin, slash - begin));
    begin = slash + 1;
  }
  segments.push_back(path.substr(begin));
  return segments;
}

bool IsParameter(const std::string& segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool Match(const std::vector<std::string>& pattern, const std::vector<std::string>& segments,
           std::map<std::string, std::string>* parameters) {
  if (pattern.size() != segments.size()) return false;
  parameters->clear();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (IsParameter(pattern[i])) {
      (*parameters)[pattern[i].substr(1, pattern[i].size() - 2)] = segments[i];
    } else if (pattern[i] != segments[i]) {
      return false;
    }
  }
  return true;
}

int StatusOf(core::ErrorCode code) {
  switch (code) {
    case core::ErrorCode::kBadRequest:
      return 400;
    case core::ErrorCode::kTooLarge:
      return 413;
    case core::ErrorCode::kUnauthorized:
      return 401;
    case core::ErrorCode::kForbidden:
    case core::ErrorCode::kNotMember:
      return 403;
    case core::ErrorCode::kNoSuchRoom:
      return 404;
    case core::ErrorCode::kCidConflict:
      return 409;
    case core::ErrorCode::kRateLimited:
      return 429;
    case core::ErrorCode::kOverloaded:
    case core::ErrorCode::kUnavailable:
      return 503;
    case core::ErrorCode::kUnknown:
      return 504;
    case core::ErrorCode::kInternal:
      return 500;
  }
  CHECK(false && "every code has a status");
}

}  // namespace

HttpResponse JsonResponse(int status, std::string json) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(json) + "\n";
  response.headers["Cache-Control"] = "no-store";
  return response;
}

HttpResponse ErrorResponse(int status, std::string_view message) {
  return JsonResponse(status, JsonObject().Add("error", message).Take());
}

HttpResponse ErrorResponse(const core::ClientError& error) {
  HttpResponse response = JsonResponse(
      StatusOf(error.code),
      JsonObject().Add("code", InfoOf(error.code).name).Add("error", error.message).Take());
  if (error.retry_after_ms) {
    response.headers["Retry-After"] = std::to_string((*error.retry_after_ms + 999) / 1000);
  }
  return response;
}

void Router::Add(const std::string& method, const std::string& path, Handler handler) {
  std::vector<std::string> segments = Split(path);
  auto known = std::find_if(paths_.begin(), paths_.end(),
                            [&](const Path& one) { return one.segments == segments; });
  if (known == paths_.end()) known = paths_.insert(known, {std::move(segments), {}});
  known->methods[method] = std::move(handler);
}

std::set<std::string> Router::Routes() const {
  std::set<std::string> routes;
  for (const Path& path : paths_) {
    std::string text = path.segments.front();
    for (std::size_t i = 1; i < path.segments.size(); ++i) text += "/" + path.segments[i];
    for (const auto& [method, handler] : path.methods) {
      routes.insert(std::string(method).append(" ").append(text));
    }
  }
  return routes;
}

Router::Path* Router::Find(HttpRequest* request) {
  const std::vector<std::string> segments = Split(request->path);
  for (Path& path : paths_) {
    if (Match(path.segments, segments, &request->parameters)) return &path;
  }
  return nullptr;
}

void Router::Handle(HttpRequest request, Reply reply) {
  const Path* path = Find(&request);
  if (path == nullptr) return reply(ErrorResponse(404, "there is nothing at this path"));
  // The listener leaves the body out.
  const std::string wanted = request.method == "HEAD" ? "GET" : request.method;
  const auto method = path->methods.find(wanted);
  if (method != path->methods.end()) return method->second(request, std::move(reply));
  std::string allowed;
  for (const auto& [name, handler] : path->methods) {
    allowed += (allowed.empty() ? "" : ", ") + name + (name == "GET" ? ", HEAD" : "");
  }
  HttpResponse response = ErrorResponse(405, "this path takes " + allowed);
  response.headers["Allow"] = allowed;
  reply(std::move(response));
}

}  // namespace minichat::api
