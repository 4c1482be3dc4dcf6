#include "web/page.h"

namespace minichat::web {

// Defined in the generated web/page_bytes.cc.
extern const std::string_view kIndexHtml;
extern const std::string_view kAppJs;
extern const std::string_view kStyleCss;
extern const std::string_view kLabHtml;
extern const std::string_view kLabAppJs;
extern const std::string_view kLabChartsJs;
extern const std::string_view kLabStyleCss;

std::vector<StaticFile> PageFiles() {
  return {
      {"/", "text/html; charset=utf-8", kIndexHtml},
      {"/app.js", "text/javascript; charset=utf-8", kAppJs},
      {"/style.css", "text/css; charset=utf-8", kStyleCss},
  };
}

std::vector<StaticFile> LabFiles() {
  return {
      {"/lab", "text/html; charset=utf-8", kLabHtml},
      {"/lab/app.js", "text/javascript; charset=utf-8", kLabAppJs},
      {"/lab/charts.js", "text/javascript; charset=utf-8", kLabChartsJs},
      {"/lab/style.css", "text/css; charset=utf-8", kLabStyleCss},
  };
}

}  // namespace minichat::web
