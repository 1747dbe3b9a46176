#pragma once

/// File: tells a report of csink from any other file, for the command `snapshot FILE`: whoever may
/// write to the control fifo names the file, and the program may have more rights.

namespace csink::tool {

/// Whether a report may replace the open file: a regular file of this process's user with one name
/// that is empty, was marked by MarkAsReport, or begins as the reports do that name csink in their
/// first bytes (text, JSON, the page, ...). `fd` must be readable.
bool MayReplace(int fd);

/// Marks the file as a report, by an extended attribute. Does nothing where the file system has
/// none: then MayReplace knows only the formats that name csink.
void MarkAsReport(int fd);

}  // namespace csink::tool
