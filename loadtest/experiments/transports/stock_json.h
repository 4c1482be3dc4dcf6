#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "loadtest/experiments/transports/stock.h"
#include "server/base/status.h"

namespace minichat::transports {

// Queries and answers as HTTP carries them: POST /stock/get {"item":7,"count":1}, answered
// {"ok":true,"left":41}.
std::string_view PathOf(StockOp op);
std::optional<StockOp> OpOfPath(std::string_view path);

std::string QueryToJson(const StockQuery& query);
Result<StockQuery> QueryFromJson(StockOp op, const std::string& json);
std::string AnswerToJson(const StockAnswer& answer);
Result<StockAnswer> AnswerFromJson(const std::string& json);

}  // namespace minichat::transports
