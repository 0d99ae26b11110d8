#include "common/support/config.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/support/log.h"

namespace muster {
namespace {

constexpr char kFileOption[] = "config";
constexpr size_t kShownBytes = 80;  // Of a wrong value, in an error message.

absl::Status Invalid(const std::string& message) {
  return MakeError(absl::StatusCode::kInvalidArgument, message,
                   {.kind = ErrorKind::kConfigInvalid});
}

absl::Status Unknown(const std::string& message) {
  return MakeError(absl::StatusCode::kInvalidArgument, message,
                   {.kind = ErrorKind::kConfigUnknown, .remedy = "See --help."});
}

std::string Shown(const std::string& text) {
  const std::string cut = text.size() > kShownBytes ? text.substr(0, kShownBytes) + "..." : text;
  return absl::StrCat("'", absl::Utf8SafeCHexEscape(cut), "'");
}

bool IsOptionName(const std::string& name) {
  return !name.empty() && absl::ascii_islower(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) || c == '-';
         });
}

// What may stand in a message for the source of a value: "flag --job".
std::string Where(ConfigSource source, const std::string& origin) {
  return absl::StrCat(ConfigSourceName(source), " ", origin);
}

}  // namespace

std::string ConfigSourceName(ConfigSource source) {
  switch (source) {
    case ConfigSource::kDefault:
      return "default";
    case ConfigSource::kFile:
      return "file";
    case ConfigSource::kEnvironment:
      return "environment";
    case ConfigSource::kFlag:
      return "flag";
  }
  MUSTER_CHECK(false, "not a source");
}

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string VariableName(const std::string& option) {
  std::string name = absl::StrCat("MUSTER_", absl::AsciiStrToUpper(option));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Config::Config(std::string program, std::string summary)
    : program_(std::move(program)), summary_(std::move(summary)) {}

void Config::AddString(OptionInfo info, std::string* target, TextRule rule) {
  const std::string wanted = rule.wanted;
  const auto assign = [target, rule = std::move(rule)](const std::string& text) -> std::string {
    if (rule.accepts != nullptr && !rule.accepts(text)) return "cannot be used";
    *target = text;
    return "";
  };
  Add({.info = std::move(info), .wanted = wanted, .assign = assign, .default_value = *target});
}

void Config::AddInt(OptionInfo info, int64_t* target, IntRange range) {
  Add({.info = std::move(info),
       .wanted = Describe(range),
       .assign = [=](const std::string& text) { return ReadInt(text, range, target); },
       .default_value = absl::StrCat(*target)});
}

void Config::AddDuration(OptionInfo info, absl::Duration* target, DurationRange range) {
  Add({.info = std::move(info),
       .wanted = Describe(range),
       .assign = [=](const std::string& text) { return ReadDuration(text, range, target); },
       .default_value = absl::FormatDuration(*target)});
}

void Config::AddBool(OptionInfo info, bool* target) {
  Add({.info = std::move(info),
       .wanted = "true or false",
       .is_switch = true,
       .assign = [=](const std::string& text) { return ReadBool(text, target); },
       .default_value = *target ? "true" : "false"});
}

void Config::AddChoice(OptionInfo info, std::string* target, std::vector<std::string> choices) {
  info.placeholder = absl::StrJoin(choices, "|");
  const std::string wanted = absl::StrCat("one of ", absl::StrJoin(choices, ", "));
  const auto assign = [target, choices = std::move(choices)](const std::string& text) {
    return ReadChoice(text, choices, target);
  };
  Add({.info = std::move(info), .wanted = wanted, .assign = assign, .default_value = *target});
}

void Config::AllowFile(std::string kind) {
  file_kind_ = std::move(kind);
  AddString({.name = kFileOption,
             .help = "File whose keys are the names of flags.",
             .placeholder = "PATH"},
            &file_path_);
}

void Config::AllowArguments(std::string usage, size_t least, size_t most) {
  arguments_usage_ = std::move(usage);
  arguments_least_ = least;
  arguments_most_ = most;
}

void Config::WantCommand(std::string usage) { command_usage_ = std::move(usage); }

void Config::Add(Option option) {
  const OptionInfo& info = option.info;
  MUSTER_CHECK(IsOptionName(info.name), info.name);
  MUSTER_CHECK(info.name != "help" && FindByName(info.name) == nullptr, info.name);
  MUSTER_CHECK(info.letter == 0 || (info.letter != 'h' && FindByLetter(info.letter) == nullptr),
               info.name);
  option.value = option.default_value;
  options_.push_back(std::move(option));
}

Config::Option* Config::FindByName(const std::string& name) {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&name](const Option& o) { return o.info.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

Config::Option* Config::FindByLetter(char letter) {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [letter](const Option& o) { return o.info.letter == letter; });
  return found == options_.end() ? nullptr : &*found;
}

absl::Status Config::Parse(const std::vector<std::string>& args, const Environment& environment) {
  const auto flags_end = std::find(args.begin(), args.end(), "--");
  help_wanted_ = std::any_of(args.begin(), flags_end,
                             [](const std::string& arg) { return arg == "-h" || arg == "--help"; });
  if (help_wanted_) return absl::OkStatus();

  FlagValues flags;
  MUSTER_RETURN_IF_ERROR(ReadWords({args.begin(), flags_end}, flags));
  if (flags_end != args.end()) command_.assign(flags_end + 1, args.end());
  MUSTER_RETURN_IF_ERROR(CheckWords());

  FileValues file;
  if (file_kind_.has_value()) {
    MUSTER_ASSIGN_OR_RETURN(file, ReadFile(flags, environment));
  }
  for (Option& option : options_) {
    MUSTER_RETURN_IF_ERROR(Settle(flags, environment, file, option));
  }
  return absl::OkStatus();
}

absl::Status Config::ReadWords(const std::vector<std::string>& args, FlagValues& flags) {
  arguments_.clear();
  command_.clear();
  for (size_t at = 0; at < args.size(); ++at) {
    if (args[at].size() > 1 && args[at].front() == '-') {
      MUSTER_RETURN_IF_ERROR(ReadFlag(args, at, flags));
    } else {
      arguments_.push_back(args[at]);
    }
  }
  return absl::OkStatus();
}

// Reads the flag at args[at], and moves `at` to its value where that is a word of its own.
absl::Status Config::ReadFlag(const std::vector<std::string>& args, size_t& at, FlagValues& flags) {
  const std::string& word = args[at];
  const bool is_long = word[1] == '-';
  const size_t equals = word.find('=');
  const size_t name_end = is_long ? std::min(equals, word.size()) : 2;
  const Option* const option =
      is_long ? FindByName(word.substr(2, name_end - 2)) : FindByLetter(word[1]);
  if (option == nullptr) {
    return Unknown(absl::StrCat("flag ", Shown(word.substr(0, name_end)), " is not known"));
  }

  const std::string flag = absl::StrCat("flag --", option->info.name);
  std::string value;
  if (name_end < word.size()) {
    value = word.substr(name_end == equals ? equals + 1 : name_end);
  } else if (option->is_switch) {
    value = "true";
  } else if (at + 1 < args.size() && args[at + 1].rfind("--", 0) != 0) {
    value = args[++at];
  } else {
    return Invalid(absl::StrCat(flag, ": no value follows; want ", option->wanted));
  }
  if (!flags.emplace(option->info.name, value).second) {
    return Invalid(absl::StrCat(flag, " is given twice; want it once"));
  }
  return absl::OkStatus();
}

absl::Status Config::CheckWords() const {
  const size_t count = arguments_.size();
  if (count > arguments_most_) {
    return Invalid(absl::StrCat(program_, ": ", Shown(arguments_[arguments_most_]),
                                " is one word too many; want: ", UsageLine()));
  }
  if (count < arguments_least_) {
    return Invalid(absl::StrCat(program_, ": ", count, " of ", arguments_least_,
                                " words are there; want: ", UsageLine()));
  }
  if (command_usage_.empty() && !command_.empty()) {
    return Invalid(absl::StrCat(program_, " takes no command after --; want: ", UsageLine()));
  }
  if (!command_usage_.empty() && command_.empty()) {
    return Invalid(absl::StrCat(program_, ": no command after --; want: ", UsageLine()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Config::FileValues> Config::ReadFile(const FlagValues& flags,
                                                    const Environment& environment) {
  MUSTER_RETURN_IF_ERROR(Settle(flags, environment, {}, *FindByName(kFileOption)));
  if (file_path_.empty()) return FileValues();
  MUSTER_ASSIGN_OR_RETURN(FileValues file, ReadConfigFile(file_path_, *file_kind_));
  for (const auto& [key, value] : file) {
    if (key == kFileOption || FindByName(key) == nullptr) {
      return Unknown(absl::StrCat("file ", file_path_, ":", value.line, ": key ", Shown(key),
                                  " is not known"));
    }
  }
  return file;
}

absl::Status Config::Settle(const FlagValues& flags, const Environment& environment,
                            const FileValues& file, Option& option) const {
  const std::string& name = option.info.name;
  const std::string variable = VariableName(name);
  std::string text;
  if (const auto flag = flags.find(name); flag != flags.end()) {
    text = flag->second;
    option.source = ConfigSource::kFlag;
    option.origin = absl::StrCat("--", name);
  } else if (const std::optional<std::string> value = environment(variable)) {
    text = *value;
    option.source = ConfigSource::kEnvironment;
    option.origin = variable;
  } else if (const auto key = file.find(name); key != file.end()) {
    text = key->second.text;
    option.source = ConfigSource::kFile;
    option.origin = absl::StrCat(file_path_, ":", key->second.line);
  } else if (option.info.required) {
    return Invalid(absl::StrCat("--", name, " is missing; want it as a flag or as ", variable, ": ",
                                option.wanted));
  } else {
    return absl::OkStatus();
  }

  const std::string problem = text.empty() ? "is empty" : option.assign(text);
  if (!problem.empty()) {
    const std::string in_file = option.source == ConfigSource::kFile ? ": key " + name : "";
    return Invalid(absl::StrCat(Where(option.source, option.origin), in_file, ": ", Shown(text),
                                " ", problem, "; want ", option.wanted));
  }
  option.value = text;
  return absl::OkStatus();
}

std::vector<EffectiveValue> Config::Effective() const {
  std::vector<EffectiveValue> values;
  for (const Option& option : options_) {
    values.push_back({option.info.name, option.value, option.source, option.origin});
  }
  return values;
}

std::string Config::UsageLine() const {
  return absl::StrCat(program_, " [FLAG...]", arguments_usage_.empty() ? "" : " ", arguments_usage_,
                      command_usage_.empty() ? "" : " -- ", command_usage_);
}

std::string Config::HelpText() const {
  std::string text = absl::StrCat("Usage: ", UsageLine(), "\n\n", summary_,
                                  "\n\nFlags. Each wins over its environment variable",
                                  file_kind_.has_value() ? ", and that over the file" : "", ":\n");
  for (const Option& option : options_) {
    const OptionInfo& info = option.info;
    absl::StrAppend(&text, "  ",
                    info.letter == 0 ? "" : absl::StrCat("-", std::string(1, info.letter), ", "),
                    "--", info.name, option.is_switch ? "" : " ",
                    option.is_switch ? "" : info.placeholder, "\n      ", info.help, " (",
                    option.wanted, "; environment ", VariableName(info.name), "; ");
    if (info.required) {
      absl::StrAppend(&text, "required)\n");
    } else {
      absl::StrAppend(&text, "default ",
                      option.default_value.empty() ? "<none>" : option.default_value, ")\n");
    }
  }
  absl::StrAppend(&text, "  -h, --help\n      This text.\n");
  return text;
}

void LogEffective(const Config& config) {
  for (const EffectiveValue& option : config.Effective()) {
    Log(LogLevel::kInfo, "config.value")
        .With("name", option.name)
        .With("value", option.value)
        .With("source", ConfigSourceName(option.source))
        .With("origin", option.origin);
  }
}

}  // namespace muster
