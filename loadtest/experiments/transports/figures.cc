#include "loadtest/experiments/transports/figures.h"

#include <limits>

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include "loadtest/report/report_document.h"
#include "server/base/json_writer.h"

namespace minichat::transports {

double Figures::Get(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::string Figures::GetText(const std::string& name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::string() : found->second;
}

void Figures::Merge(const Figures& other) {
  for (const auto& [name, value] : other.numbers_) numbers_[name] = value;
  for (const auto& [name, text] : other.texts_) texts_[name] = text;
}

std::string Figures::ToJson() const {
  JsonObject object;
  for (const auto& [name, value] : numbers_) object.AddRaw(name, report::JsonNumber(value));
  for (const auto& [name, text] : texts_) object.Add(name, text);
  return object.Take();
}

Result<Figures> Figures::FromJson(const std::string& text) {
  boost::json::error_code error;
  const auto value = boost::json::parse(text, error);
  if (error || !value.is_object()) return InvalidArgument("figures: no JSON object: " + text);
  Figures figures;
  for (const auto& member : value.get_object()) {
    const std::string name(member.key());
    if (member.value().is_string()) {
      figures.SetText(name, std::string(member.value().get_string()));
    } else if (member.value().is_number()) {
      figures.Set(name, member.value().to_number<double>());
    }
  }
  return figures;
}

}  // namespace minichat::transports
