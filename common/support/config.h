#ifndef MUSTER_COMMON_SUPPORT_CONFIG_H_
#define MUSTER_COMMON_SUPPORT_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/support/config_file.h"
#include "common/support/config_value.h"

namespace muster {

// Where the value of an option comes from; a later one wins over an earlier one.
enum class ConfigSource { kDefault, kFile, kEnvironment, kFlag };

// "default", "file", "environment" or "flag".
std::string ConfigSourceName(ConfigSource source);

// What one option is in the end, and why.
struct EffectiveValue {
  std::string name;   // Of the option, without dashes.
  std::string value;  // As text; empty if an option without default was not given.
  ConfigSource source = ConfigSource::kDefault;
  std::string origin;  // "--job", "MUSTER_JOB", "/etc/muster.yaml:3"; empty for a default.
};

// What an option is called and what it is for.
struct OptionInfo {
  std::string name = {};              // In lower case with dashes: "log-level".
  std::string help = {};              // One sentence.
  std::string placeholder = "VALUE";  // What stands for the value in the help: "HOST:PORT".
  char letter = 0;                    // For -j beside --job; 0 for none.
  bool required = false;              // An error if no source gives it.
};

// What text an option takes beyond not being empty.
struct TextRule {
  std::function<bool(const std::string& text)> accepts = nullptr;  // Null: everything.
  std::string wanted = "some text";                                // In words, for error messages.
};

// Gives the value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process.
std::optional<std::string> ProcessEnvironment(const std::string& name);

// The options of one program or of one of its commands.
//
// An option --some-name may be given as a flag, as the environment variable MUSTER_SOME_NAME, or as
// the key some-name of a file in YAML; else it has the value that its target had when it was
// declared. A value that is empty or cannot be used is an error wherever it comes from; no other
// source stands in for it.
//
// Flags: --name VALUE, --name=VALUE, -n VALUE, -nVALUE. Switches (bool): --name, --name=false.
// Flags and arguments may be mixed; what follows `--` is the command.
//
// Use: declare everything, Parse() once, then read the targets. Targets must outlive the Config.
// Thread safety: one thread at a time.
class Config {
 public:
  // `program` is how the usage line begins, such as "muster run"; `summary` says in one sentence
  // what it does.
  Config(std::string program, std::string summary);
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  void AddString(OptionInfo info, std::string* target, TextRule rule = {});
  void AddInt(OptionInfo info, int64_t* target, IntRange range = {});
  void AddDuration(OptionInfo info, absl::Duration* target, DurationRange range = {});
  void AddBool(OptionInfo info, bool* target);
  void AddChoice(OptionInfo info, std::string* target, std::vector<std::string> choices);

  // Allows a file, named by the option --config; `kind` is what its entry `kind` must be.
  void AllowFile(std::string kind);

  // Allows from `least` to `most` words that are no flags; `usage` names them: "TYPE [NAME]".
  void AllowArguments(std::string usage, size_t least, size_t most);

  // Wants a command after `--`; `usage` names it: "COMMAND [ARGUMENT...]".
  void WantCommand(std::string usage);

  // Reads `args`, without the name of the program, then the environment and the file, and sets
  // every target. With -h or --help among the flags it reads nothing else and gives OK; the caller
  // prints HelpText() then. After an error the targets mean nothing.
  //
  // Errors, each naming the option, its value, where it came from and what is wanted:
  //   kInvalidArgument  a value that is empty or cannot be used, a flag twice or without value, a
  //                     required option or argument missing, too many arguments (config_invalid);
  //                     a flag or key that is not declared (config_unknown)
  //   kNotFound         the file cannot be read (config_invalid)
  absl::Status Parse(const std::vector<std::string>& args,
                     const Environment& environment = ProcessEnvironment);

  // These are known after Parse().
  bool help_wanted() const { return help_wanted_; }
  const std::vector<std::string>& arguments() const { return arguments_; }
  const std::vector<std::string>& command() const { return command_; }

  // Every option, in the order of declaration.
  std::vector<EffectiveValue> Effective() const;

  // Usage, summary and every option with its variable, its default and what it takes. For --help.
  std::string HelpText() const;

 private:
  struct Option {
    OptionInfo info = {};
    std::string wanted = {};  // In words.
    bool is_switch = false;
    // Sets the target and gives nothing, or gives what is wrong with the text.
    std::function<std::string(const std::string& text)> assign = {};
    std::string default_value = {};
    std::string value = {};
    ConfigSource source = ConfigSource::kDefault;
    std::string origin = {};
  };

  using FlagValues = std::map<std::string, std::string>;
  using FileValues = std::map<std::string, FileValue>;

  void Add(Option option);
  Option* FindByName(const std::string& name);
  Option* FindByLetter(char letter);
  absl::Status ReadWords(const std::vector<std::string>& args, FlagValues& flags);
  absl::Status ReadFlag(const std::vector<std::string>& args, size_t& at, FlagValues& flags);
  absl::Status CheckWords() const;
  absl::StatusOr<FileValues> ReadFile(const FlagValues& flags, const Environment& environment);
  absl::Status Settle(const FlagValues& flags, const Environment& environment,
                      const FileValues& file, Option& option) const;
  std::string UsageLine() const;

  const std::string program_;
  const std::string summary_;
  std::vector<Option> options_;
  std::string file_path_;
  std::optional<std::string> file_kind_;
  std::string arguments_usage_;
  size_t arguments_least_ = 0;
  size_t arguments_most_ = 0;
  std::string command_usage_;
  bool help_wanted_ = false;
  std::vector<std::string> arguments_;
  std::vector<std::string> command_;
};

// The environment variable of an option: MUSTER_ and its name in upper case, `_` for `-`.
std::string VariableName(const std::string& option);

// Logs one line for each option of `config`: name, value, source and origin. For the start of a
// daemon.
void LogEffective(const Config& config);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_CONFIG_H_
