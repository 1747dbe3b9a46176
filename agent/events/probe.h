#pragma once

namespace csink::agent {

/// AT_SECURE: setuid, setgid or with capabilities. The agent stays inert there.
bool IsSecureExecution() noexcept;

}  // namespace csink::agent
