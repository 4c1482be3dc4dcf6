#pragma once

#include <span>

// Private to storage/postgres.
namespace minichat::postgres {

struct Migration {
  int version;  // 1, 2, …: its place in the list
  const char* name;
  const char* sql;
};

// The files of migrations/; written by the build.
std::span<const Migration> Migrations();

}  // namespace minichat::postgres
