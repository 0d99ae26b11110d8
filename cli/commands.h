#ifndef MUSTER_CLI_COMMANDS_H_
#define MUSTER_CLI_COMMANDS_H_

#include <string>
#include <vector>

// The commands of `muster`. Each reads its own flags from `args`, prints data on stdout and
// everything else on stderr, and gives an exit code of exit_code.h.
namespace muster::cli {

using Args = std::vector<std::string>;

int Apply(const Args& args);
int Delete(const Args& args);
int Describe(const Args& args);
int Get(const Args& args);
int Plan(const Args& args);
int Run(const Args& args);
int Why(const Args& args);

}  // namespace muster::cli

#endif  // MUSTER_CLI_COMMANDS_H_
