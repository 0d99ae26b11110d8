// muster: what people and scripts ask of a coordinator.

#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"

namespace muster::cli {
namespace {

constexpr char kHelp[] =
    "usage: muster COMMAND [OPTIONS]\n"
    "\n"
    "  run       a job on this machine: a coordinator and N processes\n"
    "  plan      every group and rank of a layout, without a coordinator\n"
    "  apply     create a job\n"
    "  get       list jobs, workers, groups or events\n"
    "  describe  one job in full\n"
    "  why       why a job, worker or group is not ready\n"
    "  delete    end a job\n"
    "\n"
    "`muster COMMAND --help` lists the options of a command.\n"
    "\n"
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 unreachable or deadline, 4 denied, 5 not found,\n"
    "6 conflict, 7 not ready.\n";

int Main(const Args& args) {
  const std::map<std::string, std::function<int(const Args&)>> commands = {
      {"apply", Apply}, {"delete", Delete}, {"destroy", Delete}, {"describe", Describe},
      {"get", Get},     {"plan", Plan},     {"run", Run},        {"why", Why}};
  if (args.empty()) return std::fputs(kHelp, stderr), kUsage;
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    return std::fputs(kHelp, stdout), kOk;
  }
  const auto command = commands.find(args[0]);
  if (command == commands.end()) {
    std::fprintf(stderr, "Error: INVALID_ARGUMENT: no command '%s'; `muster --help` lists them\n",
                 args[0].c_str());
    return kUsage;
  }
  return command->second(Args(args.begin() + 1, args.end()));
}

}  // namespace
}  // namespace muster::cli

int main(int argc, char** argv) {
  return muster::cli::Main(muster::cli::Args(argv + 1, argv + argc));
}
