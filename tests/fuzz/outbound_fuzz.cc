// A session's way out under any order of pushes, short writes, pongs, closes and errors: what went
// out must be whole frames, each lane in its order, none lost that was not dropped on purpose, no
// control frame behind more than it may be, nothing behind a close frame.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/check.h"
#include "ws/outbound_path.h"

namespace {

using namespace minichat;  // a test target

constexpr char kClose = '\x88';
constexpr char kPong = '\x8a';

// The input, byte by byte; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::size_t Take() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

class Socket final : public ws::Writer {
 public:
  std::optional<std::size_t> Write(std::span<const iovec> parts) override {
    if (broken) return std::nullopt;
    std::size_t taken = 0;
    for (const iovec& part : parts) {
      const std::size_t take = std::min(room, part.iov_len);
      written.append(static_cast<const char*>(part.iov_base), take);
      taken += take;
      room -= take;
    }
    return taken;
  }

  std::string written;
  std::size_t room = 0;
  bool broken = false;
};

// What was pushed, and the path that it was pushed to.
struct World {
  ws::OutboundLimits limits{1 << 20, 1'000, std::chrono::seconds(10)};
  ws::OutboundLevel level{limits};
  Gauge& total;
  ws::OutboundPath path;
  Socket socket;
  ws::OutboundPath::Clock::time_point now{};
  std::map<std::string, std::size_t, std::less<>> frames;  // each pushed one, and when: bytes out
  std::size_t messages = 0, controls = 0, latests = 0;
  bool closed = false, shed = false;

  World(Gauge& gauge, Counter& counter) : total(gauge), path(limits, level, gauge, counter) {}

  ws::Frame Note(std::string frame) {
    frames.emplace(frame, socket.written.size());
    return std::make_shared<const std::string>(std::move(frame));
  }
};

// The payload names the lane and the number; the length goes over the header's limits.
std::string Payload(char lane, std::size_t number, std::size_t size) {
  std::string payload = lane + std::to_string(number) + ".";
  payload.append(size, 'x');
  return payload;
}

std::string Control(char first, std::size_t number, std::size_t size) {
  const std::string payload = Payload('c', number, size % 100);
  return std::string{first, static_cast<char>(payload.size())} + payload;
}

void PushMessage(World& world, std::size_t size) {
  const bool taken = !world.closed && !world.path.broken();
  const std::size_t number = taken ? world.messages++ : 0;
  auto frame = ws::MakeTextFrame(Payload('m', number, size == 255 ? 70'000 : size));
  world.level.Add(frame->size());
  if (taken) world.Note(*frame);
  world.path.Push(std::move(frame), world.now);
}

void PushLatest(World& world, std::size_t key) {
  const std::string name = std::string(1, static_cast<char>('a' + key % 5));
  const std::string payload = Payload('l', world.latests++, key) + name;
  world.path.PushLatest(name, world.Note(ws::TextFrame(payload)));
}

void PushControl(World& world, char first, std::size_t size) {
  if (world.closed || world.path.broken()) return;
  world.closed = first == kClose;
  const auto ticket =
      world.path.PushControl(world.Note(Control(first, world.controls++, size)), world.now);
  CHECK(ticket == world.controls && !world.path.IsOut(ticket));
}

void Flush(World& world, std::size_t room) {
  world.socket.room = room;
  const bool done = world.path.Flush(world.socket, world.now);
  CHECK(done == world.path.empty());
  CHECK(done || world.socket.room == 0);
}

void Step(World& world, Input& input) {
  const std::size_t what = input.Take();
  switch (what % 16) {
    case 0:
      return PushControl(world, kClose, input.Take());
    case 1:
      world.socket.broken = input.Take() == 7;
      return;
    case 2:
      world.shed = true;
      return world.path.Shed();
    case 3:
    case 4:
      return PushControl(world, kPong, input.Take());
    case 5:
    case 6:
      return PushLatest(world, input.Take());
    case 7:
      return Flush(world, 0);
    case 8:
      return Flush(world, std::size_t{1} << 40);
    case 9:
    case 10:
    case 11:
      return Flush(world, what / 16 * 256 + input.Take());
    default:
      return PushMessage(world, input.Take());
  }
}

// The length of the frame at the front, or 0 when it is not whole.
std::size_t FrameLength(std::string_view bytes) {
  if (bytes.size() < 2) return 0;
  const auto at = [&](std::size_t i) { return std::size_t{static_cast<std::uint8_t>(bytes[i])}; };
  std::size_t length = at(1), header = 2;
  if (length == 126) {
    if (bytes.size() < 4) return 0;
    header = 4;
    length = at(2) << 8 | at(3);
  } else if (length == 127) {
    if (bytes.size() < 10) return 0;
    header = 10;
    length = 0;
    for (std::size_t i = 2; i < 10; ++i) length = length << 8 | at(i);
  }
  return bytes.size() < header + length ? 0 : header + length;
}

// Reads back what the socket got.
class Reader {
 public:
  explicit Reader(const World& world) : world_(world) {}

  void ReadAll() {
    std::string_view rest = world_.socket.written;
    while (const std::size_t length = FrameLength(rest)) {
      CHECK(!closed_);
      OnFrame(rest.substr(0, length), world_.socket.written.size() - rest.size());
      rest.remove_prefix(length);
    }
    CHECK(rest.empty() || world_.path.broken());
  }

  std::size_t messages = 0, controls = 0;  // one above the last

 private:
  void OnFrame(std::string_view frame, std::size_t position) {
    const auto pushed = world_.frames.find(frame);
    CHECK(pushed != world_.frames.end());  // byte for byte one that was pushed
    const std::size_t name = frame[1] < 126 ? 2 : frame[1] == 126 ? 4 : 10;
    const std::size_t number = std::stoul(std::string(frame.substr(name + 1, 12)));
    switch (frame[name]) {
      case 'm':
        CHECK(number >= messages);
        CHECK(number == messages || world_.shed);
        messages = number + 1;
        last_other_ = position;
        break;
      case 'c':
        CHECK(number == controls);
        controls = number + 1;
        closed_ = frame[0] == kClose;
        // Only what was half out already, and other control frames, came between.
        CHECK(last_other_ <= pushed->second);
        break;
      default:
        CHECK(frame[0] != kClose);
        std::size_t& last = latest_[frame.back()];
        CHECK(number >= last);
        last = number + 1;
        last_other_ = position;
    }
  }

  const World& world_;
  std::map<char, std::size_t> latest_;
  std::size_t last_other_ = 0;  // where the last frame that is no control frame began
  bool closed_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MetricsRegistry registry;
  static Gauge& total = registry.AddGauge("bytes", "");
  static Counter& counter = registry.AddCounter("shed", "");
  World world(total, counter);
  Input input(data, size);
  while (!input.empty()) Step(world, input);
  Flush(world, std::size_t{1} << 40);

  CHECK(world.path.empty() && world.level.bytes() == 0 && world.level.frames() == 0);
  CHECK(world.total.Value() == 0);
  Reader reader(world);
  reader.ReadAll();
  if (world.path.broken()) return 0;
  CHECK(reader.controls == world.controls);
  CHECK(world.closed || world.shed || reader.messages == world.messages);
  return 0;
}
