#pragma once

#include <pqxx/pqxx>

// The statements of the stores, by name. Private to storage/postgres.
namespace minichat::postgres {

inline constexpr const char* kInsertRows = "insert_rows";
inline constexpr const char* kFindTaken = "find_taken";
inline constexpr const char* kAddLetters = "add_letters";
inline constexpr const char* kCurrentForShare = "current_for_share";
inline constexpr const char* kCurrent = "current";
inline constexpr const char* kRaiseCurrent = "raise_current";
inline constexpr const char* kNextGeneration = "next_generation";
inline constexpr const char* kNewestRow = "newest_row";
inline constexpr const char* kLookup = "lookup";
inline constexpr const char* kRangeFirst = "range_first";
inline constexpr const char* kRangeLast = "range_last";
inline constexpr const char* kCreateRoom = "create_room";
inline constexpr const char* kHoldRoom = "hold_room";
inline constexpr const char* kAddMember = "add_member";
inline constexpr const char* kRemoveMember = "remove_member";
inline constexpr const char* kStanding = "standing";
inline constexpr const char* kMembers = "members";
inline constexpr const char* kRevoke = "revoke";
inline constexpr const char* kRevocations = "revocations";

// Tells `connection` all of them; the server learns each at its first use.
void PrepareStatements(pqxx::connection_base& connection);

}  // namespace minichat::postgres
