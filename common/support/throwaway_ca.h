#ifndef MUSTER_COMMON_SUPPORT_THROWAWAY_CA_H_
#define MUSTER_COMMON_SUPPORT_THROWAWAY_CA_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/support/tls_files.h"

namespace muster {

// A CA for the processes of one job on one machine. Its key is in this process alone; certificates
// and their keys are files of mode 0600 in a folder of mode 0700, which lives as long as this
// value.
//
// The folder is removed by a process of its own, so that it goes even if this one is killed.
//
// Thread safety: one thread at a time.
class ThrowawayCa {
 public:
  // Makes the CA and its folder in `parent`. Call it before this process has threads, since it
  // forks.
  //
  // Errors: kPermissionDenied if the folder or a file cannot be made; kResourceExhausted if there
  // is no process to be had.
  static absl::StatusOr<std::unique_ptr<ThrowawayCa>> Make(const std::string& parent);

  // Removes the folder, and waits until it is gone.
  ~ThrowawayCa();
  ThrowawayCa(const ThrowawayCa&) = delete;
  ThrowawayCa& operator=(const ThrowawayCa&) = delete;

  // Makes the files <name>.crt and <name>.key: a certificate, good for a year on either side of a
  // connection, whose alternative names are `uri` and the loopback addresses.
  //
  // Errors: kPermissionDenied if a file cannot be written.
  absl::StatusOr<TlsFiles> Issue(const std::string& name, const std::string& uri);

  const std::string& folder() const { return folder_; }

 private:
  struct Keys;

  ThrowawayCa(std::string folder, pid_t remover, int lifeline);

  const std::string folder_;
  const pid_t remover_;  // Removes the folder once nobody holds the lifeline any more.
  const int lifeline_;
  std::unique_ptr<Keys> keys_;
  long last_serial_ = 1;
};

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_THROWAWAY_CA_H_
