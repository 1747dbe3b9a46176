#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: the place for processes of a tree that have become another user
/// (profil/spool/tree_names.h): made and removed by root alone, read without following a link.

namespace csink::tool {

/// Makes the place of a tree that this process is about to start. Nothing for other users than
/// root, whose trees' processes do not change their user with the agent loaded. If it cannot be
/// made, such processes cannot leave a spool, and record that.
void MakeUsersPlace(std::uint64_t tree);

/// The spools and files of records of other users of the tree whose folder is `folder`, sorted.
/// Only regular files of the user whose folder they lie in. Empty for any folder that has not the
/// name of a tree's, and for other users than root.
std::vector<std::string> UsersSpools(const std::string& folder);

/// SpoolsIn the tree's folder, and UsersSpools.
std::vector<std::string> SpoolsOfTree(const std::string& folder);

/// Whether the tree has such a place.
bool HasUsersPlace(const std::string& folder);

/// Removes a spool. One of another user is removed without following a link in its path.
void RemoveSpool(const std::string& path);

/// Removes the place of the tree whose folder is `folder`, if it has no files any more. Returns
/// false if it has.
bool RemoveUsersPlace(const std::string& folder);

}  // namespace csink::tool
