#include "loadtest/experiments/transports/stock_json.h"

#include <array>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include "server/base/json_writer.h"

namespace minichat::transports {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<StockOp, std::string_view>, 4> kPaths = {{
    {StockOp::kGet, "/stock/get"},
    {StockOp::kCheck, "/stock/check"},
    {StockOp::kUpdate, "/stock/update"},
    {StockOp::kTake, "/stock/take"},
}};

// Null when the text is no object.
json::value ParseObject(const std::string& text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  return error || !value.is_object() ? json::value() : value;
}

template <class T>
bool Read(const json::value& object, std::string_view key, T* out) {
  if (!object.is_object()) return false;
  const json::value* member = object.get_object().if_contains({key.data(), key.size()});
  if (member == nullptr) return false;
  const auto value = json::try_value_to<T>(*member);
  if (value.has_value()) *out = *value;
  return value.has_value();
}

}  // namespace

std::string_view PathOf(StockOp op) {
  for (const auto& [known, path] : kPaths) {
    if (known == op) return path;
  }
  return {};
}

std::optional<StockOp> OpOfPath(std::string_view path) {
  for (const auto& [op, known] : kPaths) {
    if (known == path) return op;
  }
  return std::nullopt;
}

std::string QueryToJson(const StockQuery& query) {
  return JsonObject().Add("item", std::uint64_t{query.item}).Add("count", query.count).Take();
}

Result<StockQuery> QueryFromJson(StockOp op, const std::string& text) {
  const json::value value = ParseObject(text);
  StockQuery query{op};
  if (!Read(value, "item", &query.item) || !Read(value, "count", &query.count)) {
    return InvalidArgument("stock: no such query: " + text);
  }
  return query;
}

std::string AnswerToJson(const StockAnswer& answer) {
  return JsonObject().Add("ok", answer.ok).Add("left", answer.left).Take();
}

Result<StockAnswer> AnswerFromJson(const std::string& text) {
  const json::value value = ParseObject(text);
  StockAnswer answer;
  if (!Read(value, "ok", &answer.ok) || !Read(value, "left", &answer.left)) {
    return InvalidArgument("stock: no such answer: " + text);
  }
  return answer;
}

}  // namespace minichat::transports
