#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: what csink run adds to a tree's folder. First, the place for processes of a tree that have
/// become another user (profil/format/tree_names.h): made and removed by root alone, read without
/// following a link. Second, the messages of the tree's processes, whose stderr may be another one
/// than that of csink run.

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

/// Removes a spool. One of another user is removed without following a link in its path.
void RemoveSpool(const std::string& path);

/// Makes the file of messages in the tree's folder, and marks this process's stderr there and in
/// the place for other users: a process of the tree with this stderr prints its messages itself.
void BeginMessages(const std::string& folder);

/// Prints the messages that the tree's processes have left, each text once. Returns false if the
/// tree's folder was removed since BeginMessages, and prints a warning.
bool SayMessages(const std::string& folder);

/// Removes the files of BeginMessages, and the messages of other users.
void RemoveMessages(const std::string& folder);

/// Marks the folder of a tree as kept (--keep, or a report that was not written), so that
/// CleanSpools leaves it; and whether it is.
void MarkAsKept(const std::string& folder);
bool IsMarkedAsKept(const std::string& folder);

/// Removes the place of the tree whose folder is `folder`, if it has no files any more. Returns
/// false if it has.
bool RemoveUsersPlace(const std::string& folder);

}  // namespace csink::tool
