#include "ws/http_text.h"

#include "server/base/json_writer.h"
#include "server/core/client_error.h"

namespace minichat::ws {
namespace {

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
  }
  return "";  // the number says it
}

core::ErrorCode CodeOf(int status) {
  switch (status) {
    case 403:
      return core::ErrorCode::kForbidden;
    case 413:
    case 414:
    case 431:
      return core::ErrorCode::kTooLarge;
    case 429:
      return core::ErrorCode::kRateLimited;
    case 503:
      return core::ErrorCode::kOverloaded;
  }
  return core::ErrorCode::kBadRequest;
}

void AddLine(std::string* text, std::string_view name, std::string_view value) {
  *text += name;
  *text += ": ";
  *text += value;
  *text += "\r\n";
}

}  // namespace

std::string EncodeResponse(const HttpResponse& response, ResponseForm form) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
  text += ReasonOf(response.status);
  text += "\r\n";
  if (!response.content_type.empty()) AddLine(&text, "Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) AddLine(&text, name, value);
  AddLine(&text, "Content-Length", std::to_string(response.body.size()));
  if (!form.keep_alive) AddLine(&text, "Connection", "close");
  text += "\r\n";
  if (!form.head_only) text += response.body;
  return text;
}

HttpResponse Refusal(int status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.body =
      JsonObject().Add("code", InfoOf(CodeOf(status)).name).Add("error", message).Take() + "\n";
  response.headers["Cache-Control"] = "no-store";
  return response;
}

HttpResponse Refusal(int status, std::string_view message, int retry_after_s) {
  HttpResponse response = Refusal(status, message);
  response.headers["Retry-After"] = std::to_string(retry_after_s);
  return response;
}

}  // namespace minichat::ws
