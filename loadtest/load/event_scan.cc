#include "loadtest/load/event_scan.h"

#include <charconv>

namespace minichat::loadtest {
namespace {

// Reads a frame from its front; once a step fails, all later ones do.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  void Expect(std::string_view literal) {
    ok_ = ok_ && rest_.starts_with(literal);
    if (ok_) rest_.remove_prefix(literal.size());
  }
  // Up to the closing quote, which is taken too.
  std::string_view Text() {
    const std::size_t end = rest_.find('"');
    const std::string_view text = rest_.substr(0, end);
    ok_ = ok_ && end != std::string_view::npos && text.find('\\') == std::string_view::npos;
    if (ok_) rest_.remove_prefix(end + 1);
    return text;
  }
  std::uint64_t Number() {
    std::uint64_t number = 0;
    const auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    ok_ = ok_ && ec == std::errc();
    if (ok_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::optional<ScannedEvent> ScanEvent(std::string_view frame) {
  Scanner scanner(frame);
  ScannedEvent event;
  scanner.Expect(R"({"op":"message","room":")");
  event.room = scanner.Text();
  scanner.Expect(R"(,"seq":)");
  event.seq = scanner.Number();
  scanner.Expect(R"(,"id":")");
  event.id = scanner.Text();
  scanner.Expect(R"(,"from":")");
  scanner.Text();
  scanner.Expect(R"(,"ts":)");
  scanner.Number();
  scanner.Expect(R"(,"text":")");
  event.text = scanner.Text();
  scanner.Expect("}");
  if (!scanner.ok()) return std::nullopt;
  return event;
}

}  // namespace minichat::loadtest
