#include "web/page.h"

namespace minichat::web {

// Defined in the generated web/page_bytes.cc.
extern const std::string_view kIndexHtml;
extern const std::string_view kAppJs;
extern const std::string_view kStyleCss;

std::vector<StaticFile> PageFiles() {
  return {
      {"/", "text/html; charset=utf-8", kIndexHtml},
      {"/app.js", "text/javascript; charset=utf-8", kAppJs},
      {"/style.css", "text/css; charset=utf-8", kStyleCss},
  };
}

}  // namespace minichat::web
