// Boost.JSON is header-only in Debian's package: this file holds its one compiled copy.
#include <boost/json/src.hpp>
