#pragma once

namespace csink::agent {

/// True if the kernel started this image with AT_SECURE: setuid, setgid or with capabilities
/// (getauxval(3)). The agent does nothing there, because its environment comes from another user.
/// Signals: safe.
bool IsSecureExecution() noexcept;

}  // namespace csink::agent
